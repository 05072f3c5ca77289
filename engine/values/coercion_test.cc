// SPDX-License-Identifier: Apache-2.0
#include "engine/values/coercion.h"

#include <gtest/gtest.h>

namespace plumb {

namespace {

std::string coerced(std::string_view schema, std::string_view arguments) {
  const auto rules = parse_json(schema);
  const auto value = parse_json(arguments);
  EXPECT_TRUE(rules.has_value() && value.has_value()) << schema << arguments;
  return dump_json(coerce_arguments(value.value_or(Json()), rules.value_or(Json())));
}

constexpr std::string_view kCoercionSchema = R"({
  "type": "object", "required": ["path"],
  "properties": {
    "path": {"type": "string"}, "limit": {"type": "integer"}, "ratio": {"type": "number"},
    "all": {"type": "boolean"}, "list": {"type": "array", "items": {"type": "number"}},
    "note": {"type": ["string", "null"]}}})";

}  // namespace

TEST(Coercion, NumericStringsBecomeNumbers) {  // PIPE-30
  EXPECT_EQ(coerced(kCoercionSchema, R"({"path":"a","limit":"10","ratio":"-2.5e1"})"),
            R"({"path":"a","limit":10,"ratio":-25.0})");
  EXPECT_EQ(coerced(kCoercionSchema, R"({"limit":"9007199254740993"})"),
            R"({"limit":9007199254740993})");
}

TEST(Coercion, OtherStringsStay) {  // PIPE-30
  for (const std::string text :
       {"ten", "", " 10", "10 ", "0x10", "1.5", "010", "+1", "Infinity", "true", "1e999"}) {
    const std::string arguments = R"({"limit":")" + text + R"("})";
    EXPECT_EQ(coerced(kCoercionSchema, arguments), arguments);
  }
}

TEST(Coercion, TrueAndFalseBecomeBooleans) {  // PIPE-30
  EXPECT_EQ(coerced(kCoercionSchema, R"({"all":"true"})"), R"({"all":true})");
  EXPECT_EQ(coerced(kCoercionSchema, R"({"all":"false"})"), R"({"all":false})");
  for (const std::string_view arguments :
       {R"({"all":"True"})", R"({"all":"yes"})", R"({"all":1})", R"({"all":"1"})"}) {
    EXPECT_EQ(coerced(kCoercionSchema, arguments), arguments);
  }
}

TEST(Coercion, ASingleValueBecomesAOneElementArray) {  // PIPE-30
  EXPECT_EQ(coerced(kCoercionSchema, R"({"list":5})"), R"({"list":[5]})");
  EXPECT_EQ(coerced(kCoercionSchema, R"({"list":"5"})"), R"({"list":[5]})");
  EXPECT_EQ(coerced(kCoercionSchema, R"({"list":["5",6]})"), R"({"list":[5,6]})");
}

TEST(Coercion, NullOfAnOptionalPropertyIsDropped) {  // PIPE-30
  EXPECT_EQ(coerced(kCoercionSchema, R"({"path":"a","limit":null,"list":null,"all":true})"),
            R"({"path":"a","all":true})");
  EXPECT_EQ(coerced(kCoercionSchema, R"({"note":null})"), R"({"note":null})");
}

TEST(Coercion, NothingBecomesAString) {  // PIPE-30
  for (const std::string_view arguments :
       {R"({"path":null})", R"({"path":5})", R"({"path":true})", R"({"path":["a"]})",
        R"({"path":{"a":1}})", R"({"path":"a","note":5})"}) {
    EXPECT_EQ(coerced(kCoercionSchema, arguments), arguments);
  }
}

TEST(Coercion, ReachesNestedValuesAndFollowsReferences) {  // PIPE-30
  constexpr std::string_view kSchema = R"({
    "type": "object", "properties": {"edits": {"type": "array", "items": {"$ref": "#/$defs/edit"}}},
    "additionalProperties": {"type": "number"},
    "$defs": {"edit": {"type": "object", "properties": {"line": {"type": "integer"},
              "newText": {"type": "string"}}, "required": ["newText"]}}})";

  EXPECT_EQ(coerced(kSchema, R"({"edits":{"line":"3","newText":null},"extra":"1"})"),
            R"({"edits":[{"line":3,"newText":null}],"extra":1})");
}

TEST(Coercion, InAUnionWhatFitsStays) {  // PIPE-30
  constexpr std::string_view kUnion = R"({"properties":{
    "id": {"anyOf": [{"type": "number"}, {"type": "string"}]},
    "level": {"anyOf": [{"const": 1, "type": "number"}, {"const": 2, "type": "number"}]}}})";

  EXPECT_EQ(coerced(kUnion, R"({"id":"5","level":"2"})"), R"({"id":"5","level":2})");
  EXPECT_EQ(coerced(kUnion, R"({"level":"3"})"), R"({"level":"3"})");
}

TEST(Coercion, LeavesTheOriginalAndUnusableSchemasAlone) {  // PIPE-30
  const Json arguments = {{"n", "5"}};
  const Json schema = {{"properties", {{"n", {{"type", "number"}}}}}};

  EXPECT_EQ(coerce_arguments(arguments, schema), (Json{{"n", 5}}));
  EXPECT_EQ(arguments, (Json{{"n", "5"}}));
  EXPECT_EQ(coerce_arguments(arguments, Json(5)), arguments);
  EXPECT_EQ(coerce_arguments(arguments, Json{{"$ref", "#"}}), arguments);
}

TEST(Coercion, EndsInUnionsOfRecursiveSchemas) {
  const Json schema = {{"anyOf", {{{"$ref", "#"}, {"a", 1}}, {{"$ref", "#"}, {"a", 2}}}}};

  EXPECT_EQ(coerce_arguments(Json("5"), schema), Json("5"));
}

}  // namespace plumb
