// SPDX-License-Identifier: Apache-2.0
// One run of one scenario, judged: the subject plays it, the rules and the scenario's own
// expectations are checked on the trace.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/explore/variants.h"
#include "simulator/invariants/judge.h"
#include "simulator/script/catalogue.h"
#include "simulator/subjects/expectations.h"
#include "simulator/subjects/subject.h"

namespace plumb::simulator {

/// A judged run. Relation rules, which compare several runs, are judged by `judge_relations`.
struct CaseRun {
  std::string variant;
  std::string relation;
  RunResult result;
  std::vector<invariants::Judgement> judgements;
  std::vector<Unmet> unmet;
};

/// What the checks must know of a rule and cannot see in a trace.
invariants::Catalogue facts_of(const Catalogue& catalogue);

/// Plays and judges. Nothing here throws or stops the program: what goes wrong stands in
/// `result.errors`.
CaseRun run_case(Subject& subject, const Variant& variant, const RunOptions& options,
                 const invariants::Catalogue& facts);

/// The relation rules over the runs of one scenario: the first is the scenario as written.
std::vector<invariants::Judgement> judge_relations(std::span<const CaseRun> runs,
                                                   const invariants::Catalogue& facts);

}  // namespace plumb::simulator
