// SPDX-License-Identifier: Apache-2.0
#include "engine/values/json_schema.h"

#include <gtest/gtest.h>

namespace plumb {

namespace {

using SchemaErrors = std::vector<SchemaError>;

Json schema_json(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value.value_or(Json());
}

JsonSchema schema_of(std::string_view text, const SchemaOptions& options = {}) {
  auto schema = compile_schema(schema_json(text), options);
  EXPECT_TRUE(schema.has_value()) << schema.error().where << ": " << schema.error().message;
  return *std::move(schema);
}

SchemaErrors errors_of(std::string_view schema, std::string_view value) {
  return schema_of(schema).validate(schema_json(value));
}

bool fits(std::string_view schema, std::string_view value) {
  return schema_of(schema).accepts(schema_json(value));
}

Error schema_refusal(std::string_view text) {
  const auto schema = compile_schema(schema_json(text));
  return schema ? Error{ErrorCode::invalid, "accepted", ""} : schema.error();
}

// What a generator of tool schemas writes for an edit tool.
constexpr std::string_view kEditSchema = R"({
  "type": "object", "required": ["path", "edits"], "additionalProperties": false,
  "properties": {
    "path": {"type": "string", "minLength": 1, "pattern": "^[^\\0]*$"},
    "edits": {"type": "array", "minItems": 1, "items": {
      "type": "object", "required": ["oldText", "newText"],
      "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}}}},
    "mode": {"anyOf": [
      {"type": "string", "const": "strict"}, {"type": "string", "const": "loose"}]},
    "limit": {"type": "integer", "exclusiveMinimum": 0}}})";

}  // namespace

TEST(JsonSchema, AcceptsWhatFits) {
  EXPECT_TRUE(
      fits(kEditSchema, R"({"path":"a","edits":[{"oldText":"x","newText":""}],"limit":3.0})"));
  EXPECT_TRUE(fits("true", "5"));
  EXPECT_FALSE(fits("false", "5"));
}

TEST(JsonSchema, ReportsAMissingOrUnknownPropertyAtItsOwnPath) {
  EXPECT_EQ(errors_of(kEditSchema, R"({"path":"a","a/b":1})"),
            (SchemaErrors{{"/edits", "required", "missing"},
                          {"/a~1b", "additionalProperties", "unknown property"}}));
}

TEST(JsonSchema, ReportsEveryReasonWithPathAndKeyword) {
  EXPECT_EQ(
      errors_of(kEditSchema,
                R"({"path":"","edits":[{"oldText":null,"newText":"y"}],"mode":"x","limit":0})"),
      (SchemaErrors{{"/path", "minLength", "expected at least 1 characters but found 0"},
                    {"/edits/0/oldText", "type", "expected string but found null"},
                    {"/mode", "anyOf", "expected one of \"strict\", \"loose\""},
                    {"/limit", "exclusiveMinimum", "expected more than 0"}}));
}

TEST(JsonSchema, RequiresOwnPropertiesOnly) {
  EXPECT_FALSE(fits(R"({"required":["__proto__"]})", "{}"));
  EXPECT_FALSE(fits(R"({"required":["toString"]})", "{}"));
  EXPECT_TRUE(fits(R"({"required":["__proto__"]})", R"({"__proto__":1})"));
}

TEST(JsonSchema, RefusesABadPatternWhenCompiled) {
  const Error error = schema_refusal(R"({"properties":{"a/b":{"type":"string","pattern":"x("}}})");

  EXPECT_EQ(error.where, "/properties/a~1b/pattern");
  EXPECT_EQ(error.message, "invalid pattern 'x(': offset 2: group without its ')'");
  EXPECT_EQ(schema_refusal(R"({"patternProperties":{"[":true}})").where, "/patternProperties/[");
}

TEST(JsonSchema, LeavesABadPatternOutIfAsked) {
  SchemaOptions options;
  options.skip_bad_patterns = true;

  const JsonSchema schema = schema_of(R"({"type":"string","pattern":"("})", options);

  EXPECT_TRUE(schema.accepts("abc"));
  EXPECT_FALSE(schema.accepts(5));
  ASSERT_EQ(schema.diagnostics().size(), 1U);
  EXPECT_EQ(schema.diagnostics()[0].path, "/pattern");
}

TEST(JsonSchema, RefusesKeywordsWithValuesOfTheWrongType) {
  EXPECT_EQ(schema_refusal(R"({"properties":{"a":{"minimum":"1"}}})").where,
            "/properties/a/minimum");
  for (const std::string_view text :
       {"5", "[]", "null", R"({"type":5})", R"({"type":["string",1]})", R"({"required":"a"})",
        R"({"enum":"a"})", R"({"pattern":1})", R"({"properties":[]})", R"({"items":5})",
        R"({"anyOf":{}})", R"({"allOf":[1]})", R"({"multipleOf":0})", R"({"$ref":5})",
        R"({"uniqueItems":1})", R"({"dependentRequired":{"a":[1]}})"}) {
    EXPECT_EQ(schema_refusal(text).code, ErrorCode::rejected) << text;
  }
}

TEST(JsonSchema, RefusesAReferenceThatLeadsNowhere) {
  const Error error = schema_refusal(R"({"items":{"$ref":"#/$defs/x"}})");

  EXPECT_EQ(error,
            (Error{ErrorCode::rejected, "reference '#/$defs/x' leads nowhere", "/items/$ref"}));
  EXPECT_FALSE(compile_schema(schema_json(R"({"$ref":"https://example.com/x"})")).has_value());
}

TEST(JsonSchema, TypesThatJsonDoesNotHaveMatchNothing) {
  const JsonSchema schema = schema_of(R"({"properties":{"n":{"type":"bigint"}}})");

  EXPECT_FALSE(schema.accepts(Json{{"n", 5}}));
  EXPECT_TRUE(schema.accepts(Json::object()));
  ASSERT_EQ(schema.diagnostics().size(), 1U);
  EXPECT_EQ(schema.diagnostics()[0].path, "/properties/n/type");
}

TEST(JsonSchema, ResolvesRecursionByRelativeId) {
  constexpr std::string_view kTree = R"({"$id":"Node","type":"object","required":["nodes"],
      "properties":{"nodes":{"type":"array","items":{"$ref":"Node"}}}})";

  EXPECT_TRUE(fits(kTree, R"({"nodes":[{"nodes":[]}]})"));
  EXPECT_EQ(errors_of(kTree, R"({"nodes":[{"nodes":[{}]}]})"),
            (SchemaErrors{{"/nodes/0/nodes/0/nodes", "required", "missing"}}));
}

TEST(JsonSchema, ReadsADraft7TupleBesideNewerKeywords) {
  constexpr std::string_view kTuple =
      R"({"type":"array","items":[{"type":"string"},{"type":"number"}],
      "additionalItems":false,"minItems":2,"unevaluatedProperties":false})";

  EXPECT_TRUE(fits(kTuple, R"(["a",1])"));
  EXPECT_FALSE(fits(kTuple, R"(["a",1,2])"));
  EXPECT_FALSE(fits(kTuple, R"([1,"a"])"));
}

TEST(JsonSchema, ReadsRecordsAndNever) {
  EXPECT_TRUE(fits(R"({"patternProperties":{"^.*$":{"type":"number"}}})", R"({"a":1})"));
  EXPECT_FALSE(fits(R"({"patternProperties":{"^.*$":{"type":"number"}}})", R"({"a":"1"})"));
  EXPECT_FALSE(fits(R"({"not":{}})", "1"));
}

TEST(JsonSchema, CountsNumbersByValue) {
  EXPECT_TRUE(fits(R"({"type":"integer"})", "1.0"));
  EXPECT_FALSE(fits(R"({"type":"integer"})", "1.5"));
  EXPECT_TRUE(fits(R"({"multipleOf":0.01})", "19.99"));
  EXPECT_FALSE(fits(R"({"multipleOf":0.01})", "19.995"));
  EXPECT_TRUE(fits(R"({"enum":[1]})", "1.0"));
  EXPECT_FALSE(fits(R"({"enum":[1]})", R"("1")"));
}

TEST(JsonSchema, CountsCharactersNotBytes) {
  EXPECT_TRUE(fits(R"({"maxLength":2})", "\"\u00e9\U0001F600\""));
}

TEST(JsonSchema, FormatIsAnAnnotationUnlessAsked) {
  SchemaOptions options;
  options.assert_formats = true;

  EXPECT_TRUE(fits(R"({"format":"date"})", R"("2026-02-30")"));
  EXPECT_FALSE(schema_of(R"({"format":"date"})", options).accepts("2026-02-30"));
  EXPECT_TRUE(schema_of(R"({"format":"of-our-own"})", options).accepts("x"));
}

TEST(JsonSchema, EndlessReferencesAndEvilPatternsAreReasons) {
  EXPECT_EQ(errors_of(R"({"$ref":"#"})", "1"),
            (SchemaErrors{{"", "depth", "too many nested schemas and references"}}));
  EXPECT_FALSE(fits(R"({"not":{"$ref":"#/not"}})", "1"));
  const std::string evil = '"' + std::string(64, 'a') + "!\"";
  EXPECT_EQ(errors_of(R"({"pattern":"^(a+)+$"})", evil).at(0).keyword, "pattern");
  EXPECT_FALSE(fits(R"({"not":{"pattern":"^(a+)+$"}})", evil));
}

TEST(JsonSchema, UnionsOfRecursiveSchemasEnd) {
  constexpr std::string_view kUnion = R"({"anyOf":[{"type":"string"},
      {"type":"array","items":{"$ref":"#"}},{"type":"array","items":{"$ref":"#"}}]})";
  const std::string value = std::string(40, '[') + '1' + std::string(40, ']');

  EXPECT_EQ(errors_of(kUnion, value).back().keyword, "steps");
}

TEST(JsonSchema, RefusesSchemasNestedTooDeep) {
  Json schema = true;
  for (int i = 0; i < 600; ++i) schema = Json{{"not", std::move(schema)}};

  EXPECT_EQ(compile_schema(schema).error().code, ErrorCode::exhausted);
}

TEST(JsonSchema, ALongChainOfReferencesCostsNoStackToCompile) {
  Json definitions = Json::object();
  for (int i = 0; i < 3000; ++i) {
    definitions["d" + std::to_string(i)] = {{"$ref", "#/$defs/d" + std::to_string(i + 1)}};
  }
  definitions["d3000"] = true;

  const auto schema = compile_schema(Json{{"$ref", "#/$defs/d0"}, {"$defs", definitions}});

  ASSERT_TRUE(schema.has_value());
  EXPECT_EQ(schema->validate(1).at(0).keyword, "depth");
}

TEST(JsonSchema, UniqueItemsScalesToLongLists) {
  Json list = Json::array();
  for (int i = 0; i < 20'000; ++i) list.push_back(Json{{"n", i}});
  const JsonSchema schema = schema_of(R"({"uniqueItems":true})");
  EXPECT_TRUE(schema.accepts(list));

  list.push_back(Json{{"n", 0.0}});

  EXPECT_FALSE(schema.accepts(list));
}

TEST(JsonSchema, LoadsDocumentsOnDemand) {
  SchemaOptions options;
  options.load = [](const std::string& uri) -> std::optional<Json> {
    if (uri != "https://example.com/number") return {};
    return Json{{"type", "number"}};
  };

  const JsonSchema schema = schema_of(R"({"$ref":"https://example.com/number"})", options);

  EXPECT_TRUE(schema.accepts(1));
  EXPECT_FALSE(schema.accepts("1"));
}

}  // namespace plumb
