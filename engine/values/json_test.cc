// SPDX-License-Identifier: Apache-2.0
#include "engine/values/json.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumb {

namespace {

Error error_of(std::string_view text) {
  const auto result = parse_json(text, "a.json");
  return result ? Error{ErrorCode::invalid, "accepted", dump_json(*result)} : result.error();
}

Json value_of(std::string_view text) {
  const auto result = parse_json(text);
  EXPECT_TRUE(result.has_value()) << result.error().where << result.error().message;
  return result.value_or(Json());
}

std::string nested_arrays(int depth) {
  const auto count = static_cast<std::size_t>(depth);
  return std::string(count, '[') + std::string(count, ']');
}

}  // namespace

TEST(JsonReader, KeepsTheOrderOfMembers) {
  EXPECT_EQ(dump_json(value_of(R"( {"z":1,"a":[true,false,null],"m":{"b":"x","a":-2.5}} )")),
            R"({"z":1,"a":[true,false,null],"m":{"b":"x","a":-2.5}})");
}

TEST(JsonReader, KeepsIntegersOf64BitsExact) {
  EXPECT_EQ(value_of("18446744073709551615").get<std::uint64_t>(), 18446744073709551615U);
  EXPECT_EQ(value_of("-9223372036854775808").get<std::int64_t>(), INT64_MIN);
  EXPECT_TRUE(value_of("18446744073709551616").is_number_float());
}

TEST(JsonReader, ReadsNumbersTooSmallForADoubleAsZero) {
  EXPECT_EQ(value_of("1e-400").get<double>(), 0.0);
  EXPECT_EQ(value_of("0." + std::string(400, '0') + "1").get<double>(), 0.0);
  EXPECT_EQ(value_of("1e-99999999999999999999").get<double>(), 0.0);
}

TEST(JsonReader, RefusesNumbersBeyondADouble) {
  for (const std::string text : {"1e400", "-1e400", "1e+400", "1e99999999999999999999"}) {
    EXPECT_EQ(error_of(text).message, "number beyond the range of a double") << text;
  }
  EXPECT_EQ(error_of("1" + std::string(400, '0')).message, "number beyond the range of a double");
}

TEST(JsonReader, DecodesEscapesAndSurrogatePairs) {
  EXPECT_EQ(value_of(R"("\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00")").get<std::string>(),
            "\"\\/\b\f\n\r\t\u00e9\U0001F600");
}

TEST(JsonReader, NamesFileLineAndColumn) {
  EXPECT_EQ(error_of("{\n  \"\u00e9\": 1,\n  \"\u00e9\" 2}").where, "a.json:3:7");
  EXPECT_EQ(parse_json("[1,\n 2", "log.jsonl", 10).error().where, "log.jsonl:11:3");
  EXPECT_EQ(parse_json("?").error().where, "1:1");
}

TEST(JsonReader, SaysWhatWasExpected) {
  EXPECT_EQ(error_of("").message, "expected a value but found the end of the text");
  EXPECT_EQ(error_of("{\"a\":tru}").message, "expected a value but found 'tru'");
  EXPECT_EQ(error_of("[1 2]").message, "expected ',' or ']' but found '2'");
  EXPECT_EQ(error_of("{\"a\":1 \"b\"").message, "expected ',' or '}' but found '\"'");
  EXPECT_EQ(error_of("{a:1}").message, "expected a key in double quotes but found 'a'");
  EXPECT_EQ(error_of("{\"a\" 1}").message, "expected ':' but found '1'");
  EXPECT_EQ(error_of("1 x").message, "expected the end of the text but found 'x'");
  EXPECT_EQ(error_of("[1,]").message, "expected a value but found ']'");
}

TEST(JsonReader, RefusesWhatIsNotJson) {
  for (const std::string text : {"NaN",         "Infinity",
                                 "-Infinity",   "nan",
                                 "+1",          ".5",
                                 "1.",          "01",
                                 "-",           "1e",
                                 "0x10",        "nulll",
                                 "'a'",         "\"a",
                                 "\"\t\"",      "\"\\x41\"",
                                 "\"\\u12g4\"", "[",
                                 "{",           "{,}",
                                 "[,]",         "\xEF\xBB\xBF{}",
                                 "/**/1",       "1//",
                                 "\"a\nb\""}) {
    EXPECT_FALSE(parse_json(text).has_value()) << text;
  }
}

TEST(JsonReader, RefusesAKeyThatOccursTwice) {  // APPR-24
  const Error error = error_of("{\"x\":1,\n \"y\":2, \"x\":3}");

  EXPECT_EQ(error, (Error{ErrorCode::invalid, "key 'x' occurs twice", "a.json:2:9"}));
  EXPECT_TRUE(parse_json(R"([{"x":1},{"x":1}])").has_value());
  EXPECT_FALSE(parse_json(R"({"x":1,"\u0078":2})").has_value());
}

TEST(JsonReader, RefusesUnpairedSurrogates) {  // APPR-24
  for (const std::string text :
       {R"("\ud800")", R"("\udc00")", R"("\ud800\u0041")", R"("\ud800x")", R"("\udc00\ud800")"}) {
    EXPECT_TRUE(error_of(text).message.starts_with("unpaired surrogate")) << text;
  }
}

TEST(JsonReader, RefusesBytesThatAreNotUtf8) {
  for (const std::string text : {"\"\xFF\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"",
                                 "\"\xF5\x80\x80\x80\"", "\"\xE2\x82\"", "\"\xF0\x80\x80\x80\""}) {
    EXPECT_EQ(error_of(text).message, "bytes that are not UTF-8");
  }
}

TEST(JsonReader, LimitsTheDepth) {
  EXPECT_TRUE(parse_json(nested_arrays(512)).has_value());
  EXPECT_EQ(error_of(nested_arrays(513)).code, ErrorCode::exhausted);
  EXPECT_EQ(error_of(nested_arrays(100'000)).message, "nested deeper than 512 levels");
}

TEST(JsonReader, SurvivesRandomBytes) {
  std::mt19937 random(20260801);
  const std::string_view alphabet =
      "{}[]\",:\\u0123456789eE+-.truefalsn \n\xC3\xA9\xF0\xED\xA0\x80";
  std::int64_t accepted = 0;
  for (int run = 0; run < 50'000; ++run) {
    std::string text(random() % 24, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    const auto value = parse_json(text);
    if (!value) continue;
    ++accepted;
    EXPECT_EQ(value_of(dump_json(*value)), *value) << text;
  }
  EXPECT_GT(accepted, 100);
}

TEST(JsonReader, StaysLinearForBigObjects) {
  std::string text = "{\"k\":0";
  for (int i = 0; i < 100'000; ++i) text += ",\"" + std::to_string(i) + "\":0";

  EXPECT_EQ(value_of(text + "}").size(), 100'001U);
}

TEST(JsonDump, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(dump_json(Json("a\xFFz")), "\"a\uFFFDz\"");
  EXPECT_EQ(dump_json_pretty(Json{{"k", {1, "\xFF"}}}),
            "{\n  \"k\": [\n    1,\n    \"\uFFFD\"\n  ]\n}");
}

TEST(JsonDump, WritesNullForWhatJsonCannotSay) {
  EXPECT_EQ(dump_json(Json(std::nan(""))), "null");
}

TEST(EqualJson, IgnoresTheOrderOfMembersAndTheFormOfNumbers) {
  EXPECT_TRUE(equal_json(value_of(R"({"a":1,"b":[2.0]})"), value_of(R"({"b":[2],"a":1.0})")));
  EXPECT_FALSE(equal_json(value_of(R"({"a":1})"), value_of(R"({"a":1,"b":1})")));
  EXPECT_FALSE(equal_json(value_of("[1,2]"), value_of("[2,1]")));
  EXPECT_FALSE(equal_json(value_of("false"), value_of("0")));
  EXPECT_FALSE(equal_json(value_of("9007199254740993"), value_of("9007199254740992")));
}

TEST(JsonPointer, FindsWhatTheRfcSays) {
  const Json root = value_of(R"({"foo":["bar","baz"],"":0,"a/b":1,"m~n":8,"o":{"0":3}})");

  EXPECT_EQ(find_pointer(root, ""), &root);
  EXPECT_EQ(*find_pointer(root, "/foo/1"), "baz");
  EXPECT_EQ(*find_pointer(root, "/"), 0);
  EXPECT_EQ(*find_pointer(root, "/a~1b"), 1);
  EXPECT_EQ(*find_pointer(root, "/m~0n"), 8);
  EXPECT_EQ(*find_pointer(root, "/o/0"), 3);
}

TEST(JsonPointer, FindsNothingWhereNothingIs) {
  const Json root = value_of(R"({"foo":["bar","baz"]})");

  for (const std::string_view pointer :
       {"foo", "/bar", "/foo/2", "/foo/-", "/foo/01", "/foo/x", "/foo/0/x", "/foo/"}) {
    EXPECT_EQ(find_pointer(root, pointer), nullptr) << pointer;
  }
}

TEST(JsonPointer, EscapesTokens) {
  EXPECT_EQ(pointer_escape("a/b~c"), "a~1b~0c");
}

}  // namespace plumb
