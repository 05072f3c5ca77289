// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/yaml.h"

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

constexpr std::int64_t kBytesMax = 100'000;

std::string json_of(std::string_view text) {
  const auto document = parse_yaml(text, "x.yaml", kBytesMax);
  return document ? dump_json(document->root) : error_line(document.error());
}

TEST(Yaml, BecomesJsonWithItsKeysInOrder) {
  EXPECT_EQ(json_of("b: 1\na: [x, 'y', null]\n"), R"({"b":1,"a":["x","y",null]})");
}

TEST(Yaml, TakesQuotedScalarsAsText) {
  EXPECT_EQ(json_of("a: '1'\nb: \"true\"\nc: !  7\n"), R"({"a":"1","b":"true","c":"7"})");
}

TEST(Yaml, TakesBlockScalarsAsText) {
  EXPECT_EQ(json_of("a: |\n  12\n"), R"({"a":"12\n"})");
  EXPECT_EQ(json_of("a: >-\n  one\n  two\n"), R"({"a":"one two"})");
}

TEST(Yaml, KeepsKeysAsWritten) {
  EXPECT_EQ(json_of("1: a\ntrue: b\n"), R"({"1":"a","true":"b"})");
}

TEST(Yaml, CopiesAliases) {
  EXPECT_EQ(json_of("a: &x {b: 1}\nc: *x\n"), R"({"a":{"b":1},"c":{"b":1}})");
}

TEST(Yaml, ReadsAnEmptyValueAsNull) {
  EXPECT_EQ(json_of("a:\nb: 1\n"), R"({"a":null,"b":1})");
}

TEST(Yaml, ReadsTextWithByteOrderMark) {
  EXPECT_EQ(json_of("\xef\xbb\xbf"
                    "a: 1\n"),
            R"({"a":1})");
}

TEST(Yaml, KnowsThePlaceOfKeyAndValue) {
  const auto document = parse_yaml("a: 1\nbb:\n  - x\n  - cc: 2\n", "x.yaml", kBytesMax);
  ASSERT_TRUE(document) << error_line(document.error());

  const auto list = document->view().find("bb");

  ASSERT_TRUE(list);
  EXPECT_EQ(list->key_place(), (Place{2, 1}));
  EXPECT_EQ(list->place(), (Place{3, 3}));
  EXPECT_EQ(list->element(1).find("cc")->place(), (Place{4, 9}));
}

TEST(Yaml, CountsColumnsInCodePoints) {
  EXPECT_EQ(json_of("{é: 1, é: 2}\n"), "x.yaml:1:8: key 'é' occurs twice in this map");
}

TEST(Yaml, TakesNestingUpToTheLimit) {
  const auto nested = [](std::int64_t depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };

  EXPECT_TRUE(parse_yaml(nested(kYamlDepthMax), "", kBytesMax));
  EXPECT_FALSE(parse_yaml(nested(kYamlDepthMax + 1), "", kBytesMax));
  EXPECT_FALSE(parse_yaml(nested(40'000), "", kBytesMax));
}

TEST(Yaml, RefusesTextBeyondTheLimit) {
  const auto document = parse_yaml("a: 'xxxxxxxx'", "x.yaml", 5);

  ASSERT_FALSE(document);
  EXPECT_EQ(document.error(),
            (Error{ErrorCode::exhausted, "file is larger than 5 bytes", "x.yaml:1:6"}));
}

TEST(Yaml, CopiesTextByAliasesUpToTheLimit) {
  const std::string text = "a: &x " + std::string(kBytesMax / 2, 'y') + "\nb: [*x";
  const auto copies = [&text](std::int64_t count) {
    std::string whole = text;
    for (; count > 1; --count) whole += ", *x";
    return parse_yaml(whole + "]\n", "", kBytesMax);
  };
  const std::int64_t most = kYamlAliasBytesMax / (kBytesMax / 2);

  EXPECT_TRUE(copies(most));
  ASSERT_FALSE(copies(most + 1));
  EXPECT_EQ(copies(most + 1).error().code, ErrorCode::exhausted);
}

TEST(Yaml, AllowsTabsWithinText) {
  EXPECT_EQ(json_of("a: |\n  \tx\n"), R"({"a":"\tx\n"})");
}

TEST(Yaml, TakesWindowsLineEnds) {
  EXPECT_EQ(json_of("a: 1\r\nb: 2\r\n"), R"({"a":1,"b":2})");
}

TEST(Yaml, SurvivesEveryCutOfADocument) {
  const std::string text = "a: &x [1, {b: 'c'}]\nd: *x\ne: |\n  f\n\"g\": >-\n  h\n";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto document = parse_yaml(text.substr(0, length), "x", kBytesMax);
    EXPECT_TRUE(document || !document.error().message.empty()) << length;
  }
}

}  // namespace
}  // namespace plumb::simulator
