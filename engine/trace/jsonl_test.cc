// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/jsonl.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "engine/trace/event_json.h"
#include "engine/trace/visit_payload.h"

namespace plumb {
namespace {

Trace small_trace() {
  Trace trace;
  trace.header.subject = "reference";
  trace.header.emits = {"agent_start", "tool_execution_start", "provider_request"};
  Recorder recorder(trace, [] { return std::int64_t{7}; });
  recorder.record(Source::engine, AgentStart{});
  ToolExecutionStart start;
  start.name = "read";
  start.args = SharedJson(Json{{"path", "a.txt"}});
  recorder.record(Source::engine, start, "c1", 0);
  ProviderRequest request;
  request.n = 1;
  request.append = {{Zone::system, SharedJson(Json("be brief"))}};
  recorder.record(Source::port, request);
  return trace;
}

/// Every kind once, with every field away from its default.
struct FieldFiller {
  void operator()(std::string_view name, std::string& value) const { value = name; }
  void operator()(std::string_view name, PrefixHash& value) const {
    value = PrefixHash(std::string(name));
  }
  void operator()(std::string_view, std::int64_t& value) const { value = 3; }
  void operator()(std::string_view, bool& value) const { value = true; }
  void operator()(std::string_view, SharedJson& value) const {
    value = SharedJson(Json{{"z", 1}, {"a", {true, nullptr}}});
  }
  void operator()(std::string_view, std::vector<std::string>& value) const { value = {"x", "y"}; }
  void operator()(std::string_view, std::vector<RequestBlock>& value) const {
    value = {{Zone::tools, SharedJson(Json{{"name", "t"}})}};
  }
};

/// A value of each kind, with its fields filled.
std::vector<Payload> all_kinds() {
  std::vector<Payload> payloads;
  for_each_kind([&payloads]<class Kind>(std::type_identity<Kind>) {
    Kind value;
    Kind::fields(value, FieldFiller{});
    payloads.emplace_back(std::move(value));
  });
  return payloads;
}

/// A trace with every kind once.
Trace full_trace() {
  Trace trace;
  trace.header.subject = "s";
  trace.header.emits.assign(kEventKinds.begin(), kEventKinds.end());
  Recorder recorder(trace, [] { return std::int64_t{1}; });
  for (auto& payload : all_kinds()) {
    recorder.record(Source::probe, payload, "c1");
  }
  return trace;
}

TEST(Jsonl, EveryKindSurvivesWritingAndReading) {
  const Trace trace = full_trace();

  const auto read = read_trace(write_trace(trace), "t.jsonl");

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, trace);
}

TEST(Jsonl, EveryKindSurvivesWithoutContent) {
  Trace trace;
  trace.header.subject = "s";
  trace.header.emits.assign(kEventKinds.begin(), kEventKinds.end());
  Recorder recorder(trace, [] { return std::int64_t{1}; });
  for_each_kind([&recorder]<class Kind>(std::type_identity<Kind>) {
    recorder.record(Source::probe, Kind());
  });

  const auto read = read_trace(write_trace(trace), "t.jsonl");

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, trace);
}

/// Members that the published schema requires of a kind.
std::vector<std::string> required_of(std::string_view kind) {
  const auto schema = trace_schema();
  return schema.at("$defs").at(std::string(kind)).at("required").get<std::vector<std::string>>();
}

TEST(Jsonl, RefusesAnEventWithoutAMemberThatTheSchemaRequires) {
  std::int64_t deleted = 0;
  for (const auto& event : full_trace().events) {
    for (const auto& member : required_of(event.kind())) {
      Json json = to_json(event);
      ASSERT_EQ(json.erase(member), 1U) << event.kind() << " " << member;

      const auto read = parse_whole_event(json);

      ASSERT_FALSE(read) << event.kind() << " without " << member;
      EXPECT_NE(read.error().message.find("must have '" + member + "'"), std::string::npos)
          << read.error().message;
      ++deleted;
    }
  }
  EXPECT_GT(deleted, 200);
}

TEST(Jsonl, TakesAnEventWithoutAMemberThatTheSchemaDoesNotRequire) {
  for (const auto& event : full_trace().events) {
    const auto required = required_of(event.kind());
    const Json whole = to_json(event);
    for (const auto& [member, value] : whole.items()) {
      if (std::ranges::find(required, member) != required.end()) continue;
      Json json = whole;
      json.erase(member);

      EXPECT_TRUE(parse_whole_event(json)) << event.kind() << " without " << member;
    }
  }
}

TEST(Jsonl, ReadsAnEventByHandWithoutAMemberThatTheSchemaRequires) {
  const Json json{{"seq", 0}, {"at", 0}, {"src", "engine"}, {"kind", "turn_start"}};

  const auto read = parse_event(json);

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->payload, Payload(TurnStart{}));
}

TEST(Jsonl, RefusesATraceThatIsCutAtAnyLine) {
  std::string text = write_trace(full_trace());

  while (text.size() > 1) {
    text.resize(text.rfind('\n', text.size() - 2) + 1);
    if (text.empty()) break;
    const auto read = read_trace(text, "t.jsonl");
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("the trace ends before the run does"), std::string::npos);
    EXPECT_EQ(read.error().where,
              "t.jsonl:" + std::to_string(std::ranges::count(text, '\n')) + ":1");
  }
}

TEST(Jsonl, TakesTheMembersOfTheEndInAnyOrder) {
  std::string text = write_trace(small_trace());
  const std::string end = R"({"end":true,"events":3})";
  text.replace(text.find(end), end.size(), R"({"events":3,"end":true})");

  const auto read = read_trace(text, "t.jsonl");

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, small_trace());
}

TEST(Jsonl, ReadsWhatItWrote) {
  const auto trace = small_trace();

  const auto read = read_trace(write_trace(trace), "t.jsonl");

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, trace);
}

TEST(Jsonl, KeepsMemberOrderOfArguments) {  // CACHE-09
  const auto json = to_json(small_trace().events[1]);

  EXPECT_EQ(dump_json(json),
            R"({"seq":1,"at":7,"src":"engine","kind":"tool_execution_start","call":"c1","cause":0,)"
            R"("name":"read","args":{"path":"a.txt"}})");
}

struct BadTrace {
  std::string text;
  std::string where;
  std::string message;
};

class JsonlRefusal : public testing::TestWithParam<BadTrace> {};

TEST_P(JsonlRefusal, NamesLineAndCause) {
  const auto read = read_trace(GetParam().text, "t.jsonl");

  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().where, GetParam().where);
  EXPECT_NE(read.error().message.find(GetParam().message), std::string::npos)
      << read.error().message;
}

const std::string kHeader =
    R"({"schema":"plumb-trace/1","subject":"s","engine":"session","edition":"seed","seed":0,)"
    R"("determinism":"hermetic","clock":"virtual","emits":["agent_start","turn_start"],)"
    R"("declares":{}})"
    "\n";

INSTANTIATE_TEST_SUITE_P(
    Traces, JsonlRefusal,
    testing::Values(
        BadTrace{"", "t.jsonl:1:1", "empty"}, BadTrace{"{}\n", "t.jsonl:1:1", "'schema'"},
        BadTrace{R"({"schema":"plumb-trace/9"})"
                 "\n",
                 "t.jsonl:1:1", "plumb-trace/9"},
        BadTrace{kHeader + R"({"seq":0,"at":0,"src":"engine","kind":"agent_start"})", "t.jsonl:2:1",
                 "cut short"},
        BadTrace{kHeader + R"({"seq":1,"at":0,"src":"engine","kind":"agent_start"})" + "\n",
                 "t.jsonl:2:1", "expected 0"},
        BadTrace{kHeader + R"({"seq":0,"at":0,"src":"engine","kind":"agent_strat"})" + "\n",
                 "t.jsonl:2:1", "did you mean 'agent_start'"},
        BadTrace{kHeader + R"({"seq":0,"at":0,"src":"engine","kind":"turn_start","trun":1})" + "\n",
                 "t.jsonl:2:1", "did you mean 'turn'"},
        BadTrace{
            kHeader + R"({"seq":0,"at":0,"src":"engine","kind":"turn_start","turn":"1"})" + "\n",
            "t.jsonl:2:1", "must be an integer"},
        BadTrace{
            kHeader + R"({"seq":0,"at":0,"src":"engine","kind":"agent_start","cause":0})" + "\n",
            "t.jsonl:2:1", "earlier"},
        BadTrace{
            kHeader + R"({"seq":0,"at":18446744073709551615,"src":"engine","kind":"crash"})" + "\n",
            "t.jsonl:2:1", "beyond 64 bits"},
        BadTrace{R"({"schema":"plumb-trace/1","subject":"s","engine":"session","edition":"seed",)"
                 R"("seed":0,"determinism":"hermetic","clock":"virtual","emits":["agent_strat"]})"
                 "\n",
                 "t.jsonl:1:1", "did you mean 'agent_start'"},
        BadTrace{kHeader + "{\"seq\":\n", "t.jsonl:2:8", ""}));

TEST(TraceSchema, StandsInTheRepository) {
  const std::string path = "engine/trace/trace.schema.json";
  const auto text = dump_json_pretty(trace_schema()) + "\n";
  if (std::getenv("PLUMB_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;

  std::stringstream stored;
  stored << std::ifstream(path).rdbuf();

  EXPECT_EQ(stored.str(), text) << "renew it with PLUMB_UPDATE_GOLDEN=1";
}

TEST(FieldOf, FollowsPathsIntoJson) {
  const auto trace = small_trace();

  EXPECT_EQ(field_of(trace.events[1], "args.path"), Json("a.txt"));
  EXPECT_EQ(field_of(trace.events[1], "call"), Json("c1"));
  EXPECT_EQ(field_of(trace.events[1], "args.nothing"), std::nullopt);
  EXPECT_EQ(field_of(trace.events[0], "args"), std::nullopt);
}

TEST(Recorder, RecordsNothingOnceSevered) {
  Trace trace;
  Recorder recorder(trace, [] { return std::int64_t{0}; });
  recorder.record(Source::engine, AgentStart{});
  recorder.sever();

  EXPECT_EQ(recorder.record(Source::engine, AgentEnd{}), -1);
  EXPECT_EQ(trace.events.size(), 1U);
}

}  // namespace
}  // namespace plumb
