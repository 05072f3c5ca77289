// SPDX-License-Identifier: Apache-2.0
// Verdicts: a trace goes in, a judgement for each rule comes out. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/invariants/rule.h"

namespace plumb::invariants {

/// harness_error: the trace is damaged, so that nothing can be said.
enum class Verdict : std::uint8_t {
  pass,
  fail,
  not_triggered,
  untestable,
  not_applicable,
  harness_error
};

std::string_view to_string(Verdict verdict);

/// `reason`: why a rule was not judged; empty for pass and fail.
struct Judgement {
  std::string id;
  Verdict verdict = Verdict::not_triggered;
  std::string reason;
  std::vector<Finding> findings;
  std::int64_t trigger_count = 0;  ///< How often the run exercised the rule.

  bool operator==(const Judgement&) const = default;
};

/// A name by which the catalogue asks for a kind of event: looked up once, not for every trace.
class NeededKind {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a need is written as its name.
  NeededKind(std::string name);
  // NOLINTNEXTLINE(google-explicit-constructor): as above.
  NeededKind(const char* name) : NeededKind(std::string(name)) {}

  const std::string& name() const { return name_; }
  /// Among all names of kinds and those that stand for one; behind them for any other word.
  std::size_t place() const { return place_; }

 private:
  std::string name_;
  std::size_t place_;
};

/// What the catalogue says about a rule: the event kinds that it needs, and where it applies
/// (empty lists: everywhere; the engine "any" too). `excused_by`: kinds that may show why the rule
/// does not bind in a run, so that it cannot fail on a subject that does not emit them.
struct RuleFacts {
  std::vector<NeededKind> needs;
  std::vector<std::string> editions;
  std::vector<std::string> engines;
  std::vector<std::string> excused_by = {};
};

using Catalogue = std::map<std::string, RuleFacts, std::less<>>;

/// `rules`: ids to judge; empty for all that have a check. `asks_of_all`: rules look at calls that
/// are no occasion of theirs, too (CallRule::among); the judgements are the same.
struct JudgeOptions {
  std::vector<std::string> rules;
  bool asks_of_all = false;
};

/// Every check of this room, by id.
const std::vector<Rule>& all_rules();
const std::vector<RelationRule>& all_relations();

/// One walk over the trace for all rules; one judgement a rule, in the order of `all_rules`. A rule
/// that `catalogue` does not know applies everywhere and needs nothing.
std::vector<Judgement> judge(const Trace& trace, const Catalogue& catalogue,
                             const JudgeOptions& options = {});

/// Compares the runs of one relation's variants, the first with each other one. Fewer than two
/// traces do not trigger it.
Judgement judge_relation(const RelationRule& rule, std::span<const Trace> traces,
                         const Catalogue& catalogue);

/// The event kind that a name in `needs` stands for: tool_call is hook_call, exec_start is
/// execute_begin, ...
std::string_view kind_of_need(std::string_view need);

}  // namespace plumb::invariants
