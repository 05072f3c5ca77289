// SPDX-License-Identifier: Apache-2.0
#include "reports/json.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/sample_records.h"
#include "reports/text.h"

namespace plumb::reports {
namespace {

using nlohmann::ordered_json;

ordered_json record_schema() {
  std::ifstream file("reports/record.schema.json");
  return ordered_json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

bool has_type(const ordered_json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  return type == "integer" && value.is_number_integer();
}

/// The few keywords that the schema uses; anything else in it is an error of this test.
class SchemaCheck final {
 public:
  explicit SchemaCheck(ordered_json root) : root_(std::move(root)) {}

  std::vector<std::string> errors_of(const ordered_json& value) {
    errors_.clear();
    check(root_, value, "");
    return errors_;
  }

 private:
  void expect(bool holds, const std::string& at, const std::string& keyword) {
    if (!holds) errors_.push_back(at + ": " + keyword);
  }
  void check(const ordered_json& schema, const ordered_json& value, const std::string& at) {
    for (const auto& [keyword, operand] : schema.items())
      check_keyword({keyword, schema}, value, at);
  }
  struct Keyword {
    std::string name;
    const ordered_json& schema;
  };
  void check_keyword(const Keyword& keyword, const ordered_json& value, const std::string& at) {
    const std::string& name = keyword.name;
    const ordered_json& operand = keyword.schema[name];
    if (name == "type") return expect(has_type(value, operand), at, name);
    if (name == "const") return expect(value == operand, at, name);
    if (name == "enum") return expect(std::ranges::find(operand, value) != operand.end(), at, name);
    if (name == "minimum") return expect(value >= operand, at, name);
    if (name == "$ref")
      return check(root_["$defs"][operand.get<std::string>().substr(8)], value, at);
    if (name == "required") {
      for (const auto& key : operand)
        expect(value.contains(key), at + "/" + key.get<std::string>(), name);
    } else if (name == "items") {
      for (const auto& item : value) check(operand, item, at + "/-");
    } else if (name == "additionalProperties") {
      check_members(keyword.schema, value, at);
    } else {
      const bool is_known =
          name == "properties" || name == "description" || name == "title" || name.starts_with("$");
      expect(is_known, at, "unknown keyword " + name);
    }
  }
  void check_members(const ordered_json& schema, const ordered_json& value, const std::string& at) {
    const ordered_json known = schema.value("properties", ordered_json::object());
    for (const auto& [key, member] : value.items()) {
      const bool is_known = known.contains(key);
      expect(is_known || schema["additionalProperties"].is_object(), at + "/" + key, "unknown key");
      if (is_known || schema["additionalProperties"].is_object()) {
        check(is_known ? known[key] : schema["additionalProperties"], member, at + "/" + key);
      }
    }
  }

  ordered_json root_;
  std::vector<std::string> errors_;
};

TEST(RecordJson, ReadsBackAsTheSameRecord) {
  for (const NamedRecord& sample : sample_records()) {
    if (sample.name == "hostile_text") continue;  // Its bad UTF-8 becomes U+FFFD.

    const Result<Record> read = read_record(json_text(sample.record), "r.json");

    ASSERT_TRUE(read) << sample.name << ": " << read.error().message;
    EXPECT_EQ(*read, sample.record) << sample.name;
  }
}

TEST(RecordJson, WritesTheSameBytesWhenReadBack) {
  const std::string text = json_text(hostile_text_record());

  const Result<Record> read = read_record(text, "r.json");

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(json_text(*read), text);
}

TEST(RecordJson, KeepsTextOfAVerdictThatDiffersFromItsRulesOthers) {
  RuleVerdict other = sample_verdict("R-1", Verdict::pass);
  other.sentence = "What R-1 demands in another edition.";
  const Record record =
      sample_record({sample_scenario("a", {sample_verdict("R-1", Verdict::pass), other})});

  EXPECT_EQ(read_record(json_text(record), "r.json"), record);
}

TEST(RecordJson, KeepsIntegersOfAnySize) {
  Record record = all_pass_record();
  record.scenarios[0].seed = UINT64_MAX;
  record.scenarios[0].duration_ms = INT64_MAX;

  EXPECT_EQ(read_record(json_text(record), "r.json"), record);
}

TEST(RecordJson, FitsItsSchema) {
  SchemaCheck check(record_schema());
  for (const NamedRecord& sample : sample_records()) {
    for (const bool has_timings : {true, false}) {
      const auto json = ordered_json::parse(json_text(sample.record, {has_timings}));
      EXPECT_THAT(check.errors_of(json), testing::IsEmpty()) << sample.name;
    }
  }
}

TEST(RecordJson, SchemaRefusesAnUnknownKeyAndAnUnknownVerdict) {
  SchemaCheck check(record_schema());
  auto json = ordered_json::parse(json_text(one_failure_record()));
  json["scenarios"][0]["extra"] = 1;
  json["scenarios"][0]["rules"][0]["verdict"] = "maybe";

  EXPECT_THAT(check.errors_of(json),
              testing::UnorderedElementsAre("/scenarios/-/extra: unknown key",
                                            "/scenarios/-/rules/-/verdict: enum"));
}

TEST(RecordJson, IsTheSameBytesWithoutTimings) {
  Record slow = one_failure_record();
  slow.duration_ms = 99999;
  slow.started_at = "2027-07-07T07:07:07Z";
  slow.scenarios[0].duration_ms = 99999;

  const RenderOptions options{.has_timings = false};

  EXPECT_EQ(json_text(slow, options), json_text(one_failure_record(), options));
  EXPECT_NE(json_text(slow), json_text(one_failure_record()));
  EXPECT_TRUE(read_record(json_text(slow, options), "r.json"));
}

std::string message_for(std::string_view from, std::string_view to) {
  const std::string text = replaced(json_text(one_failure_record()), from, to);
  const Result<Record> read = read_record(text, "r.json");
  return read ? "no error" : read.error().where + ": " + read.error().message;
}

TEST(RecordJson, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(message_for("plumb-record/1", "plumb-record/9"),
            "r.json: /schema: expected 'plumb-record/1', found 'plumb-record/9'");
  EXPECT_EQ(message_for("\"seed\": 0", "\"seed\": -1"),
            "r.json: /scenarios/0/seed: expected an integer, 0 or more");
  EXPECT_EQ(message_for("\"claimed\": false", "\"claimed\": 0"),
            "r.json: /scenarios/0/rules/0/claimed: expected a boolean");
  EXPECT_EQ(message_for("\"line\": 1", "\"row\": 1"), "r.json: /scenarios/0: missing key 'line'");
  EXPECT_EQ(message_for("\"line\": 1", "\"line\": 1, \"row\": 1"),
            "r.json: /scenarios/0: unknown key 'row'");
  EXPECT_EQ(message_for("\"failed\",", "\"broken\","),
            "r.json: /scenarios/0/status: unknown value 'broken'");
}

TEST(RecordJson, LocatesASyntaxError) {
  EXPECT_EQ(read_record("{\n \"schema\": nope}", "r.json").error().where, "r.json:2:13");
  EXPECT_EQ(read_record("", "r.json").error().message, "not valid JSON");
  EXPECT_FALSE(read_record("[]", "r.json"));
  EXPECT_FALSE(read_record(std::string(100000, '['), "r.json"));
}

}  // namespace
}  // namespace plumb::reports
