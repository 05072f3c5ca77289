// SPDX-License-Identifier: Apache-2.0
#include "engine/values/line_pattern.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using ::testing::HasSubstr;

bool pattern_is_in(std::string_view pattern, std::string_view line,
                   LinePatternOptions options = LinePatternOptions()) {
  const auto compiled = LinePattern::compile(pattern, options);
  EXPECT_TRUE(compiled) << pattern << ": " << (compiled ? "" : compiled.error().message);
  const auto found = compiled ? compiled->is_in(line) : Result<bool>(false);
  EXPECT_TRUE(found) << pattern << ": " << (found ? "" : found.error().message);
  return found.value_or(false);
}

std::string pattern_error(std::string_view pattern) {
  const auto compiled = LinePattern::compile(pattern, LinePatternOptions());
  return compiled ? "" : compiled.error().message;
}

TEST(LinePattern, KnowsTheSyntaxOfSearchPrograms) {  // GREP-03
  for (const char* pattern : {"^const \\w+ = \\d;",
                              "(?i)CONST",
                              "\\balpha\\b",
                              "\\x{61}lpha",
                              "\\u0061lpha",
                              "\\u{61}lpha",
                              "[[:alpha:]]+ =",
                              "(?P<n>al)pha",
                              "(?:al|x)pha",
                              "a{1,2}lpha",
                              "al{1}pha",
                              "p{1,}ha",
                              "[]a]lpha",
                              "[^]x]",
                              "]*",
                              "1;$",
                              "\\Aconst",
                              "",
                              "[{]*",
                              "al+?pha",
                              "l{1}?p",
                              "(?i:ALPHA)",
                              "(?s-i)alpha",
                              "(?<n>al)pha",
                              "[\\[x=]",
                              "\\x61lpha",
                              "[a\\-z]lpha"}) {
    EXPECT_TRUE(pattern_is_in(pattern, "const alpha = 1;")) << pattern;
  }
}

TEST(LinePattern, SeesCaseUnlessAskedNotTo) {  // GREP-03
  LinePatternOptions options;
  EXPECT_FALSE(pattern_is_in("ALPHA", "alpha"));
  options.ignores_case = true;
  EXPECT_TRUE(pattern_is_in("ALPHA", "alpha", options));
  EXPECT_TRUE(pattern_is_in("\xC3\x84", "\xC3\xA4", options));
}

TEST(LinePattern, TakesPlainTextByTheLetter) {  // GREP-01
  LinePatternOptions options;
  options.is_literal = true;
  EXPECT_TRUE(pattern_is_in("f(x) {[\\", "a f(x) {[\\ b", options));
  EXPECT_FALSE(pattern_is_in("a.c", "abc", options));
}

TEST(LinePattern, ADashIsALetter) {  // GREP-09
  EXPECT_TRUE(pattern_is_in("--files", "rg --files"));
  EXPECT_TRUE(pattern_is_in("-e", "a-e"));
}

TEST(LinePattern, RefusesWhatIsNoPattern) {  // GREP-09
  for (const char* pattern : {"(",           "[",         "*a",       "a{",     "{",
                              "a{,3}",       "\\",        "\\q",      "\\<a",   "(*UTF)a",
                              "a\\nb",       "a\nb",      "[z-a]",    "\\u00",  "\\p{Nonsense}",
                              "\\Ca",        "a++a",      "a?+a",     "a**",    "a{2}+",
                              "[a-z&&[^b]]", "[[a]b]",    "[a-c--b]", "[a~~b]", "\\Qa\\E",
                              "(a)\\1",      "\\012",     "\\Ka",     "\\h",    "\\N",
                              "\\Z",         "\\x4",      "\\xg1",    "[\\b]",  "(?=a)",
                              "(?!a)",       "(?<=a)",    "(?<!a)",   "(?>a)",  "(?|a)",
                              "(?#c)",       "(?(?=a)b)", "(?R)",     "(?P=n)", "(?"}) {
    EXPECT_THAT(pattern_error(pattern), HasSubstr("invalid pattern")) << pattern;
  }
  EXPECT_THAT(pattern_error("ab("), HasSubstr("offset 3"));
  LinePatternOptions options;
  options.is_literal = true;
  EXPECT_FALSE(LinePattern::compile("a\nb", options));
}

TEST(LinePattern, MatchesWithAndWithoutTheCarriageReturn) {
  EXPECT_TRUE(pattern_is_in("hit$", "hit\r"));
  EXPECT_TRUE(pattern_is_in("\\r$", "hit\r"));
  EXPECT_TRUE(pattern_is_in("^$", "\r"));
}

TEST(LinePattern, SearchesAroundBytesThatAreNoText) {
  EXPECT_TRUE(pattern_is_in("hit", "h\xE9 hit"));
  EXPECT_FALSE(pattern_is_in("h. h", "h\xE9 hit"));
}

TEST(LinePattern, AVerticalTabIsOneLetter) {
  EXPECT_TRUE(pattern_is_in("a\\vb", "a\vb"));
  EXPECT_FALSE(pattern_is_in("a\\vb", "a\rb"));
}

TEST(LinePattern, StopsAtAStepLimit) {
  const auto pattern = LinePattern::compile("^(a+)+$", LinePatternOptions());
  const auto found = pattern->is_in(std::string(40, 'a') + "b");

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::exhausted);
}

TEST(LinePattern, SearchesLongLines) {
  const std::string line = std::string(5 << 20, 'x') + "hit";
  EXPECT_TRUE(pattern_is_in("x*hit", line));
  EXPECT_TRUE(pattern_is_in("(x|y)*hit", line.substr(line.size() - 200'000)));
}

}  // namespace
}  // namespace plumb
