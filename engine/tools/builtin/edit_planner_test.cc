// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/edit_planner.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

using ::testing::HasSubstr;
using Edits = std::vector<TextEdit>;

std::string applied(std::string_view text, const Edits& edits) {
  const EditPlan plan = plan_edits(text, edits);
  EXPECT_EQ(plan.problem, EditProblem::none) << describe_problem(plan, "f", 2);
  return plan.bytes;
}

EditPlan planned(std::string_view text, const Edits& edits) {
  return plan_edits(text, edits);
}

TEST(EditPlanner, ReplacesEveryTextWhereItStoodInTheOriginal) {  // EDIT-02, EDIT-04
  EXPECT_EQ(applied("one two three", {{"one", "two2"}, {"two", "one"}}), "two2 one three");
  EXPECT_EQ(applied("one two three", {{"two", "one"}, {"one", "two2"}}), "two2 one three");
}

TEST(EditPlanner, DoesNotFindWhatAnotherEditMakes) {  // EDIT-03, EDIT-07
  const EditPlan plan = planned("alpha", {{"alpha", "beta"}, {"beta", "gamma"}});

  EXPECT_EQ(plan.problem, EditProblem::not_found);
  EXPECT_EQ(plan.edit, 1);
  EXPECT_EQ(plan.bytes, "");
}

TEST(EditPlanner, RejectsNeedleThatOccursTwice) {  // EDIT-05, EDIT-06, EDIT-08
  const EditPlan plan = planned("aXaXaX", {{"X", "Y"}});

  EXPECT_EQ(plan.problem, EditProblem::not_unique);
  EXPECT_EQ(plan.count, 3);
  EXPECT_THAT(describe_problem(plan, "f.txt", 1), HasSubstr("3 times"));
  EXPECT_THAT(describe_problem(plan, "f.txt", 1), HasSubstr("more context"));
}

TEST(EditPlanner, CountsWithoutOverlap) {  // EDIT-10
  EXPECT_EQ(applied("aaa", {{"aa", "b"}}), "ba");
  EXPECT_EQ(planned("aaaa", {{"aa", "b"}}).count, 2);
}

TEST(EditPlanner, RefusesOverlapAndNamesBothInFileOrder) {  // EDIT-11, EDIT-37
  const EditPlan plan = planned("abcdef", {{"cde", "X"}, {"bcd", "Y"}});

  EXPECT_EQ(plan.problem, EditProblem::overlap);
  EXPECT_EQ(plan.edit, 1);
  EXPECT_EQ(plan.other, 0);
  EXPECT_THAT(describe_problem(plan, "f", 2), HasSubstr("edits[1] and edits[0]"));
}

TEST(EditPlanner, CountsNestedAndRepeatedEditsAsOverlap) {  // EDIT-12
  EXPECT_EQ(planned("abcdef", {{"abcdef", "X"}, {"cd", "Y"}}).problem, EditProblem::overlap);
  EXPECT_EQ(planned("abcdef", {{"abc", "X"}, {"ab", "Y"}}).problem, EditProblem::overlap);
  EXPECT_EQ(planned("abcdef", {{"cd", "X"}, {"cd", "X"}}).problem, EditProblem::overlap);
}

TEST(EditPlanner, AcceptsEditsThatTouch) {  // EDIT-14
  EXPECT_EQ(applied("abcdef", {{"abc", "1"}, {"def", "2"}}), "12");
}

TEST(EditPlanner, RefusesAnEmptyNeedleBeforeAnySearch) {  // EDIT-32, EDIT-36
  const EditPlan plan = planned("abc", {{"zzz", "x"}, {"", "y"}});

  EXPECT_EQ(plan.problem, EditProblem::empty_old_text);
  EXPECT_EQ(plan.edit, 1);
}

TEST(EditPlanner, ReportsProblemsInListOrder) {  // EDIT-36
  EXPECT_EQ(planned("aab", {{"a", "x"}, {"z", "y"}}).problem, EditProblem::not_unique);
  EXPECT_EQ(planned("aab", {{"z", "y"}, {"a", "x"}}).problem, EditProblem::not_found);
}

TEST(EditPlanner, Deletes) {  // EDIT-33, EDIT-23
  EXPECT_EQ(applied("abc", {{"abc", ""}}), "");
  EXPECT_EQ(applied("\xEF\xBB\xBF"
                    "abc",
                    {{"abc", ""}}),
            "\xEF\xBB\xBF");
}

TEST(EditPlanner, RefusesACallThatChangesNothing) {  // EDIT-34, EDIT-35
  EXPECT_EQ(planned("abc", {{"b", "b"}}).problem, EditProblem::no_change);
  EXPECT_EQ(planned("a\nb\n", {{"a\nb", "a\r\nb"}}).problem, EditProblem::no_change);
  EXPECT_EQ(applied("abc", {{"a", "a"}, {"b", "B"}}), "aBc");
}

TEST(EditPlanner, PutsTheByteOrderMarkBack) {  // EDIT-22, EDIT-23
  const std::string mark = "\xEF\xBB\xBF";

  EXPECT_EQ(applied(mark + "abc\n", {{"a", "A"}}), mark + "Abc\n");
  EXPECT_EQ(planned(mark + "abc\n", {{mark + "a", "A"}}).problem, EditProblem::not_found);
  EXPECT_EQ(applied(mark + mark + "abc\n", {{mark + "a", "A"}}), mark + "Abc\n");
}

TEST(EditPlanner, MatchesAcrossLineEndsAndRestoresThem) {  // EDIT-24, EDIT-25, EDIT-26
  EXPECT_EQ(applied("a\r\nb\r\nc\r\n", {{"a\nb", "A\nB\nX"}}), "A\r\nB\r\nX\r\nc\r\n");
  EXPECT_EQ(applied("a\nb\n", {{"a\r\nb", "A\r\nB"}}), "A\nB\n");
}

TEST(EditPlanner, KeepsUntouchedLineEnds) {  // EDIT-27
  EXPECT_EQ(applied("a\r\nb\nc\rd\n", {{"d", "D"}}), "a\r\nb\nc\rD\n");
}

TEST(EditPlanner, GivesInsertedBreaksTheEndOfTheEditedLine) {  // EDIT-28
  EXPECT_EQ(applied("a\nb\r\nc\n", {{"b", "b1\nb2"}}), "a\nb1\r\nb2\r\nc\n");
  EXPECT_EQ(applied("a\r\nb", {{"b", "b\nc"}}), "a\r\nb\r\nc");
  EXPECT_EQ(applied("a\rb\rc\r", {{"b", "B\nX"}}), "a\rB\rX\rc\r");
  EXPECT_EQ(applied("p\rq\nz\n", {{"p\nq", "P\nQ"}}), "P\nQ\nz\n");
  EXPECT_EQ(applied("a", {{"a", "b\nc"}}), "b\nc");
}

TEST(EditPlanner, CoversTheWholeOfACarriageReturnLineFeed) {  // EDIT-29
  EXPECT_EQ(applied("a\r\nb\r\n", {{"a\n", "A "}}), "A b\r\n");
  EXPECT_EQ(applied("x\ry\nz\n", {{"y", "\nY"}}), "x\r\n\nY\nz\n");
  EXPECT_EQ(applied("x\ry\nz\n", {{"y", ""}}), "x\r\n\nz\n");
}

TEST(EditPlanner, LeavesTheFinalLineBreakAlone) {  // EDIT-30
  EXPECT_EQ(applied("a\nb", {{"b", "c"}}), "a\nc");
  EXPECT_EQ(applied("a\nb\n", {{"b\n", "c"}}), "a\nc");
}

TEST(EditPlanner, KeepsBlanksOfNeedles) {  // EDIT-64, EDIT-65, EDIT-66
  EXPECT_EQ(applied("a \nb\n", {{"a ", "c"}}), "c\nb\n");
  EXPECT_EQ(applied("a  b c", {{"  ", "-"}}), "a-b c");
  EXPECT_EQ(planned("abc", {{"  ", "-"}}).problem, EditProblem::not_found);
}

TEST(EditPlanner, KeepsBytesThatAreNoText) {  // EDIT-67
  EXPECT_EQ(applied("caf\xE9\nx\n", {{"x", "y"}}), "caf\xE9\ny\n");
}

TEST(EditPlanner, ReplacesAstralCharactersWhole) {  // EDIT-68
  EXPECT_EQ(applied("a\U0001F600b", {{"\U0001F600", "\U0001F601"}}), "a\U0001F601b");
}

TEST(EditPlanner, InsertsNewTextLiterally) {  // EDIT-69
  EXPECT_EQ(applied("abc", {{"b", "$& \\1 $1"}}), "a$& \\1 $1c");
}

TEST(EditPlanner, FindsManyNeedlesInOnePass) {  // EDIT-02
  std::string text;
  std::string wanted;
  Edits edits;
  for (int i = 100; i < 200; ++i) {
    text += "line " + std::to_string(i) + "\n";
    wanted += "row " + std::to_string(i) + "\n";
    edits.push_back({"line " + std::to_string(i), "row " + std::to_string(i)});
  }

  EXPECT_EQ(applied(text, edits), wanted);
  edits[7].old_text = "ine 10";
  EXPECT_EQ(planned(text, edits).count, 10);
  edits[7].old_text = "no such line in this file, and longer than the others";
  EXPECT_EQ(planned(text, edits).problem, EditProblem::not_found);
}

TEST(EditPlanner, TellsTheModelWhatToDoNext) {  // EDIT-09
  const EditPlan plan = planned("abc", {{"z", "y"}});

  EXPECT_THAT(describe_problem(plan, "f.txt", 1), HasSubstr("match the file exactly"));
  EXPECT_THAT(describe_problem(plan, "f.txt", 3), HasSubstr("edits[0]"));
}

}  // namespace
}  // namespace plumb::engine
