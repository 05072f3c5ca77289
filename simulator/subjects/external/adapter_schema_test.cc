// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/adapter_schema.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/trace/event_json.h"
#include "engine/values/json_members.h"
#include "engine/values/json_schema.h"
#include "simulator/subjects/external/adapter_message.h"
#include "simulator/subjects/external/live_kinds.h"

namespace plumb::simulator {
namespace {

using testing::HasSubstr;

constexpr const char* kFolder = "simulator/subjects/adapters/";

std::string text_of_file(const std::string& name) {
  std::ifstream stream(kFolder + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What a trace's line of this kind has beside the members that every line has.
Json data_of_kind(const std::string& kind) {
  Json data = trace_schema().at("$defs").at(kind);
  for (const char* name : {"seq", "at", "src", "kind", "call", "cause"}) {
    data["properties"].erase(name);
  }
  Json required = Json::array();
  for (const auto& name : data.at("required")) {
    const bool is_line = name == "seq" || name == "at" || name == "src" || name == "kind";
    if (!is_line && name != "call") required.push_back(name);
  }
  data["required"] = required;
  return data;
}

TEST(AdapterSchema, TakesTheDataOfEventsFromTheTrace) {
  for (const auto kind : kEventKinds) {
    const std::string name = "from_event_" + std::string(kind);
    const Json& defined = at(adapter_schema().at("$defs"), name);
    const bool is_ports = kind == "file_op" || kind == "process_start" || kind == "process_exit";
    if (is_harness_kind(kind) || is_ports) {
      EXPECT_TRUE(defined.is_null()) << kind;
      continue;
    }
    ASSERT_TRUE(defined.is_object()) << kind << ": renew " << kFolder << "adapter.schema.json";
    EXPECT_EQ(dump_json(defined.at("properties").at("data")),
              dump_json(data_of_kind(std::string(kind))))
        << kind;
  }
}

/// Every message of the protocol's page, "> " to the adapter and "< " from it.
TEST(AdapterSchema, AcceptsTheExamplesOfThePage) {
  std::istringstream page(text_of_file("PROTOCOL.md"));
  auto schema = compile_schema(adapter_schema());
  ASSERT_TRUE(schema) << schema.error().message;
  int count = 0;

  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("> {") && !line.starts_with("< {")) continue;
    ++count;
    const auto message = parse_json(line.substr(2));
    ASSERT_TRUE(message) << line;
    EXPECT_TRUE(schema->accepts(*message)) << line;
    if (line.starts_with("< ")) {
      EXPECT_TRUE(read_adapter_message(*message)) << line;
    }
  }

  EXPECT_GE(count, 20);
}

TEST(AdapterSchema, SaysWhichMemberIsWrong) {
  const auto read = read_adapter_line(R"({"type":"event","kind":"turn_start","data":{"turm":0}})");

  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::protocol);
  EXPECT_THAT(read.error().message, HasSubstr("'data.tur"));
}

TEST(AdapterMessage, ReadsAnEvent) {
  const auto read = read_adapter_line(
      R"({"type":"event","kind":"tool_execution_start","call":"c1","src":"probe","ref":"r",)"
      R"("cause":"q","data":{"name":"read","args":{"path":"a"}}})");

  ASSERT_TRUE(read) << read.error().message;
  AdapterEvent expected;
  expected.source = Source::probe;
  expected.payload = ToolExecutionStart{"read", SharedJson(Json{{"path", "a"}}), ""};
  expected.call = "c1";
  expected.ref = "r";
  expected.cause = "q";
  EXPECT_EQ(std::get<AdapterEvent>(*read), expected);
}

TEST(AdapterMessage, ReadsAnswersAndDialogs) {
  const auto done = read_adapter_line(R"({"type":"done","id":3})");
  const auto error =
      read_adapter_line(R"({"type":"error","id":4,"code":"unsupported","message":"no"})");
  const auto closed = read_adapter_line(R"({"type":"ui","ask":"a","closed":"timeout"})");

  ASSERT_TRUE(done && error && closed);
  EXPECT_EQ(std::get<AdapterAnswer>(*done), (AdapterAnswer{3, "", ""}));
  EXPECT_EQ(std::get<AdapterAnswer>(*error), (AdapterAnswer{4, "unsupported", "no"}));
  EXPECT_EQ(std::get<DialogClosed>(*closed), (DialogClosed{"a", "timeout"}));
}

}  // namespace
}  // namespace plumb::simulator
