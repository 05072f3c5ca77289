// SPDX-License-Identifier: Apache-2.0
// The published schemas, the reader and the scenarios of the repository say the same.
#include <set>

#include <gtest/gtest.h>

#include "engine/values/json_schema.h"
#include "simulator/script/scenario_schema.h"
#include "simulator/script/shape.h"
#include "simulator/script/source.h"

namespace plumb::simulator {
namespace {

using Keys = std::set<std::string, std::less<>>;

YamlDocument document_of(const std::string& path) {
  const auto text = read_source(path, 4 << 20);
  EXPECT_TRUE(text) << error_line(text.error());
  auto document = parse_yaml(*text, path, 4 << 20);
  EXPECT_TRUE(document) << error_line(document.error());
  return *std::move(document);
}

/// All keys that the schema lists under "properties", at any depth.
void collect_schema_keys(const Json& schema, Keys& keys) {
  for (const auto& item : schema.items()) {
    const bool names_keys = item.key() == "properties" && item.value().is_object();
    if (names_keys) {
      for (const auto& property : item.value().items()) keys.insert(property.key());
    }
    if (item.value().is_structured()) collect_schema_keys(item.value(), keys);
  }
}

void collect_keys(const Json& value, Keys& keys) {
  for (const auto& item : value.items()) {
    if (value.is_object()) keys.insert(item.key());
    // A step or verb without arguments is its bare name.
    if (value.is_array() && item.value().is_string()) keys.insert(item.value().get<std::string>());
    if (item.value().is_structured()) collect_keys(item.value(), keys);
  }
}

TEST(ScenarioSchema, UsesOnlyKeywordsThatTheReaderUnderstands) {
  EXPECT_EQ(unknown_keywords(scenario_schema()), std::vector<std::string>{});
  EXPECT_EQ(unknown_keywords(rules_schema()), std::vector<std::string>{});
}

TEST(ScenarioSchema, EveryKeyStandsInTheFixture) {
  Keys in_schema;
  Keys in_fixture;
  collect_schema_keys(scenario_schema(), in_schema);
  collect_keys(document_of("fixtures/every_key.yaml").root, in_fixture);

  for (const std::string& key : in_schema) {
    EXPECT_TRUE(in_fixture.contains(key)) << key << " is missing in fixtures/every_key.yaml";
  }
}

/// What a validator that knows nothing of this project says about a file.
std::string first_reason(const JsonSchema& schema, const std::string& path) {
  const auto reasons = schema.validate(document_of(path).root);
  return reasons.empty() ? "" : path + reasons.front().path + ": " + reasons.front().message;
}

TEST(ScenarioSchema, ValidatesEveryScenarioOfTheRepository) {
  const auto schema = compile_schema(scenario_schema());
  ASSERT_TRUE(schema) << error_line(schema.error());

  EXPECT_EQ(first_reason(*schema, "fixtures/every_key.yaml"), "");
  const auto scenarios = find_scenarios({"scenarios"});
  for (const std::string& path : scenarios.value()) {
    EXPECT_EQ(first_reason(*schema, path), "");
  }
}

TEST(ScenarioSchema, ValidatesEveryFileOfTheCatalogue) {
  const auto schema = compile_schema(rules_schema());
  ASSERT_TRUE(schema) << error_line(schema.error());

  const auto files = list_yaml_files("scenarios/rules");
  for (const std::string& path : files.value()) {
    EXPECT_EQ(first_reason(*schema, path), "");
  }
}

}  // namespace
}  // namespace plumb::simulator
