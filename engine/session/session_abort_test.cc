// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "engine/session/session_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SessionAbort : public SessionFixture {
 protected:
  const AssistantMessage& last_answer() const {
    return std::get<AssistantMessage>(*session->messages().back());
  }
};

TEST_F(SessionAbort, NoRequestFollowsAndTheRunIsClosed) {  // ABORT-08, ABORT-11, EVENT-17
  add_tool(R"({"name": "stop", "do": ["abort", {"result": "stopped"}]})");
  provider.answers = {called({call_of("c1", "stop")}), said("never asked")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(provider.requests.size(), 1U);
  EXPECT_EQ(last_answer().stop_reason, StopReason::aborted);
  EXPECT_THAT(last_answer().content, IsEmpty());
  EXPECT_EQ(count_of<TurnStart>(), 2);
  EXPECT_EQ(count_of<TurnEnd>(), 2);
  EXPECT_EQ(count_of<AgentBeforeSettle>(), 0);
  ASSERT_EQ(count_of<AgentSettled>(), 1);
  EXPECT_TRUE(all_of<AgentSettled>().front()->aborted);
}

TEST_F(SessionAbort, RemainingCallsGetAbortedResults) {  // ABORT-02, ABORT-06
  options.tool_execution = ExecutionMode::sequential;
  add_tool(R"({"name": "stop", "do": ["abort"]})");
  provider.answers = {called({call_of("c1", "stop"), call_of("c2", "stop"), call_of("c3", "no")})};

  ASSERT_TRUE(prompt("go"));

  const auto outcomes = all_of<CallOutcome>();
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_EQ(outcomes[1]->outcome, "aborted");
  EXPECT_EQ(outcomes[2]->outcome, "aborted");
  EXPECT_EQ(count_of<ExecuteBegin>(), 1);
}

TEST_F(SessionAbort, SteeringIsRecordedAndFollowUpsStay) {  // ABORT-12
  add_tool(R"({"name": "stop", "do": ["abort"]})");
  provider.answers = {called({call_of("c1", "stop")}), said("later")};
  provider.on_request = [&](std::int64_t n) {
    if (n != 1) return;
    session->steer("left");
    session->follow_up("right");
  };

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(session->pending_count(), 1);
  const auto& messages = session->messages();
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(text_of(std::get<UserMessage>(*messages[3]).content), "left");
}

TEST_F(SessionAbort, FollowUpIsDeliveredInTheNextRun) {  // ABORT-12
  add_tool(R"({"name": "stop", "do": ["abort"]})");
  provider.answers = {called({call_of("c1", "stop")}), said("second"), said("third")};
  provider.on_request = [&](std::int64_t n) {
    if (n == 1) session->follow_up("right");
  };

  ASSERT_TRUE(prompt("go"));
  ASSERT_TRUE(prompt("again"));

  EXPECT_EQ(provider.requests.size(), 3U);
  EXPECT_THAT(request_text(2), HasSubstr("right"));
  EXPECT_EQ(session->pending_count(), 0);
}

TEST_F(SessionAbort, DuringPreparationSendsNothing) {  // ABORT-13
  extend(R"({"name": "one", "on": {"before_agent_start": [{"do": ["abort"]}]}})");

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(provider.requests, IsEmpty());
  EXPECT_EQ(count_of<AgentStart>(), 1);
  EXPECT_EQ(count_of<TurnEnd>(), 1);
  EXPECT_EQ(count_of<AgentEnd>(), 1);
  EXPECT_TRUE(all_of<AgentSettled>().front()->aborted);
}

TEST_F(SessionAbort, CutAnswerRunsNoCalls) {  // ABORT-09
  add_tool(R"({"name": "echo"})");
  provider.cuts_on_abort = true;
  provider.answers = {called({call_of("c1", "echo")})};
  provider.on_request = [&](std::int64_t) { session->abort(); };

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(count_of<ToolExecutionStart>(), 0);
  EXPECT_EQ(last_answer().stop_reason, StopReason::aborted);
  EXPECT_EQ(count_of<TurnStart>(), 1);
}

TEST_F(SessionAbort, WinsOverAPendingGate) {  // HOOK-28
  add_tool(R"({"name": "echo", "do": [{"note": "ran"}]})");
  extend(R"({"name": "gate", "on": {"tool_call": [{"do": ["wait_abort", {"block": "no"}]}]}})");
  provider.answers = {called({call_of("c1", "echo")})};
  recorder.listen([&](const plumb::Event& event) {
    if (event.as<HookCall>() != nullptr) session->abort();
  });

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(notes("ran"), IsEmpty());
  EXPECT_EQ(all_of<CallOutcome>().front()->outcome, "aborted");
}

TEST_F(SessionAbort, IsHarmlessWhenIdle) {  // ABORT-14
  start();
  session->abort();
  session->abort();
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_FALSE(all_of<AgentSettled>().front()->aborted);
}

TEST_F(SessionAbort, ShutdownAwaitsTheRun) {  // EVENT-39
  add_tool(R"({"name": "wait", "do": ["wait_abort", {"throw": "stopped"}]})");
  provider.answers = {called({call_of("c1", "wait")})};
  start();
  recorder.listen([&](const plumb::Event& event) {
    if (event.as<ExecuteBegin>() != nullptr) loop.spawn(session->shutdown(), "host");
  });

  ASSERT_TRUE(prompt("go"));
  ASSERT_TRUE(loop.run_until_idle());

  EXPECT_EQ(trace.events.back().kind(), "session_shutdown");
  EXPECT_EQ(all_of<CallOutcome>().front()->outcome, "execute_failed");  // ABORT-03
}

}  // namespace
}  // namespace plumb::engine
