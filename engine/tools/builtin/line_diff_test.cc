// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/line_diff.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

/// "row 1" to "row COUNT", the rows in `changed` in capitals.
std::string rows(int count, const std::vector<int>& changed = {}) {
  std::string text;
  for (int i = 1; i <= count; ++i) {
    bool is_changed = false;
    for (const int one : changed) is_changed = is_changed || one == i;
    text += (is_changed ? "ROW " : "row ") + std::to_string(i) + "\n";
  }
  return text;
}

TEST(LineDiff, FindsAShortestScript) {
  const auto changes = diff_lines("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n");

  std::int64_t cost = 0;
  for (const auto& one : changes) {
    cost += one.old_end - one.old_begin + one.new_end - one.new_begin;
  }
  EXPECT_EQ(cost, 5);  // The example of Myers' paper.
}

TEST(LineDiff, FindsNothingInEqualTexts) {
  EXPECT_TRUE(diff_lines("a\nb\n", "a\nb\n").empty());
  EXPECT_EQ(unified_patch("f", "a\n", "a\n"), "");
  EXPECT_EQ(first_changed_line("a\n", "a\n"), 0);
}

TEST(LineDiff, ShowsFourContextLines) {  // EDIT-40
  EXPECT_EQ(unified_patch("f.txt", rows(60), rows(60, {30})),
            "--- f.txt\n+++ f.txt\n@@ -26,9 +26,9 @@\n row 26\n row 27\n row 28\n row 29\n"
            "-row 30\n+ROW 30\n row 31\n row 32\n row 33\n row 34\n");
}

TEST(LineDiff, MarksAMissingFinalLineBreak) {  // EDIT-40
  EXPECT_EQ(unified_patch("f", "a\nb", "a\nc"),
            "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"
            "\\ No newline at end of file\n");
}

TEST(LineDiff, StartsEmptyFilesAtLineZero) {  // EDIT-40
  EXPECT_EQ(unified_patch("f", "", "a\n"), "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(unified_patch("f", "a\n", ""), "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n");
}

TEST(LineDiff, SharesAHunkUpToEightLines) {  // EDIT-41
  const std::string near = display_diff(rows(60), rows(60, {20, 29}));
  const std::string far = display_diff(rows(60), rows(60, {20, 30}));

  EXPECT_EQ(near.find("...", 8), near.rfind("..."));
  EXPECT_NE(far.find(" 24 row 24\n    ...\n 26 row 26"), far.npos);
}

TEST(LineDiff, NumbersLinesToTheWidthOfTheLargerCount) {  // EDIT-41
  EXPECT_EQ(display_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n"),
            "    ...\n  6 6\n  7 7\n  8 8\n  9 9\n+10 10\n+11 11");
}

TEST(LineDiff, CountsTheFirstChangeInTheNewText) {  // EDIT-42
  EXPECT_EQ(first_changed_line("a\nb\nc\n", "a\nb\nnew\nc\n"), 3);
  EXPECT_EQ(first_changed_line("a\nb\nc\n", "a\nc\n"), 2);
}

TEST(LineDiff, GivesUpOnVeryDifferentTextsButStaysRight) {
  std::string before;
  std::string after;
  for (int i = 0; i < 3000; ++i) {
    before += "old " + std::to_string(i) + "\n";
    after += "new " + std::to_string(i) + "\n";
  }

  const auto changes = diff_lines("same\n" + before + "end\n", "same\n" + after + "end\n");

  EXPECT_EQ(changes, (std::vector<LineChange>{{1, 3001, 1, 3001}}));
}

}  // namespace
}  // namespace plumb::engine
