// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/pi_rpc.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "engine/trace/jsonl.h"
#include "engine/trace/request_fold.h"

namespace plumb::simulator {
namespace {

std::string slurp(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Trace capture(const std::string& api) {
  const std::string stem = "fixtures/captures/pi-1.6.0-" + api;
  const auto events = slurp(stem + ".events.jsonl");
  const auto requests = slurp(stem + ".requests.json");
  auto trace = read_pi_rpc({events, "events.jsonl"}, {requests, "requests.json"});
  EXPECT_TRUE(trace) << trace.error().where << ": " << trace.error().message;
  return trace ? *std::move(trace) : Trace();
}

std::int64_t count(const Trace& trace, std::string_view kind) {
  std::int64_t n = 0;
  for (const auto& event : trace.events) n += event.kind() == kind ? 1 : 0;
  return n;
}

class PiCapture : public testing::TestWithParam<std::string> {};

TEST_P(PiCapture, ShowsSixCallsInFourTurns) {
  const auto trace = capture(GetParam());

  EXPECT_EQ(count(trace, "tool_execution_start"), 6);
  EXPECT_EQ(count(trace, "tool_execution_end"), 6);
  EXPECT_EQ(count(trace, "provider_request"), 4);
  EXPECT_EQ(count(trace, "provider_response"), 4);
  EXPECT_EQ(count(trace, "agent_settled"), 1);
}

TEST_P(PiCapture, RequestsOnlyAppend) {  // CACHE-05
  const auto trace = capture(GetParam());

  for (const auto& event : trace.events) {
    if (const auto* request = event.as<ProviderRequest>()) {
      EXPECT_EQ(request->removed, 0);
    }
  }
}

TEST_P(PiCapture, SurvivesWritingAndReading) {
  const auto trace = capture(GetParam());

  const auto read = read_trace(write_trace(trace), "trace.jsonl");

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->events.size(), trace.events.size());
}

INSTANTIATE_TEST_SUITE_P(Apis, PiCapture, testing::Values("messages", "chat", "responses"));

/// The roles of the last request's messages.
std::vector<std::string> last_roles(const Trace& trace) {
  std::vector<std::string> roles;
  RequestFold fold;
  for (const auto& event : trace.events) {
    if (event.as<ProviderRequest>() == nullptr) continue;
    const auto folded = fold.fold(event);
    EXPECT_TRUE(folded);
    roles.clear();
    for (const auto& block : folded->blocks) {
      if (block.zone == Zone::messages) roles.push_back(block.body.get().value("role", ""));
    }
  }
  return roles;
}

TEST(PiCaptures, AllDialectsGiveTheSameConversation) {
  const auto messages = last_roles(capture("messages"));

  EXPECT_EQ(messages, last_roles(capture("chat")));
  EXPECT_EQ(messages, last_roles(capture("responses")));
  EXPECT_EQ(messages.front(), "user");
}

std::string refusal(std::string_view events, std::string_view requests = "") {
  const auto trace = read_pi_rpc({events, "e.jsonl"}, {requests, "r.json"});
  return trace ? "accepted" : trace.error().where + ": " + trace.error().message;
}

TEST(PiRpc, RefusesWhatIsNoStream) {
  EXPECT_EQ(refusal(""), "e.jsonl:1:1: the file is empty, expected records of pi's RPC output");
  EXPECT_TRUE(
      refusal("{\"type\":\"agent_start\"}").starts_with("e.jsonl:1:1: the last line is cut"));
  EXPECT_TRUE(refusal("{\"type\":\"agent_start\"}\n[]\n").starts_with("e.jsonl:2:1: a record"));
  EXPECT_TRUE(
      refusal("{\"type\":\"agent_start\"}\n", "{}").starts_with("r.json:1:1: a request log"));
  EXPECT_TRUE(refusal("{\"type\":\"agent_start\"}\n", R"([{"path":"/v2/x","body":{}}])")
                  .starts_with("r.json:1:2: unknown request path"));
}

TEST(PiRpc, RefusesACaptureThatIsCutBeforeItSettles) {
  const auto whole = slurp("fixtures/captures/pi-1.6.0-chat.events.jsonl");
  const auto settled = whole.find("\"agent_settled\"");
  const auto end = whole.rfind('\n', settled) + 1;

  const auto told = refusal(whole.substr(0, end));

  EXPECT_NE(told.find("the stream ends before the run does"), std::string::npos) << told;
}

TEST(PiRpc, RefusesACaptureThatIsGivenTwice) {
  const auto whole = slurp("fixtures/captures/pi-1.6.0-chat.events.jsonl");

  const auto told = refusal(whole + whole);

  EXPECT_NE(told.find("is the stream given twice?"), std::string::npos) << told;
}

TEST(PiRpc, RefusesTheRequestLogOfAnotherRun) {
  const auto events = slurp("fixtures/captures/pi-1.6.0-chat.events.jsonl");
  auto requests = slurp("fixtures/captures/pi-1.6.0-chat.requests.json");
  const std::string asked = "Please change b.txt";
  requests.replace(requests.find(asked), asked.size(), "Please read c.txt");

  const auto told = refusal(events, requests);

  EXPECT_TRUE(told.starts_with("r.json:2:")) << told;
  EXPECT_NE(told.find("the log of another run"), std::string::npos) << told;
}

}  // namespace
}  // namespace plumb::simulator
