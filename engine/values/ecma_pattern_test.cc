// SPDX-License-Identifier: Apache-2.0
#include "engine/values/ecma_pattern.h"

#include <random>

#include <gtest/gtest.h>

namespace plumb {

namespace {

bool matches(std::string_view pattern, std::string_view text) {
  const auto compiled = EcmaPattern::compile(pattern);
  EXPECT_TRUE(compiled.has_value()) << compiled.error().message;
  if (!compiled) return false;
  const auto found = compiled->search(text);
  EXPECT_TRUE(found.has_value()) << found.error().message;
  return found.value_or(false);
}

std::string pattern_refusal(std::string_view pattern) {
  const auto compiled = EcmaPattern::compile(pattern);
  return compiled ? "accepted" : compiled.error().message;
}

}  // namespace

TEST(EcmaPattern, SearchesAnywhere) {
  EXPECT_TRUE(matches("b", "abc"));
  EXPECT_FALSE(matches("^b", "abc"));
  EXPECT_TRUE(matches("", "abc"));
}

TEST(EcmaPattern, DollarMeansTheVeryEnd) {
  EXPECT_TRUE(matches("^abc$", "abc"));
  EXPECT_FALSE(matches("^abc$", "abc\n"));
}

TEST(EcmaPattern, ClassesOfLettersAreAsciiAndOfSpaceUnicode) {
  EXPECT_FALSE(matches("^\\d$", "\u0661"));
  EXPECT_TRUE(matches("^[\\D]$", "\u0661"));
  EXPECT_FALSE(matches("^\\w$", "\u00e9"));
  EXPECT_TRUE(matches("^[\\W]$", "\u00e9"));
  EXPECT_TRUE(matches("^\\s[\\s]$", "\u00a0\ufeff"));
  EXPECT_FALSE(matches("[\\S]|\\S", "\u2029"));
  EXPECT_TRUE(matches("^[\\S]$", "\U0001F600"));
}

TEST(EcmaPattern, DotStopsAtEveryLineEnd) {
  for (const std::string_view line_end : {"\n", "\r", "\u2028", "\u2029"}) {
    EXPECT_FALSE(matches("^.$", line_end));
  }
  EXPECT_TRUE(matches("^.$", "\u0085"));
  EXPECT_TRUE(matches("^.$", "\U0001F600"));
}

TEST(EcmaPattern, EmptyClassesMatchNothingAndAnything) {
  EXPECT_FALSE(matches("[]", "a"));
  EXPECT_TRUE(matches("^[]*$", ""));
  EXPECT_TRUE(matches("^[^]$", "\n"));
  EXPECT_TRUE(matches("^[[:alpha:]{3}$", ":a["));
}

TEST(EcmaPattern, ReadsEveryFormOfEscape) {
  EXPECT_TRUE(matches(R"(^\x41\u0042\u{43}\cJ\t\v\f\r\0\/$)", std::string("ABC\n\t\v\f\r\0/", 10)));
  EXPECT_TRUE(matches(R"(^\ud83d\ude00[\ud83d\ude00-\u{1f64f}]$)", "\U0001F600\U0001F64F"));
  EXPECT_TRUE(matches(R"(^[\b\-\]\\^]+$)", "\b-]\\^"));
  EXPECT_TRUE(matches(R"(\bword\b)", "a word."));
  EXPECT_FALSE(matches(R"(^\Bword)", "word"));
}

TEST(EcmaPattern, LoneSurrogatesMatchNothing) {
  EXPECT_FALSE(matches(R"([\ud800-\udbff][\udc00-\udfff])", "\U0001F600"));
  EXPECT_FALSE(matches(R"(\ud83d)", "\U0001F600"));
  EXPECT_TRUE(matches(R"(^[^\ud800]$)", "\U0001F600"));
  EXPECT_TRUE(matches(R"(^[\ud000-\ud900]$)", "\ud123"));
}

TEST(EcmaPattern, ReadsUnicodeProperties) {
  EXPECT_TRUE(matches("^\\p{Letter}\\p{L}\\p{Lu}$", "\u00e9\u00dfZ"));
  EXPECT_TRUE(matches("^\\p{Script=Greek}\\p{sc=Grek}\\P{Script=Greek}$", "\u03b1\u03b2a"));
  EXPECT_TRUE(matches("^[\\p{Nd}\\p{Emoji_Presentation}]+$", "\u0661\U0001F600"));
  EXPECT_TRUE(matches("^\\p{General_Category=Uppercase_Letter}\\p{Assigned}$", "Aa"));
  EXPECT_FALSE(matches("\\P{Any}", "a"));
}

TEST(EcmaPattern, ReadsGroupsReferencesAndLookaround) {
  EXPECT_TRUE(matches(R"(^(?<q>['"]).*\k<q>$)", "'a'"));
  EXPECT_FALSE(matches(R"(^(['"]).*\1$)", "'a\""));
  EXPECT_TRUE(matches("^(?!a)(?=b)b(?<=b)(?<!a)$", "b"));
  EXPECT_TRUE(matches("^\\k<a>(?<a>x)$", "x"));
  EXPECT_TRUE(matches("^(?:(a)|b)\\1$", "b"));
}

TEST(EcmaPattern, ReadsQuantifiers) {
  EXPECT_TRUE(matches("^a{2}b{1,}c{0,2}d*?e+?f??$", "aabbccde"));
  EXPECT_FALSE(matches("^a{2}$", "aaa"));
}

TEST(EcmaPattern, RefusesWhatEcmascriptRefuses) {
  for (const std::string_view pattern : {"(",
                                         ")",
                                         "a)",
                                         "[",
                                         "[a",
                                         "]",
                                         "{",
                                         "}",
                                         "a{",
                                         "a{,2}",
                                         "a{2",
                                         "*",
                                         "+a",
                                         "?",
                                         "a**",
                                         "a++",
                                         "a{1}{2}",
                                         "^*",
                                         "$?",
                                         "\\b+",
                                         "(?=a)*",
                                         "(?<=a)+",
                                         "|*",
                                         "(*)",
                                         "(*FAIL)",
                                         "(?",
                                         "(?P<a>b)",
                                         "(?#c)",
                                         "(?i)a",
                                         "(?>a)",
                                         "(?<1>a)",
                                         "(?<a",
                                         "(?<a>x)(?<a>y)",
                                         "\\",
                                         "\\a",
                                         "\\z",
                                         "\\Q",
                                         "\\-",
                                         "\\x4",
                                         "\\u12",
                                         "\\u{110000}",
                                         "\\u{}",
                                         "\\c1",
                                         "\\01",
                                         "\\1",
                                         "\\k",
                                         "\\k<x>",
                                         "\\p",
                                         "\\pL",
                                         "\\p{}",
                                         "\\p{Greek}",
                                         "\\p{letter}",
                                         "\\p{Script=Nope}",
                                         "\\p{L&}",
                                         "[\\B]",
                                         "[\\1]",
                                         "[z-a]",
                                         "[a-\\d]",
                                         "[\\d-z]",
                                         "[\\w-\\d]",
                                         "\xFF"}) {
    EXPECT_NE(pattern_refusal(pattern), "accepted") << pattern;
  }
}

TEST(EcmaPattern, NamesTheOffsetInTheSource) {
  EXPECT_EQ(pattern_refusal("ab*c\\q"), "invalid pattern 'ab*c\\q': offset 4: unknown escape");
  EXPECT_EQ(pattern_refusal("a.+b["), "invalid pattern 'a.+b[': offset 4: class without its ']'");
  EXPECT_TRUE(pattern_refusal("....(a)\\2").starts_with("invalid pattern '....(a)\\2': offset "));
}

TEST(EcmaPattern, GivesUpOnEvilPatterns) {
  const auto pattern = EcmaPattern::compile("^(a+)+$");

  const auto found = pattern->search(std::string(64, 'a') + "!");

  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, ErrorCode::exhausted);
}

TEST(EcmaPattern, SurvivesLongTexts) {
  const auto pattern = EcmaPattern::compile("(a|b)*c");

  const auto found = pattern->search(std::string(200'000, 'a'));

  EXPECT_TRUE(found.has_value() || found.error().code == ErrorCode::exhausted);
}

TEST(EcmaPattern, RefusesTextThatIsNotUtf8) {
  EXPECT_EQ(EcmaPattern::compile("a")->search("\xFF").error().code, ErrorCode::invalid);
}

TEST(EcmaPattern, SurvivesRandomPatterns) {
  std::mt19937 random(262);
  const std::string_view alphabet = "()[]{}^$*+?|\\.-,:=!<>dwspPbBukx0129aL\xC3\xA9\xFF";
  std::int64_t accepted = 0;
  for (int run = 0; run < 20'000; ++run) {
    std::string source(random() % 10, ' ');
    for (char& c : source) c = alphabet[random() % alphabet.size()];
    const auto pattern = EcmaPattern::compile(source);
    if (!pattern) continue;
    const auto found = pattern->search("a0\u00e9-\n{}");
    if (found || found.error().code == ErrorCode::exhausted) ++accepted;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace plumb
