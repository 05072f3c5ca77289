// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/case_run.h"

#include <exception>
#include <utility>

namespace plumb::simulator {

invariants::Catalogue facts_of(const Catalogue& catalogue) {
  invariants::Catalogue facts;
  for (const auto& rule : catalogue.rules()) {
    invariants::RuleFacts& entry = facts[rule.id];
    entry.needs = rule.needs;
    entry.engines = rule.engines;
    for (const auto edition : rule.editions) entry.editions.emplace_back(to_string(edition));
  }
  return facts;
}

namespace {

void play_and_judge(CaseRun& run, Subject& subject, const Variant& variant,
                    const RunOptions& options, const invariants::Catalogue& facts) {
  run.result = subject.run(variant.scenario, options);
  run.judgements = invariants::judge(run.result.trace, facts);
  // What the scenario expects was written for the scenario as it stands, played to its end.
  if (variant.name.empty() && run.result.errors.empty())
    run.unmet = unmet_expectations(variant.scenario, run.result.trace);
}

}  // namespace

CaseRun run_case(Subject& subject, const Variant& variant, const RunOptions& options,
                 const invariants::Catalogue& facts) {
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
      if (run.variant.empty() || run.relation == rule.variants) traces.push_back(run.result.trace);
    }
    judgements.push_back(invariants::judge_relation(rule, traces, facts));
  }
  return judgements;
}

}  // namespace plumb::simulator
