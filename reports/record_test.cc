// SPDX-License-Identifier: Apache-2.0
#include "reports/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/sample_records.h"

namespace plumb::reports {
namespace {

Record record_with(std::vector<RuleVerdict> rules) {
  return sample_record({sample_scenario("a", std::move(rules))});
}

RuleVerdict expected_verdict(Verdict verdict, bool is_stale) {
  RuleVerdict made = sample_verdict("R-1", verdict);
  made.expected_by = ExpectedBy{"e.yaml:1", Verdict::fail, "known", "2026-12-01", is_stale};
  return made;
}

TEST(Verdict, IsSpelledLikeItsEnumerator) {
  std::vector<std::string> names;
  for (const Verdict verdict : kVerdicts) {
    names.emplace_back(to_string(verdict));
    EXPECT_EQ(verdict_from_string(to_string(verdict)), verdict);
  }

  EXPECT_THAT(names, testing::ElementsAre("pass", "fail", "not_triggered", "untestable",
                                          "not_applicable", "harness_error"));
  EXPECT_EQ(verdict_from_string("Pass"), std::nullopt);
}

TEST(ErrorCodeNames, ReadBackForEveryCode) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::stuck); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(error_code_from_string(to_string(code)), code);
  }
}

TEST(PartOf, FollowsTheVerdictWithoutExpectation) {
  for (const Verdict verdict : kVerdicts) {
    EXPECT_EQ(to_string(part_of(sample_verdict("R-1", verdict))), to_string(verdict));
  }
}

TEST(PartOf, TurnsAnExpectedFailIntoAnExpectedFailure) {
  EXPECT_EQ(part_of(expected_verdict(Verdict::fail, false)), Part::expected_failure);
  EXPECT_EQ(part_of(expected_verdict(Verdict::pass, false)), Part::pass);
}

TEST(PartOf, IsStaleWhateverTheVerdictWhenTheExpectationIs) {
  for (const Verdict verdict : kVerdicts) {
    EXPECT_EQ(part_of(expected_verdict(verdict, true)), Part::stale);
  }
}

TEST(PartOf, FailsAClaimedRuleThatIsUntestable) {
  RuleVerdict verdict = sample_verdict("R-1", Verdict::untestable);
  verdict.is_claimed = true;

  EXPECT_EQ(part_of(verdict), Part::fail);
}

TEST(Summarise, CountsEachVerdictInOnePart) {
  std::vector<RuleVerdict> rules;
  for (const Verdict verdict : kVerdicts) {
    rules.push_back(sample_verdict("R-" + std::string(to_string(verdict)), verdict));
  }
  rules.push_back(expected_verdict(Verdict::fail, false));
  rules.push_back(expected_verdict(Verdict::pass, true));

  const Summary summary = summarise(record_with(rules));

  EXPECT_EQ(summary.passed, 1);
  EXPECT_EQ(summary.failed, 3) << "fail, harness error, stale";
  EXPECT_EQ(summary.skipped, 4) << "not triggered, untestable, not applicable, expected failure";
  EXPECT_EQ(summary.passed + summary.failed + summary.skipped, std::ssize(rules));
}

TEST(Summarise, CountsWhatBelongsToNoRule) {
  Record record = record_with({});
  record.scenarios[0].expectation_failures.resize(2);
  record.scenarios[0].errors.resize(1);
  record.stale_expectations.resize(1);
  record.diagnostics = {{Severity::error, "", "x"}, {Severity::warning, "", "y"}};

  const Summary summary = summarise(record);

  EXPECT_EQ(summary.fail, 2);
  EXPECT_EQ(summary.harness_error, 2);
  EXPECT_EQ(summary.stale, 1);
  EXPECT_EQ(summary.failed, 5);
}

TEST(Summarise, CountsARuleOnceAndAsFailedWhenAnyVerdictIs) {
  const Record record = sample_record({
      sample_scenario("a",
                      {sample_verdict("R-1", Verdict::pass), sample_verdict("R-2", Verdict::pass)}),
      sample_scenario("b",
                      {sample_verdict("R-1", Verdict::pass), sample_verdict("R-2", Verdict::fail),
                       sample_verdict("R-3", Verdict::not_triggered)}),
  });

  EXPECT_EQ(record.summary.rules, 3);
  EXPECT_EQ(record.summary.rules_passed, 1);
  EXPECT_EQ(record.summary.rules_failed, 1);
}

TEST(Summarise, CountsAScenarioThatWasNotRun) {
  Record record = record_with({});
  record.scenarios[0].skip_reason = "needs Node";

  EXPECT_EQ(summarise(record).not_run, 1);
  EXPECT_EQ(summarise(record).skipped, 1);
}

TEST(StatusOf, IsFailedThenPassedThenSkipped) {
  const RuleVerdict pass = sample_verdict("R-1", Verdict::pass);
  const RuleVerdict fail = sample_verdict("R-2", Verdict::fail);
  const RuleVerdict idle = sample_verdict("R-3", Verdict::not_triggered);

  EXPECT_EQ(status_of(sample_scenario("a", {pass, fail, idle})), ScenarioStatus::failed);
  EXPECT_EQ(status_of(sample_scenario("a", {pass, idle})), ScenarioStatus::passed);
  EXPECT_EQ(status_of(sample_scenario("a", {idle})), ScenarioStatus::skipped);
}

TEST(ExitCode, IsTwoWhenNothingWasSelectedOrTriggered) {
  EXPECT_EQ(exit_code(nothing_selected_record()), 2);
  EXPECT_EQ(exit_code(record_with({sample_verdict("R-1", Verdict::not_triggered),
                                   sample_verdict("R-2", Verdict::untestable)})),
            2);
}

TEST(ExitCode, IsZeroForPassesAndForExpectedFailures) {
  EXPECT_EQ(exit_code(all_pass_record()), 0);
  EXPECT_EQ(exit_code(record_with({expected_verdict(Verdict::fail, false)})), 0);
}

TEST(ExitCode, TakesTheFirstThatApplies) {
  Record record = record_with({sample_verdict("R-1", Verdict::pass)});
  EXPECT_EQ(exit_code(record), 0);

  record.scenarios[0].rules.push_back(sample_verdict("R-2", Verdict::fail));
  EXPECT_EQ(exit_code(record), 1);
  record.scenarios[0].rules.push_back(expected_verdict(Verdict::pass, true));
  EXPECT_EQ(exit_code(record), 5);
  record.scenarios[0].errors.push_back({ErrorCode::exhausted, "script is exhausted", ""});
  EXPECT_EQ(exit_code(record), 3);
  record.diagnostics.push_back(input_error({ErrorCode::not_found, "no such file", "x.yaml"}));
  EXPECT_EQ(exit_code(record), 4);
}

TEST(ExitCode, IsFourForAnInvalidScenarioAndThreeForAnUnwritableReport) {
  Record record = record_with({sample_verdict("R-1", Verdict::pass)});
  record.scenarios[0].errors = {{ErrorCode::invalid, "unknown key", "x.yaml:1:1"}};
  EXPECT_EQ(exit_code(record), 4);

  record = record_with({sample_verdict("R-1", Verdict::pass)});
  record.diagnostics = {run_error({ErrorCode::io, "cannot write", "out.xml"})};
  EXPECT_EQ(exit_code(record), 3);
}

TEST(Settle, OrdersScenariosByFileThenVariantThenSeed) {
  Record record = sample_record({sample_scenario("b", {}), sample_scenario("a", {}),
                                 sample_scenario("a", {}), sample_scenario("a", {})});
  record.scenarios[0].seed = 10;
  record.scenarios[1].seed = 9;
  record.scenarios[2].variant = "v";

  settle(record);

  std::vector<std::string> labels;
  for (const ScenarioResult& scenario : record.scenarios) labels.push_back(label_of(scenario));
  EXPECT_THAT(labels, testing::ElementsAre("a seed 9", "a seed 10", "a [v]", "b"));
}

TEST(Merged, IsWhatOneMachineWouldHaveRecorded) {
  const Record whole = one_failure_record();
  Record first = whole;
  Record second = whole;
  first.scenarios.pop_back();
  second.scenarios.erase(second.scenarios.begin());
  first.duration_ms = whole.duration_ms - 1;
  second.duration_ms = 1;

  EXPECT_EQ(merged({first, second}), whole);
  EXPECT_EQ(merged({second, first}), whole);
}

TEST(Merged, KeepsAnEntryStaleOnlyWhenNoShardMatchedIt) {
  Record first = stale_record();
  Record second = all_pass_record();
  const Error both{ErrorCode::not_found, "no rule 'X' was judged", "expectations.yaml:1"};
  first.stale_expectations.push_back(both);
  second.stale_expectations = {both};

  const Result<Record> whole = merged({first, second});

  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_THAT(whole->stale_expectations, testing::ElementsAre(both));
}

TEST(Merged, RefusesRecordsOfDifferentRuns) {
  Record other = all_pass_record();
  other.edition = "pi-1.6.0";

  EXPECT_FALSE(merged({}));
  EXPECT_FALSE(merged({all_pass_record(), other}));
}

TEST(DomainOf, IsTheFolderOfTheFile) {
  EXPECT_EQ(domain_of("scenarios/edit/x.yaml"), "edit");
  EXPECT_EQ(domain_of("edit/x.yaml"), "edit");
  EXPECT_EQ(domain_of("./x.yaml"), "scenarios");
  EXPECT_EQ(domain_of("x.yaml"), "scenarios");
  EXPECT_EQ(domain_of(""), "scenarios");
}

TEST(LabelOf, NamesWhatMakesTheRunUnique) {
  ScenarioResult scenario = sample_scenario("a", {});
  EXPECT_EQ(label_of(scenario), "a");

  scenario.variant = "v";
  scenario.seed = 7;
  scenario.schedule = "0,1";
  EXPECT_EQ(label_of(scenario), "a [v] seed 7 schedule 0,1");
}

}  // namespace
}  // namespace plumb::reports
