// SPDX-License-Identifier: Apache-2.0
// Whether a trace holds together: what one event claims, another one must bear out. Rules take
// these checks up beside their own, so that a trace that leaves something out, or tells it twice
// and differently, is no good trace.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/invariants/rule.h"

namespace plumb::invariants {

/// The subject can show events of this kind: only then does their absence tell anything.
bool shows_kind(const Story& story, EventName kind);

/// The order of events of different sources is not certain.
bool is_live(const Story& story);

/// What must hold in the trace as a whole, whether or not the rule is triggered: `how` goes on from
/// the rule's own words.
struct RunCheck {
  std::string_view rule;
  std::string_view how;
  void (*check)(const Story& story, Report& report);
};

std::vector<RunCheck> agreement_checks();
std::vector<RunCheck> file_checks();
std::vector<RunCheck> order_checks();
std::vector<RunCheck> process_checks();

/// The rules, each with its checks of the whole run.
std::vector<Rule> with_run_checks(std::vector<Rule> rules);

}  // namespace plumb::invariants
