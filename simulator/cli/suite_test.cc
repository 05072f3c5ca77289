// SPDX-License-Identifier: Apache-2.0
// What a suite says of runs that did not do what was asked for.
#include "simulator/cli/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/cli/whole_number.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Catalogue& catalogue() {
  static const Catalogue loaded = load_catalogue("scenarios/rules").value();
  return loaded;
}

Scenario scenario(const std::string& rules) {
  const std::string text = "scenario: one read\nrules: [" + rules +
                           "]\nfiles: {a.txt: x}\nsteps:\n  - user: read it\n  - model: {calls: "
                           "[{id: c1, tool: read, args: {path: a.txt}}]}\n  - model: done\n";
  auto parsed = parse_scenario(text, "x/scenarios/a.yaml", catalogue());
  EXPECT_TRUE(parsed) << error_line(parsed.error().front());
  return parsed ? *std::move(parsed) : Scenario();
}

SuiteOptions options() {
  SuiteOptions options;
  options.make_subject = [] { return std::make_unique<SessionSubject>(); };
  return options;
}

/// The record of one scenario, settled.
reports::Record played(const std::string& rules, const SuiteOptions& options) {
  const std::vector<Scenario> scenarios{scenario(rules)};
  auto result = play_suite(scenarios, options, catalogue());
  reports::Record record;
  record.scenarios = std::move(result.scenarios);
  record.diagnostics = std::move(result.diagnostics);
  reports::settle(record);
  return record;
}

TEST(Suite, WarnsOfARuleThatNoRunTriggers) {
  const auto record = played("EVENT-01, EDIT-08", options());

  ASSERT_EQ(record.diagnostics.size(), 1U);
  EXPECT_EQ(record.diagnostics[0],
            (reports::Diagnostic{reports::Severity::warning, "x/scenarios/a.yaml:2:19",
                                 "rule 'EDIT-08' is named and never "
                                 "triggered"}));
  EXPECT_EQ(reports::exit_code(record), 0);
  EXPECT_THAT(played("EVENT-01", options()).diagnostics, IsEmpty());
}

TEST(Suite, SelectsNothingByAPointThatNoRunHas) {  // DESIGN.md section 6: 2
  for (const auto kind : {SweepKind::abort, SweepKind::fail}) {
    SuiteOptions beyond = options();
    beyond.sweep = kind;
    beyond.sweep_at = 1000;
    const auto record = played("EVENT-01", beyond);

    ASSERT_EQ(record.scenarios.size(), 1U);
    EXPECT_THAT(record.scenarios[0].skip_reason,
                HasSubstr("-at 1000 lies beyond its points, 1 to"));
    EXPECT_EQ(record.summary.not_run, 1);
    EXPECT_EQ(reports::exit_code(record), 2);

    beyond.sweep_at = 1;
    EXPECT_EQ(reports::exit_code(played("EVENT-01", beyond)), 0);
  }
}

TEST(Suite, SelectsNothingOfARunWithoutOperations) {
  SuiteOptions failing = options();
  failing.sweep = SweepKind::fail;
  failing.sweep_at = 1;
  const std::string text =
      "scenario: no file\nrules: [EVENT-01]\nsteps: [{user: hi}, {model: hello}]\n";
  const std::vector<Scenario> scenarios{parse_scenario(text, "a.yaml", catalogue()).value()};
  const auto result = play_suite(scenarios, failing, catalogue());

  ASSERT_EQ(result.scenarios.size(), 1U);
  EXPECT_EQ(result.scenarios[0].skip_reason, "--fail-at 1 needs a point, and it has none");
}

TEST(Suite, DoesNotPassASweepThatStoppedBeforeItsEnd) {
  SuiteOptions some = options();
  some.sweep = SweepKind::abort;
  some.sweep_points_max = 2;
  const auto record = played("EVENT-01", some);

  ASSERT_EQ(record.scenarios.size(), 1U);
  ASSERT_EQ(record.scenarios[0].errors.size(), 1U);
  EXPECT_THAT(record.scenarios[0].errors[0].message, HasSubstr("the sweep stopped after 2 of "));
  EXPECT_EQ(reports::exit_code(record), 3);
}

TEST(WholeNumber, IsDecimalDigitsAlone) {
  EXPECT_EQ(whole_number("0"), 0U);
  EXPECT_EQ(whole_number("42"), 42U);
  EXPECT_EQ(whole_number("18446744073709551615"), 18446744073709551615U);
  for (const char* text : {"", " 3", "3 ", "+3", "-3", "-0", "0x10", "010", "00", "1e3", "1.0",
                           "1'0", "3a", "18446744073709551616"}) {
    EXPECT_FALSE(whole_number(text)) << text;
  }
}

}  // namespace
}  // namespace plumb::simulator
