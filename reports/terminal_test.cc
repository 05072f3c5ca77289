// SPDX-License-Identifier: Apache-2.0
#include "reports/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/card.h"
#include "reports/sample_records.h"
#include "reports/text.h"

namespace plumb::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Card long_card() {
  Card card;
  const std::string text(2000, 'w');
  const std::string lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  card.rule = "EDIT-03";
  card.title = card.location = card.scenario = card.related = card.setting = card.more = text;
  card.sentence = card.message = card.event = text + " " + text;
  card.expected = card.actual = lines;
  for (int i = 0; i < 30; ++i) card.reproduce += "--flag" + std::to_string(i) + " ";
  return card;
}

TEST(FailureCard, HasAtMost25LinesOf100Columns) {
  std::vector<Card> cards{long_card()};
  for (const NamedRecord& sample : sample_records()) {
    for (const ScenarioResult& scenario : sample.record.scenarios) {
      for (const Card& card : cards_of(scenario)) cards.push_back(card);
    }
  }
  for (const Card& card : cards) {
    const std::vector<std::string> lines = card_lines(card, {});
    EXPECT_LE(std::ssize(lines), kCardLinesMax);
    for (const std::string& line : lines) EXPECT_LE(columns_of(line), kCardColumnsMax) << line;
  }
}

TEST(FailureCard, FillsAllItsLinesAtMost) {
  EXPECT_EQ(std::ssize(card_lines(long_card(), {})), kCardLinesMax);
}

TEST(FailureCard, ShowsLongTextsFromTheirFirstDifference) {
  Card lines;
  lines.expected = "1\n2\n3\n4\n5\n6\nA\n";
  lines.actual = "1\n2\n3\n4\n5\n6\nB\n";
  Card words;
  words.expected = std::string(500, 'w') + "x";
  words.actual = std::string(500, 'w') + "yz";

  EXPECT_THAT(card_text(lines, {}), HasSubstr("line 7: A"));
  EXPECT_THAT(card_text(lines, {}), HasSubstr("line 7: B"));
  EXPECT_THAT(card_text(words, {}), HasSubstr("..." + std::string(30, 'w') + "x\n"));
  EXPECT_THAT(card_text(words, {}), HasSubstr("..." + std::string(30, 'w') + "yz\n"));
}

TEST(FailureCard, ShowsTheFirstDivergentEventOfAllFindings) {
  const ScenarioResult scenario = one_failure_record().scenarios.at(0);

  const Card card = rule_card(scenario, scenario.rules.at(0));

  EXPECT_EQ(card.event, "#17 file_op write notes.txt begin (trace line 18)");
  EXPECT_EQ(card.related, "#12, #15");
  EXPECT_EQ(card.more, "1 more of this rule in the record");
  EXPECT_EQ(card.setting,
            "reference, engine session, edition seed, seed 0, schedule 0,1,0,2, hermetic");
}

TEST(FailureCard, KeepsACommandThatDoesNotFitInOnePiece) {
  Card card;
  card.reproduce = "plumb run " + std::string(500, 'x');
  for (int i = 0; i < 60; ++i) card.reproduce += " --flag" + std::to_string(i);

  const std::vector<std::string> lines = card_lines(card, {});

  EXPECT_THAT(lines.back(), HasSubstr(card.reproduce));
}

TEST(FailureCard, ExplainsAStaleExpectation) {
  const ScenarioResult scenario = stale_record().scenarios.at(0);

  const Card card = cards_of(scenario).at(0);

  EXPECT_EQ(card.part, Part::stale);
  EXPECT_EQ(card.message, "the expectation is stale: known to be broken (until 2026-12-01)");
  EXPECT_EQ(card.expected, "fail");
  EXPECT_EQ(card.actual, "pass");
  EXPECT_EQ(card.location, "expectations.yaml:2");
}

std::string last_line(const std::string& text) {
  const std::vector<std::string> lines = split_lines(text);
  return lines.at(lines.size() - 2);
}

TEST(TerminalReport, EndsInExactlyTheTotal) {
  EXPECT_EQ(last_line(terminal_text(all_pass_record())), "3 passed, 0 failed, 0 skipped");
  EXPECT_EQ(last_line(terminal_text(one_failure_record())), "2 passed, 2 failed, 4 skipped");
  EXPECT_EQ(last_line(terminal_text(harness_error_record())), "0 passed, 3 failed, 1 skipped");
  EXPECT_EQ(last_line(terminal_text(nothing_selected_record())), "0 passed, 0 failed, 0 skipped");
  EXPECT_EQ(last_line(terminal_text(stale_record())), "0 passed, 2 failed, 0 skipped");
}

TEST(TerminalReport, PrintsEveryPartOfTheRate) {
  EXPECT_EQ(parts_text(one_failure_record().summary),
            "2 pass, 2 fail, 0 harness error, 0 stale, 1 not triggered, 1 untestable, "
            "1 not applicable, 1 expected failure, 0 not run of 8");
}

TEST(TerminalReport, PrintsNothingAboutAScenarioThatPasses) {
  std::string text;
  TerminalReporter reporter([&text](std::string_view part) { text += part; });

  reporter.scenario_finished(all_pass_record().scenarios.at(0));

  EXPECT_EQ(text, "");
}

TEST(TerminalReport, GivesFiveCardsAScenarioAndALineToTheRest) {
  std::vector<RuleVerdict> rules;
  for (int i = 0; i < 7; ++i) {
    rules.push_back(sample_verdict("R-" + std::to_string(i), Verdict::fail));
  }

  const std::string text = terminal_text(sample_record({sample_scenario("a", rules)}));

  EXPECT_THAT(text, HasSubstr("FAIL R-4"));
  EXPECT_THAT(text, Not(HasSubstr("FAIL R-5")));
  EXPECT_THAT(text, HasSubstr("  also R-5  scenarios/edit/a.yaml:1"));
  EXPECT_THAT(text, HasSubstr("  also R-6"));
}

TEST(TerminalReport, UsesColorAndUnicodeOnlyWhenTold) {
  const std::string plain = terminal_text(hostile_text_record(), {.unicode = false});
  const std::string colored = terminal_text(hostile_text_record(), {.has_color = true});

  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  EXPECT_TRUE(
      std::ranges::all_of(plain, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
  EXPECT_THAT(colored, HasSubstr("\x1b[31mFAIL EDIT-05"));
}

TEST(TerminalReport, KeepsToANarrowTerminal) {
  const std::string text = terminal_text(all_pass_record(), {.columns = 60});

  for (const std::string& line : split_lines(text)) EXPECT_LE(columns_of(line), 60) << line;
}

TEST(ProgressLine, PrintsAtMostOnceInATenthOfASecond) {
  std::vector<std::string> printed;
  ProgressLine progress([&](std::string_view text) { printed.emplace_back(text); }, {}, true);

  progress.update(1000, 1, 3, "edit");
  progress.update(1099, 2, 3, "edit");
  progress.update(1100, 3, 0, "e");

  EXPECT_THAT(printed, ElementsAre("\r1/3  edit", "\r3  e     "));
}

TEST(ProgressLine, ErasesItselfOnce) {
  std::vector<std::string> printed;
  ProgressLine progress([&](std::string_view text) { printed.emplace_back(text); }, {}, true);

  progress.update(0, 1, 3, "x");
  progress.clear();
  progress.clear();

  EXPECT_THAT(printed, ElementsAre("\r1/3  x", "\r      \r"));
}

TEST(ProgressLine, IsSilentWhenNotOnATerminal) {
  std::string text;
  ProgressLine progress([&text](std::string_view part) { text += part; }, {}, false);

  progress.update(0, 1, 3, "x");
  progress.clear();

  EXPECT_EQ(text, "");
}

TEST(ProgressLine, GivesWayToTheReport) {
  std::string text;
  const TextSink sink = [&text](std::string_view part) { text += part; };
  ProgressLine progress(sink, {}, true);
  TerminalReporter reporter(sink, {}, &progress);

  progress.update(0, 1, 3, "x");
  reporter.scenario_finished(one_failure_record().scenarios.at(0));

  EXPECT_THAT(text, testing::StartsWith("\r1/3  x\r      \r\n"));
}

}  // namespace
}  // namespace plumb::reports
