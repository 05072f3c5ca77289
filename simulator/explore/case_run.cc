// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/case_run.h"

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace plumb::simulator {

invariants::Catalogue facts_of(const Catalogue& catalogue) {
  invariants::Catalogue facts;
  for (const auto& rule : catalogue.rules()) {
    invariants::RuleFacts& entry = facts[rule.id];
    entry.needs.assign(rule.needs.begin(), rule.needs.end());
    entry.excused_by = rule.excused_by;
    entry.engines = rule.engines;
    for (const auto edition : rule.editions) entry.editions.emplace_back(to_string(edition));
  }
  return facts;
}

namespace {

/// The rules that the scenario names, none of them judged. Relations are judged over all runs.
std::vector<invariants::Judgement> unjudged(const Scenario& scenario, invariants::Verdict verdict,
                                            const std::string& reason) {
  std::vector<invariants::Judgement> judgements;
  const auto& relations = invariants::all_relations();
  for (const auto& rule : scenario.rules) {
    if (std::ranges::any_of(relations, [&](const auto& other) { return other.id == rule.id; })) {
      continue;
    }
    invariants::Judgement judgement;
    judgement.id = rule.id;
    judgement.verdict = verdict;
    judgement.reason = reason;
    judgements.push_back(std::move(judgement));
  }
  return judgements;
}

void play_and_judge(CaseRun& run, Subject& subject, const Variant& variant,
                    const RunOptions& options, const invariants::Catalogue& facts) {
  run.result = subject.run(variant.scenario, options);
  if (!run.result.untestable.empty()) {
    run.judgements =
        unjudged(variant.scenario, invariants::Verdict::untestable, run.result.untestable);
    return;
  }
  run.judgements = invariants::judge(run.result.trace, facts);
  // What the scenario expects was written for the scenario as it stands, played to its end.
  if (variant.name.empty() && run.result.errors.empty())
    run.unmet = unmet_expectations(variant.scenario, run.result.trace);
}

bool names_subject(const std::vector<std::string>& wanted, const Subject& subject) {
  return std::ranges::any_of(wanted, [&subject](const std::string& name) {
    return name == subject.name() || (name == "external" && !subject.is_built_in());
  });
}

/// Why a subject is not asked to play a scenario, or "".
std::string reason_against(const Scenario& scenario, const Subject& subject) {
  if (scenario.engine != subject.engine()) {
    return "the scenario is for the engine " + scenario.engine;
  }
  // The seed is what a scenario is of when it says nothing.
  if (scenario.edition != Edition::seed && !subject.edition().empty() &&
      subject.edition() != to_string(scenario.edition)) {
    return "the scenario is for the edition " + std::string(to_string(scenario.edition));
  }
  const auto& wanted = scenario.subjects;
  if (wanted.empty() || names_subject(wanted, subject)) return "";
  std::string names;
  for (const auto& name : wanted) names += (names.empty() ? "" : ", ") + name;
  return "the scenario is for the subject " + names;
}

CaseRun not_run(const Variant& variant, const Subject& subject, const std::string& reason) {
  CaseRun run;
  run.variant = variant.name;
  run.relation = variant.relation;
  run.result.trace.header.subject = subject.name();
  run.result.trace.header.engine = variant.scenario.engine;
  run.result.trace.header.edition = to_string(variant.scenario.edition);
  run.result.trace.header.seed = static_cast<std::int64_t>(variant.seed);
  run.judgements = unjudged(variant.scenario, invariants::Verdict::not_applicable, reason);
  return run;
}

}  // namespace

CaseRun run_case(Subject& subject, const Variant& variant, const RunOptions& options,
                 const invariants::Catalogue& facts) {
  const auto reason = reason_against(variant.scenario, subject);
  if (!reason.empty()) return not_run(variant, subject, reason);
  RunOptions seeded = options;
  seeded.seed = variant.seed;
  CaseRun run;
  run.variant = variant.name;
  run.relation = variant.relation;
  try {
    play_and_judge(run, subject, variant, seeded, facts);
  } catch (const std::exception& error) {
    run.result.errors.push_back({ErrorCode::protocol,
                                 std::string("the harness failed: ") + error.what(),
                                 variant.scenario.file});
  }
  return run;
}

std::vector<invariants::Judgement> judge_relations(std::span<const CaseRun> runs,
                                                   const invariants::Catalogue& facts) {
  std::vector<invariants::Judgement> judgements;
  for (const auto& rule : invariants::all_relations()) {
    std::vector<Trace> traces;
    for (const auto& run : runs) {
      if (!run.result.untestable.empty()) continue;
      if (run.variant.empty() || run.relation == rule.variants) traces.push_back(run.result.trace);
    }
    judgements.push_back(invariants::judge_relation(rule, traces, facts));
    if (runs.empty() || runs.front().result.untestable.empty()) continue;
    judgements.back().verdict = invariants::Verdict::untestable;
    judgements.back().reason = runs.front().result.untestable;
  }
  return judgements;
}

}  // namespace plumb::simulator
