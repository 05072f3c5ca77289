// SPDX-License-Identifier: Apache-2.0
// The full matrix: every wrong engine over every scenario, not only over those that name its rule.
// Each is caught by its rule, and none hangs or breaks the harness.
#include <iostream>
#include <set>

#include <gtest/gtest.h>

#include "property-tests/mutants/mutant.h"
#include "property-tests/repository_suite.h"
#include "simulator/cli/suite.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

/// Steps after which a run of a broken engine is cut; what it did until then is judged.
constexpr std::int64_t kStepsMax = 20'000;

/// The rules that fail anywhere in the suite.
std::set<std::string> tripped_by(const Mutant& mutant) {
  SuiteOptions options;
  options.alterations = mutant.alterations;
  options.step_max = kStepsMax;
  options.make_subject = [] { return std::make_unique<SessionSubject>(); };
  const auto& suite = repository_suite();
  std::set<std::string> tripped;
  for (const auto& result : play_suite(suite.scenarios, options, suite.catalogue).scenarios) {
    for (const auto& verdict : result.rules) {
      if (verdict.verdict == reports::Verdict::fail) tripped.insert(verdict.rule);
    }
  }
  return tripped;
}

TEST(MutantMatrix, EveryWrongEngineIsCaughtByItsRuleInTheWholeSuite) {
  for (const auto& mutant : all_mutants()) {
    if (mutant.is_race) continue;  // Its own scenarios explore all schedules in mutants_test.
    const auto tripped = tripped_by(mutant);

    EXPECT_TRUE(tripped.contains(mutant.rule)) << mutant.name << " survives " << mutant.rule;
    std::cout << mutant.name << ": " << tripped.size() << " rules\n";
  }
}

}  // namespace
}  // namespace plumb::simulator
