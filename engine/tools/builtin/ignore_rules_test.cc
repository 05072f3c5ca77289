// SPDX-License-Identifier: Apache-2.0
// property-tests/ignore_properties.cc compares the same reader with git itself.
#include "engine/tools/builtin/ignore_rules.h"

#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

bool ignores(std::string_view text, std::string_view path, bool is_folder = false) {
  return IgnoreRules::parse(text).judge(path, is_folder) == IgnoreVerdict::ignored;
}

TEST(IgnoreRules, ReadsNamesAndPaths) {  // GREP-03, FIND-03
  EXPECT_TRUE(ignores("*.log\n", "a.log"));
  EXPECT_TRUE(ignores("*.log\n", "src/a.log"));
  EXPECT_FALSE(ignores("/*.log\n", "src/a.log"));
  EXPECT_FALSE(ignores("src/*.log\n", "pkg/src/a.log"));
  EXPECT_TRUE(ignores("**/src/*.log\n", "pkg/src/a.log"));
  EXPECT_TRUE(ignores("build/\n", "src/build", true));
  EXPECT_FALSE(ignores("build/\n", "src/build", false));
}

/// As git check-ignore says.
TEST(IgnoreRules, ReadsOddPatternsAsGitDoes) {
  EXPECT_TRUE(ignores("foo**/bar\n", "foo/x/bar"));
  EXPECT_TRUE(ignores("src/a**/q\n", "src/ab/x/q"));
  EXPECT_FALSE(ignores("f?o**/bar\n", "foo/x/bar"));
  EXPECT_TRUE(ignores("[z-a]\n", "z"));
  EXPECT_FALSE(ignores("[z-a]\n", "a"));
  EXPECT_TRUE(ignores("[\\[:x:]\n", "x"));
  EXPECT_TRUE(ignores("[[:a]x:]\n", "[x:]"));
  EXPECT_TRUE(ignores("[a-[:digit:]]\n", "d]"));
}

TEST(IgnoreRules, TheLastLineThatMatchesCounts) {
  EXPECT_FALSE(ignores("*.log\n!a.log\n", "a.log"));
  EXPECT_TRUE(ignores("!a.log\n*.log\n", "a.log"));
  EXPECT_EQ(IgnoreRules::parse("*.log\n").judge("a.txt", false), std::nullopt);
}

TEST(IgnoreRules, ReadsLinesAsGitDoes) {
  EXPECT_TRUE(
      ignores("\xEF\xBB\xBF"
              "a\r\nb\r\n",
              "a"));
  EXPECT_TRUE(ignores("a   \n", "a"));
  EXPECT_TRUE(ignores("a\\ \n", "a "));
  EXPECT_TRUE(ignores("\\#a\n", "#a"));
  EXPECT_TRUE(ignores("\\!a\n", "!a"));
  EXPECT_TRUE(IgnoreRules::parse("# a\n\n   \n/\n[\n").judge("a", false) == std::nullopt);
  EXPECT_FALSE(ignores("*.{a,b}\n", "x.a"));
}

}  // namespace
}  // namespace plumb::engine
