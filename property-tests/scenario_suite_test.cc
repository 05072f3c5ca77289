// SPDX-License-Identifier: Apache-2.0
// The whole suite on the reference engine: green, triggered, short, and the same bytes in every
// run.
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "engine/trace/jsonl.h"
#include "property-tests/repository_suite.h"
#include "reports/json.h"
#include "simulator/cli/suite.h"
#include "simulator/explore/case_run.h"
#include "simulator/explore/sweeps.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

SuiteOptions options(std::int64_t jobs) {
  SuiteOptions suite;
  suite.jobs = jobs;
  suite.make_subject = [] { return std::make_unique<SessionSubject>(); };
  return suite;
}

std::string record_text(std::int64_t jobs) {
  reports::Record record;
  record.scenarios =
      play_suite(repository_suite().scenarios, options(jobs), repository_suite().catalogue)
          .scenarios;
  reports::settle(record);
  return reports::json_text(record, {.has_timings = false});
}

void expect_green(const reports::ScenarioResult& scenario) {
  for (const auto& verdict : scenario.rules) {
    EXPECT_NE(verdict.verdict, reports::Verdict::fail)
        << scenario.file << " " << scenario.variant << " breaks " << verdict.rule << ": "
        << (verdict.findings.empty() ? "" : verdict.findings.front().message);
  }
  for (const auto& unmet : scenario.expectation_failures) {
    ADD_FAILURE() << unmet.where << ": " << scenario.variant << ": " << unmet.message
                  << ": expected " << unmet.expected << ", got " << unmet.actual;
  }
  for (const auto& error : scenario.errors) ADD_FAILURE() << error.where << ": " << error.message;
}

TEST(ScenarioSuite, IsGreen) {
  const auto& suite = repository_suite();
  const auto played = play_suite(suite.scenarios, options(2), suite.catalogue);

  for (const auto& scenario : played.scenarios) expect_green(scenario);
}

struct Swept {
  std::int64_t scenarios = 0;
  std::int64_t points = 0;
};

/// Plays each scenario once for each of its points. One at which something is wrong is a result of
/// its own: a rule fails, a call has not just one result, something is left alive (problems_of).
Swept sweep_all(SweepKind kind) {
  const auto& suite = repository_suite();
  SuiteOptions everywhere = options(2);
  everywhere.sweep = kind;
  Swept swept;
  for (const auto& scenario : play_suite(suite.scenarios, everywhere, suite.catalogue).scenarios) {
    expect_green(scenario);
    const auto covered = scenario.exploration.value_or(reports::Exploration());
    const std::int64_t points = covered.points_total.value_or(0);
    swept.scenarios += points > 0 ? 1 : 0;
    swept.points += points;
  }
  return swept;
}

TEST(ScenarioSuite, IsGreenWhereverItIsAborted) {
  const auto swept = sweep_all(SweepKind::abort);

  EXPECT_GE(swept.scenarios, 40);
  EXPECT_GT(swept.points, 1000);
}

TEST(ScenarioSuite, IsGreenWhicheverFileOperationFails) {
  const auto swept = sweep_all(SweepKind::fail);

  EXPECT_GE(swept.scenarios, 40);
  EXPECT_GT(swept.points, 500);
}

/// A rule that a scenario names passes in it; a relation rule is judged over its variants.
TEST(ScenarioSuite, TriggersEveryRuleItNames) {
  const auto& suite = repository_suite();
  const auto& facts = suite.facts;
  SessionSubject subject;

  for (const auto& scenario : suite.scenarios) {
    std::vector<CaseRun> runs;
    for (const auto& variant : variants_of(scenario, 0)) {
      runs.push_back(run_case(subject, variant, {}, facts));
    }
    auto judgements = runs.front().judgements;
    const auto relations = judge_relations(runs, facts);
    judgements.insert(judgements.end(), relations.begin(), relations.end());
    for (const auto& rule : scenario.rules) {
      const auto found = std::ranges::find(judgements, rule.id, &invariants::Judgement::id);
      ASSERT_NE(found, judgements.end())
          << scenario.file << " names " << rule.id << ", which nothing judges";
      EXPECT_EQ(found->verdict, invariants::Verdict::pass)
          << scenario.file << " names " << rule.id << ", which is "
          << invariants::to_string(found->verdict);
    }
  }
}

TEST(ScenarioSuite, GivesTheSameTraceTwice) {
  SessionSubject subject;
  for (const auto& scenario : repository_suite().scenarios) {
    for (const std::uint64_t seed : {0U, 7U}) {
      RunOptions run;
      run.seed = seed;
      EXPECT_EQ(write_trace(subject.run(scenario, run).trace),
                write_trace(subject.run(scenario, run).trace))
          << scenario.file << " seed " << seed;
    }
  }
}

TEST(ScenarioSuite, GivesTheSameRecordWithAnyNumberOfJobs) {
  EXPECT_EQ(record_text(1), record_text(2));
}

/// A trace that was written and read again is judged alike: one code path for memory and disk.
TEST(ScenarioSuite, JudgesATraceFromDiskLikeOneInMemory) {
  const auto& facts = repository_suite().facts;
  SessionSubject subject;
  for (const auto& scenario : repository_suite().scenarios) {
    const auto trace = subject.run(scenario, {}).trace;
    const auto read = read_trace(write_trace(trace), scenario.file);
    ASSERT_TRUE(read) << scenario.file << ": " << read.error().message;
    EXPECT_EQ(invariants::judge(trace, facts), invariants::judge(*read, facts)) << scenario.file;
  }
}

/// What a rule passes over without a look could not have broken it.
TEST(ScenarioSuite, PassesOverNoOccasionOfARule) {
  const auto& facts = repository_suite().facts;
  const invariants::JudgeOptions all_calls{.rules = {}, .asks_of_all = true};
  SessionSubject subject;
  for (const auto& scenario : repository_suite().scenarios) {
    const auto trace = subject.run(scenario, {}).trace;
    EXPECT_EQ(invariants::judge(trace, facts), invariants::judge(trace, facts, all_calls))
        << scenario.file;
  }
}

void expect_no_failure(const Trace& trace, const std::string& how) {
  for (const auto& judgement : invariants::judge(trace, repository_suite().facts)) {
    EXPECT_NE(judgement.verdict, invariants::Verdict::fail)
        << how << " breaks " << judgement.id << ": "
        << (judgement.findings.empty() ? "" : judgement.findings.front().message);
  }
}

/// The engine's own limit is a cause (RESULT-16).
TEST(ScenarioSuite, HoldsItsRulesWhereCallsAreNestedTooDeeply) {
  constexpr std::string_view kScenario = R"(# SPDX-License-Identifier: Apache-2.0
scenario: a tool that calls itself
rules: [RESULT-16]
tools:
  sdk:
    - name: again
      description: calls itself
      parameters: {type: object}
      reachesTools: [again]
      do: [{call_tool: {tool: again, args: {}}}]
steps:
  - user: go
  - model: {calls: [{id: c1, tool: again, args: {}}]}
  - model: done
)";
  const auto scenario = parse_scenario(kScenario, "deep.yaml", repository_suite().catalogue);
  ASSERT_TRUE(scenario.has_value());
  SessionSubject subject;

  const Trace trace = subject.run(*scenario, {}).trace;

  expect_no_failure(trace, "deep.yaml");
  EXPECT_TRUE(write_trace(trace).contains("nested too deeply"));
}

/// Other orders of what is concurrent break no rule either.
TEST(ScenarioSuite, HoldsItsRulesUnderOtherSeeds) {
  SessionSubject subject;
  for (const auto& scenario : repository_suite().scenarios) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      RunOptions run;
      run.seed = seed;
      expect_no_failure(subject.run(scenario, run).trace,
                        scenario.file + " --seed " + std::to_string(seed));
    }
  }
}

std::int64_t line_count(const std::string& file) {
  std::ifstream in(file);
  std::int64_t lines = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  return lines;
}

TEST(ScenarioSuite, ReadsInOneLook) {
  std::vector<std::int64_t> lengths;
  for (const auto& scenario : repository_suite().scenarios) {
    lengths.push_back(line_count(scenario.file));
  }
  ASSERT_GE(lengths.size(), 60U);
  std::ranges::sort(lengths);

  EXPECT_LT(lengths[lengths.size() / 2], 25);
}

}  // namespace
}  // namespace plumb::simulator
