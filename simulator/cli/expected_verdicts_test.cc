// SPDX-License-Identifier: Apache-2.0
// Entries of an expectations file that speak of how a run ended.
#include "simulator/cli/expected_verdicts.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kToday = "2030-01-01";

Checked<std::vector<ExpectedVerdict>> read(const std::string& entry) {
  ExpectationScope scope;
  scope.rules = {"REG-19", "REG-20"};
  scope.scenarios = {"reg/x"};
  scope.api = "chat";
  scope.today = kToday;
  return read_expected_verdicts("expected:\n  - {" + entry + "}\n", "e.yaml", scope);
}

std::vector<std::string> complaints(const std::string& entry) {
  std::vector<std::string> lines;
  const auto entries = read(entry);
  if (entries) return lines;
  for (const auto& error : entries.error()) lines.push_back(error_line(error));
  return lines;
}

constexpr std::string_view kRest = ", reason: known, expires: \"2030-01-31\"";

std::string entry(const std::string& error) {
  return "rule: REG-19, scenario: reg/x, error: \"" + error + "\"" + std::string(kRest);
}

/// A run of reg/x that ended with an error, and what it showed of REG-19.
reports::Record ended_with(const std::string& error, reports::Verdict verdict) {
  reports::Record record;
  auto& scenario = record.scenarios.emplace_back();
  scenario.id = "reg/x";
  scenario.rules.emplace_back().rule = "REG-19";
  scenario.rules.back().verdict = verdict;
  scenario.errors.push_back({ErrorCode::protocol, error, "x.yaml:7:3"});
  return record;
}

int exit_code(reports::Record& record, const std::string& text, std::string_view today = kToday) {
  const auto entries = read(text);
  EXPECT_TRUE(entries) << error_line(entries.error().front());
  apply_expected(record, *entries, today);
  reports::settle(record);
  return reports::exit_code(record);
}

TEST(ExpectedErrors, AreAFailureThatIsExpectedOfTheirRule) {
  auto record = ended_with("refused: the name 'read ' is none", reports::Verdict::pass);

  EXPECT_EQ(exit_code(record, entry("refused: *")), 0);

  EXPECT_THAT(record.scenarios[0].errors, IsEmpty());
  const auto& verdict = record.scenarios[0].rules.at(0);
  EXPECT_EQ(reports::part_of(verdict), reports::Part::expected_failure);
  EXPECT_EQ(verdict.findings.at(0).message, "refused: the name 'read ' is none");
  EXPECT_EQ(verdict.findings.at(0).where, "x.yaml:7:3");
}

TEST(ExpectedErrors, ThatDoNotHappenAreStale) {
  auto other = ended_with("the adapter exited with code 1", reports::Verdict::pass);
  auto none = ended_with("", reports::Verdict::pass);
  none.scenarios[0].errors.clear();

  EXPECT_EQ(exit_code(other, entry("refused: *")), 3);
  EXPECT_EQ(exit_code(none, entry("refused: *")), 5);

  ASSERT_EQ(none.stale_expectations.size(), 1U);
  EXPECT_EQ(error_line(none.stale_expectations[0]),
            "e.yaml:2:5: the entry for REG-19 matches no error of a run");
  EXPECT_EQ(other.scenarios[0].errors.size(), 1U);
}

TEST(ExpectedErrors, EndWithTheirDate) {
  auto record = ended_with("refused", reports::Verdict::pass);

  EXPECT_EQ(exit_code(record, entry("refused"), "2030-02-01"), 5);
}

TEST(ExpectedErrors, SayWhetherTheirRuleIsBrokenBesides) {
  auto held = ended_with("refused", reports::Verdict::pass);
  auto broken = ended_with("refused", reports::Verdict::fail);
  // As a record has it where a rule is broken.
  broken.scenarios[0].errors.clear();
  broken.scenarios[0].expectation_failures.emplace_back().message = "refused";
  auto unsaid = broken;

  EXPECT_EQ(exit_code(held, entry("refused") + ", verdict: fail"), 5);
  EXPECT_EQ(exit_code(broken, entry("refused") + ", verdict: fail"), 0);
  EXPECT_EQ(exit_code(unsaid, entry("refused")), 5);

  EXPECT_THAT(broken.scenarios[0].expectation_failures, IsEmpty());
}

TEST(ExpectedErrors, MustAllHappen) {
  const std::string rest = ", rule: REG-19, scenario: reg/x" + std::string(kRest);
  auto both = ended_with("refused: a", reports::Verdict::pass);
  both.scenarios[0].errors.push_back({ErrorCode::protocol, "left over: b", "x.yaml:8:3"});
  auto one = ended_with("refused: a", reports::Verdict::pass);

  EXPECT_EQ(exit_code(both, "error: [\"refused: *\", \"left over: *\"]" + rest), 0);
  EXPECT_EQ(exit_code(one, "error: [\"refused: *\", \"left over: *\"]" + rest), 5);
}

TEST(ExpectedVerdicts, OfAnotherApiAreLeftOut) {
  auto record = ended_with("refused", reports::Verdict::pass);

  EXPECT_EQ(exit_code(record, entry("refused") + ", api: messages"), 3);
  EXPECT_EQ(exit_code(record, entry("refused") + ", api: chat"), 0);
  EXPECT_THAT(complaints(entry("x") + ", api: chta"),
              ElementsAre(HasSubstr("unknown API 'chta'; did you mean 'chat'?")));
}

TEST(ExpectedErrors, DoNotCoverWhatIsNotTheSubjects) {
  auto record = ended_with("refused", reports::Verdict::pass);
  record.scenarios[0].errors[0].code = ErrorCode::io;
  auto unmet = ended_with("", reports::Verdict::pass);
  unmet.scenarios[0].errors.clear();
  unmet.scenarios[0].expectation_failures.emplace_back().message = "refused";
  unmet.scenarios[0].expectation_failures[0].expected = "x";

  EXPECT_EQ(exit_code(record, entry("refused")), 3);
  EXPECT_EQ(exit_code(unmet, entry("refused")), 5);
}

TEST(ExpectedErrors, AreWhatTheWholeMessageSays) {
  const auto fits = [](const std::string& pattern) {
    auto record = ended_with("status 400: ids a, b; stop", reports::Verdict::not_triggered);
    return exit_code(record, entry(pattern)) == 0;
  };

  EXPECT_TRUE(fits("status 400: ids a, b; stop"));
  EXPECT_TRUE(fits("status *: ids *; stop*"));
  EXPECT_TRUE(fits("*ids*"));
  EXPECT_FALSE(fits("status 400"));
  EXPECT_FALSE(fits("*stop*status*"));
  EXPECT_FALSE(fits("status 400: ids a, b; stop*stop"));
}

TEST(ExpectedErrors, AreRefusedWhereTheySayTooLittle) {
  const std::string rest(kRest);

  EXPECT_THAT(complaints("rule: REG-19, error: \"x\"" + rest),
              ElementsAre("e.yaml:2:5: missing key 'scenario', which 'error' needs"));
  EXPECT_THAT(complaints("scenario: reg/x, error: \"x\"" + rest),
              ElementsAre("e.yaml:2:5: missing key 'rule', which 'error' needs"));
  EXPECT_THAT(complaints(entry("x") + ", verdict: pass"),
              ElementsAre(HasSubstr("beside 'error' the verdict must be 'fail'")));
  EXPECT_THAT(complaints("rule: REG-19, scenario: reg/x, error: []" + rest),
              ElementsAre(HasSubstr("must be a text that is not empty, or a list of such")));
  EXPECT_THAT(complaints(entry(" * ")), ElementsAre(HasSubstr("must name words of the error")));
  EXPECT_THAT(complaints(entry("")), ElementsAre(HasSubstr("must be a text that is not empty")));
  EXPECT_THAT(complaints("rule: REG-19, scenario: reg/x, eror: \"x\"" + rest),
              ElementsAre(HasSubstr("unknown key 'eror'; did you mean 'error'?")));
}

}  // namespace
}  // namespace plumb::simulator
