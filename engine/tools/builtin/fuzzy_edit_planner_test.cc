// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/fuzzy_edit_planner.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

using FuzzyEdits = std::vector<TextEdit>;

std::string fuzzily_applied(std::string_view text, const FuzzyEdits& edits) {
  const EditPlan plan = plan_edits_pi(text, edits);
  EXPECT_EQ(plan.problem, EditProblem::none) << describe_problem(plan, "f", 2);
  return plan.bytes;
}

/// The problem's class, the edit and the count of places.
std::string fuzzily_refused(std::string_view text, const FuzzyEdits& edits) {
  const EditPlan plan = plan_edits_pi(text, edits);
  EXPECT_EQ(plan.bytes, "");
  return std::string(to_string(plan.problem)) + " " + std::to_string(plan.edit) + " " +
         std::to_string(plan.count);
}

TEST(FuzzyEditPlanner, TakesAnExactTextAsItIs) {  // EDIT-58
  EXPECT_EQ(fuzzily_applied("a  \nb\u201d \n", {{"b", "c"}}), "a  \nc\u201d \n");
  EXPECT_EQ(fuzzily_applied("foo  bar\n", {{"foo  ", "x "}}), "x bar\n");
}

TEST(FuzzyEditPlanner, FindsWhatOnlyItsNormalisedFormFits) {  // EDIT-58, EDIT-59
  EXPECT_EQ(fuzzily_applied("x = \u201cvalue\u201d\n", {{"\"value\"", "y"}}), "x = y\n");
  EXPECT_EQ(fuzzily_applied("if x:\n    y\nz\n", {{"if x:  \n    y  \nz", "Q"}}), "Q\n");
  EXPECT_EQ(fuzzily_applied("x\n", {{"\uff58", "y"}}), "y\n");
}

TEST(FuzzyEditPlanner, SearchesTheNormalisedFileForTheTextAsWrittenFirst) {  // EDIT-58, EDIT-61
  EXPECT_EQ(fuzzily_applied("foo\u00a0bar\n", {{"foo ", "x "}}), "x bar\n");
}

TEST(FuzzyEditPlanner, DoesNotFindOtherBlanksOrLetters) {  // EDIT-60
  EXPECT_EQ(fuzzily_refused("a  b\n", {{"a b", "c"}}), "not_found 0 0");
  EXPECT_EQ(fuzzily_refused("\tx\n", {{"    x", "c"}}), "not_found 0 0");
  EXPECT_EQ(fuzzily_refused("name\n", {{"Name", "c"}}), "not_found 0 0");
  EXPECT_EQ(fuzzily_refused("a\u200bb\n", {{"ab", "c"}}), "not_found 0 0");
}

TEST(FuzzyEditPlanner, MovesAllEditsToNormalisedText) {  // EDIT-61
  EXPECT_EQ(fuzzily_applied("plain   \n\u201cq\u201d\nrest  \n",
                            {{"plain", "PLAIN"}, {"\"q\"", "\"Q\""}}),
            "PLAIN\n\"Q\"\nrest  \n");
  EXPECT_EQ(
      fuzzily_applied("\u201ca\u201d, \u201cb\u201d  \nz \n", {{"\"b\"", "B"}, {"\"a\"", "A"}}),
      "A, B\nz \n");
}

TEST(FuzzyEditPlanner, KeepsLinesThatNoEditTouches) {  // EDIT-62
  EXPECT_EQ(
      fuzzily_applied("\u201ckeep\u201d  \nx = \u2018a\u2019 \u2014 c\n\u201ctail\u201d\u00a0",
                      {{"x = 'a'", "x = \u2018b\u2019"}}),
      "\u201ckeep\u201d  \nx = \u2018b\u2019 - c\n\u201ctail\u201d\u00a0");
  EXPECT_EQ(fuzzily_applied("x \ny \nz \n", {{"x\ny\n", "X\n"}}), "X\nz \n");
}

TEST(FuzzyEditPlanner, KeepsMarkAndLineEnds) {  // EDIT-22, EDIT-26, EDIT-27, EDIT-62
  EXPECT_EQ(fuzzily_applied("\ufeffx \r\ny \r\nz\r\n", {{"x\ny\n", "X\nY\n"}}),
            "\ufeffX\r\nY\r\nz\r\n");
  EXPECT_EQ(fuzzily_applied("x \r\ny  \nz\r  w\rv", {{"x\ny\nz", "X\nY\nZ"}}),
            "X\r\nY\r\nZ\r  w\rv");
}

TEST(FuzzyEditPlanner, KeepsTwoBreaksAroundALineThatBecomesEmpty) {  // EDIT-29, EDIT-62
  EXPECT_EQ(fuzzily_applied("q\u2019\r  \nb", {{"q'\n\nb", "Q\n\nb"}}), "Q\n\nb");
  EXPECT_EQ(fuzzily_applied("a \r  \nq\u2019", {{"\n\nq'", "\n\nQ"}}), "a\n\nQ");
}

TEST(FuzzyEditPlanner, CountsInNormalisedText) {  // EDIT-63
  EXPECT_EQ(fuzzily_refused("say \"hi\"\nsay \u201chi\u201d\n", {{"say \"hi\"", "x"}}),
            "not_unique 0 2");
  EXPECT_EQ(fuzzily_refused("end\nend   \n", {{"end\n", "END\n"}}), "not_unique 0 2");
  EXPECT_EQ(fuzzily_refused("ABC\n\uff21\uff22\uff23\n", {{"ABC", "x"}}), "not_unique 0 2");
  EXPECT_EQ(fuzzily_refused("\u201cq\u201d\n\u201dq\u201c\n", {{"\"q\"", "1"}}), "not_unique 0 2");
  EXPECT_EQ(fuzzily_refused("foo\u00a0bar foo\n", {{"foo ", "x "}}), "not_unique 0 2");
}

TEST(FuzzyEditPlanner, CountsBlanksThatTheTextEndsIn) {  // EDIT-63, EDIT-64
  EXPECT_EQ(fuzzily_applied("a b ca\n", {{"a ", "x "}}), "x b ca\n");
  EXPECT_EQ(fuzzily_applied("abc   \ndef\n", {{"   ", "!"}}), "abc!\ndef\n");
  EXPECT_EQ(fuzzily_refused("a b ca\u00a0d\n", {{"a ", "x "}}), "not_unique 0 2");
}

TEST(FuzzyEditPlanner, NeverGuessesAPlace) {  // EDIT-07, EDIT-08
  EXPECT_EQ(fuzzily_refused("e\u0301 e\u0301\n", {{"e", "a"}}), "not_unique 0 2");
  EXPECT_EQ(fuzzily_refused("ab", {{"   ", "X"}}), "not_found 0 0");
  EXPECT_EQ(fuzzily_refused("", {{" ", "X"}}), "not_found 0 0");
}

TEST(FuzzyEditPlanner, RefusesInListOrderAndThenOverlapsAndNoChange) {  // EDIT-36
  EXPECT_EQ(fuzzily_refused("\u2018a\u2019 b b\n", {{"'a'", "A"}, {"b", "c"}, {"d", "e"}}),
            "not_unique 1 2");
  EXPECT_EQ(fuzzily_refused("\u2018a\u2019 b\n", {{"'a' b", "A"}, {"' b", "c"}}), "overlap 0 0");
  EXPECT_EQ(fuzzily_refused("\u2018a\u2019 b\n", {{"'a'", "\u2018a\u2019"}}), "no_change -1 0");
  EXPECT_EQ(fuzzily_applied("\u2018a\u2019\n", {{"'a'", "'a'"}}), "'a'\n");
}

}  // namespace
}  // namespace plumb::engine
