// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session.h"

#include <gmock/gmock.h>

#include "engine/session/session_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SessionRun : public SessionFixture {};

constexpr std::string_view kEcho = R"({"name": "echo", "description": "d",
  "do": [{"update": "half"}, {"result": {"content": "${args/text}"}}]})";

std::string kinds_between(const std::vector<std::string>& words) {
  std::string joined;
  for (const auto& word : words) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

TEST_F(SessionRun, LifeCycleOfOnePromptWithOneCall) {  // EVENT-01
  add_tool(kEcho);
  extend(R"({"name": "gate", "on": {"tool_call": [{"do": ["allow"]}],
                                    "tool_result": [{"do": ["allow"]}]}})");
  provider.answers = {called({call_of("c1", "echo", {{"text", "hi"}})}), said("done")};

  ASSERT_TRUE(prompt("go"));

  const std::string expected =
      "session_start input before_agent_start agent_start turn_start message_start message_end "
      "message_start message_end tool_execution_start hook tool_call tool_execution_update "
      "hook tool_result tool_execution_end message_start message_end turn_end turn_start "
      "message_start message_end turn_end agent_end agent_before_settle agent_settled";
  EXPECT_EQ(kinds_between(words()), expected);
  EXPECT_EQ(all_of<AgentSettled>().front()->aborted, false);
}

TEST_F(SessionRun, ResultOfACallReachesTheNextRequest) {  // RESULT-01, BATCH-17
  add_tool(kEcho);
  provider.answers = {called({call_of("c1", "echo", {{"text", "hi"}})}), said("done")};

  ASSERT_TRUE(prompt("go"));

  ASSERT_EQ(provider.requests.size(), 2U);
  const Json& result = provider.requests[1].messages.back().get();
  EXPECT_EQ(result["role"], "toolResult");
  EXPECT_EQ(result["toolCallId"], "c1");
  EXPECT_EQ(result["content"][0]["text"], "hi");
}

TEST_F(SessionRun, PrefixOfTheNextRequestIsTheSameObjects) {  // PROMPT-11
  add_tool(kEcho);
  provider.answers = {called({call_of("c1", "echo")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  const auto& first = provider.requests[0];
  const auto& second = provider.requests[1];
  EXPECT_TRUE(first.system.same_object(second.system));
  EXPECT_TRUE(first.tools[0].json.same_object(second.tools[0].json));
  EXPECT_TRUE(first.messages[0].same_object(second.messages[0]));
}

TEST_F(SessionRun, SameSeedGivesTheSameTrace) {
  const auto play = [] {
    struct Player : SessionFixture {
      Player() : SessionFixture(7) {}
      void TestBody() override {
        add_tool(kEcho);
        provider.answers = {called({call_of("a", "echo"), call_of("b", "echo")}), said("done")};
        ASSERT_TRUE(prompt("go"));
      }
      Trace played() {
        TestBody();
        return trace;
      }
    };
    return Player().played();
  };

  EXPECT_EQ(play(), play());
}

TEST_F(SessionRun, InputHandlersTransformInTurn) {  // EVENT-18
  extend(R"({"name": "one", "on": {"input": [
    {"do": [{"return": {"action": "transform", "text": "${event/text}+1"}}]}]}})");
  extend(R"({"name": "two", "on": {"input": [
    {"do": [{"return": {"action": "transform", "text": "${event/text}+2"}}]}]}})");
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(request_text(0), HasSubstr("go+1+2"));
}

TEST_F(SessionRun, HandledInputStartsNoRun) {  // EVENT-18
  extend(R"({"name": "one", "on": {"input": [
    {"when": {"match": {"/text": {"contains": "stop"}}}, "do": [{"return": {"action": "handled"}}]},
    {"do": [{"note": "second"}]}]}})");

  ASSERT_TRUE(prompt("stop it"));

  EXPECT_THAT(provider.requests, IsEmpty());
  EXPECT_THAT(notes("second"), IsEmpty());
  EXPECT_EQ(count_of<AgentStart>(), 0);
}

TEST_F(SessionRun, ThrowingInputHandlerIsSkipped) {  // EVENT-20
  extend(R"({"name": "one", "on": {"input": [{"do": [{"throw": "broken"}]}]}})");
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(request_text(0), HasSubstr("go"));
  EXPECT_EQ(all_of<plumb::ExtensionError>().front()->error, "broken");
}

TEST_F(SessionRun, PreparationIsForOneRun) {  // EVENT-21, PROMPT-14
  extend(R"({"name": "one", "on": {"before_agent_start": [{"when": {"nth": 1}, "do": [
    {"set": {"path": "/sections/house", "value": "be kind"}},
    {"return": {"message": {"customType": "hint", "content": "a hint"}}}]}]}})");
  provider.answers = {said("one"), said("two")};

  ASSERT_TRUE(prompt("first"));
  ASSERT_TRUE(prompt("second"));

  EXPECT_THAT(system_of(0), HasSubstr("<house>\nbe kind\n</house>"));
  EXPECT_THAT(system_of(1), Not(HasSubstr("be kind")));
  EXPECT_EQ(provider.requests[0].messages.size(), 2U);
  EXPECT_THAT(provider.requests[0].messages[1].bytes(), HasSubstr("a hint"));
  EXPECT_THAT(request_text(1), HasSubstr("a hint"));
}

TEST_F(SessionRun, ReturnedPromptIsSentAsItIsForOneRun) {  // PROMPT-14
  extend(R"({"name": "one", "on": {"before_agent_start": [
    {"when": {"nth": 1}, "do": [{"return": {"systemPrompt": "just this"}}]},
    {"do": [{"note": {"topic": "saw", "data": "$event/systemPrompt"}}]}]}})");
  provider.answers = {said("one"), said("two")};

  ASSERT_TRUE(prompt("first"));
  ASSERT_TRUE(prompt("second"));

  EXPECT_EQ(system_of(0), "just this");
  EXPECT_NE(system_of(1), "just this");
  EXPECT_EQ(notes("saw").front(), "just this");
}

TEST_F(SessionRun, ContextChangesOnlyTheRequest) {  // EVENT-22
  extend(R"({"name": "one", "on": {"context": [{"when": {"nth": 1}, "do": [
    {"return": {"messages": [{"role": "user", "content": [{"type": "text",
        "text": "else"}]}]}}]}]}})");
  provider.answers = {said("one"), said("two")};

  ASSERT_TRUE(prompt("secret"));
  ASSERT_TRUE(prompt("again"));

  EXPECT_THAT(request_text(0), Not(HasSubstr("secret")));
  EXPECT_THAT(request_text(1), HasSubstr("secret"));
  EXPECT_EQ(text_of(std::get<UserMessage>(*session->messages()[0]).content), "secret");
}

TEST_F(SessionRun, ReplacedMessageKeepsItsRole) {  // EVENT-25
  extend(R"({"name": "one", "on": {"message_end": [
    {"when": {"match": {"/message/role": "user"}}, "do": [
      {"return": {"message": {"role": "user", "content": "changed"}}}]},
    {"when": {"match": {"/message/role": "assistant"}}, "do": [
      {"return": {"message": {"role": "user", "content": "wrong role"}}}]}]}})");
  provider.answers = {said("answer")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(request_text(0), HasSubstr("changed"));
  EXPECT_EQ(text_of(std::get<AssistantMessage>(*session->messages()[1]).content), "answer");
  EXPECT_EQ(count_of<plumb::ExtensionError>(), 1);
}

TEST_F(SessionRun, SteeringComesAfterTheBatchAndBeforeTheNextRequest) {  // EVENT-31
  add_tool(kEcho);
  provider.answers = {called({call_of("c1", "echo"), call_of("c2", "echo")}), said("done")};
  provider.on_request = [&](std::int64_t n) {
    if (n == 1) session->steer("turn left");
  };

  ASSERT_TRUE(prompt("go"));

  ASSERT_EQ(provider.requests.size(), 2U);
  const auto& messages = provider.requests[1].messages;
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_THAT(messages.back().bytes(), HasSubstr("turn left"));
  EXPECT_EQ(count_of<ToolExecutionEnd>(), 2);
}

TEST_F(SessionRun, FollowUpComesWhenTheRunWouldStop) {  // EVENT-32, EVENT-33
  provider.answers = {said("one"), said("two"), said("three")};
  provider.on_request = [&](std::int64_t n) {
    if (n != 1) return;
    session->follow_up("and a");
    session->follow_up("and b");
  };

  ASSERT_TRUE(prompt("go"));

  ASSERT_EQ(provider.requests.size(), 3U);
  EXPECT_THAT(request_text(1), HasSubstr("and a"));
  EXPECT_THAT(request_text(1), Not(HasSubstr("and b")));
  EXPECT_EQ(count_of<AgentStart>(), 1);
  EXPECT_EQ(count_of<AgentSettled>(), 1);
}

TEST_F(SessionRun, QueueModeAllDeliversEverythingAtOnce) {  // EVENT-33
  options.steering = QueueMode::all;
  provider.answers = {said("one"), said("two")};
  provider.on_request = [&](std::int64_t n) {
    if (n != 1) return;
    session->steer("a");
    session->steer("b");
  };

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(provider.requests[1].messages.size(), 4U);
}

TEST_F(SessionRun, ErrorAnswerEndsTheRunWithoutItsCalls) {  // EVENT-29
  add_tool(kEcho);
  AssistantMessage answer = called({call_of("c1", "echo")});
  answer.stop_reason = StopReason::error;
  provider.answers = {answer};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(count_of<ToolExecutionStart>(), 0);
  EXPECT_EQ(count_of<TurnEnd>(), 1);
  EXPECT_EQ(count_of<AgentSettled>(), 1);
}

TEST_F(SessionRun, RetryLeavesTheFailedAnswerOut) {  // EVENT-14, EVENT-30
  options.retry.count_max = 2;
  provider.answers = {failed(StopReason::error, "overloaded"), said("good")};

  ASSERT_TRUE(prompt("go"));

  const auto ends = all_of<AgentEnd>();
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_TRUE(ends[0]->will_retry);
  EXPECT_FALSE(ends[1]->will_retry);
  EXPECT_EQ(count_of<AgentSettled>(), 1);
  EXPECT_EQ(provider.requests[1].messages.size(), 1U);
  EXPECT_EQ(loop.now_ms(), 1000);
}

TEST_F(SessionRun, BrokenProviderStillClosesTheRun) {  // EVENT-28
  const auto done = prompt("go");

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::protocol);
  EXPECT_EQ(count_of<TurnEnd>(), 1);
  EXPECT_EQ(count_of<AgentEnd>(), 1);
  EXPECT_EQ(count_of<AgentSettled>(), 1);
}

TEST_F(SessionRun, TruncatedAnswerExecutesNothingAndGoesOn) {  // BATCH-11
  add_tool(R"({"name": "echo", "do": [{"note": "ran"}]})");
  AssistantMessage cut = called({call_of("c1", "echo")});
  cut.stop_reason = StopReason::length;
  provider.answers = {cut, said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(notes("ran"), IsEmpty());
  EXPECT_EQ(all_of<CallOutcome>().front()->outcome, "truncated");
  EXPECT_EQ(provider.requests.size(), 2U);
}

TEST_F(SessionRun, UnanimousTerminateSkipsTheNextRequest) {  // BATCH-12
  add_tool(R"({"name": "end", "do": [{"result": {"content": "bye", "terminate": true}}]})");
  provider.answers = {called({call_of("c1", "end"), call_of("c2", "end")})};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(provider.requests.size(), 1U);
}

TEST_F(SessionRun, TurnLimitEndsThePromptWithAnError) {
  add_tool(kEcho);
  options.turns_max = 3;
  for (int i = 0; i < 9; ++i) provider.answers.emplace_back(called({call_of("c", "echo")}));

  const auto done = prompt("go");

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::exhausted);
  EXPECT_EQ(provider.requests.size(), 3U);
  EXPECT_EQ(count_of<AgentSettled>(), 1);
}

TEST_F(SessionRun, BeforeSettleMayContinueOnce) {  // EVENT-15
  extend(R"({"name": "one", "on": {"agent_before_settle": [{"when": {"nth": 1}, "do": [
    {"return": {"continue": true, "entries": [
      {"type": "custom_message", "customType": "more", "content": "one more"}]}}]}]}})");
  provider.answers = {said("one"), said("two")};

  ASSERT_TRUE(prompt("go"));

  ASSERT_EQ(provider.requests.size(), 2U);
  EXPECT_THAT(request_text(1), HasSubstr("one more"));
  EXPECT_EQ(count_of<AgentBeforeSettle>(), 2);
  EXPECT_EQ(count_of<AgentSettled>(), 1);
}

TEST_F(SessionRun, ContinueWithoutAnythingToAnswerIsAnError) {  // EVENT-15
  extend(
      R"({"name": "one", "on": {"agent_before_settle": [
        {"do": [{"return": {"continue": true}}]}]}})");
  provider.answers = {said("one")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(provider.requests.size(), 1U);
  EXPECT_EQ(count_of<plumb::ExtensionError>(), 1);
  EXPECT_EQ(count_of<AgentSettled>(), 1);
}

TEST_F(SessionRun, TurnEndSeesStoredEntries) {  // EVENT-12, EVENT-13
  add_tool(kEcho);
  extend(R"({"name": "one", "on": {"turn_end": [{"when": {"nth": 1}, "do": [
    {"note": {"topic": "ids", "data": ["$event/messageEntryId", "$event/toolResultEntryIds/0"]}},
    {"note": {"topic": "entries", "data": "$ctx.entries"}}]}]}})");
  provider.answers = {called({call_of("c1", "echo")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  const Json ids = notes("ids").front();
  const Json entries = notes("entries").front();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(ids[0], entries[1]["id"]);
  EXPECT_EQ(ids[1], entries[2]["id"]);
}

Task<void> prompt_into(Session& target, Result<void>& result) {
  result = co_await target.prompt("again");
}

TEST_F(SessionRun, PromptDuringARunIsRejected) {  // EVENT-35
  add_tool(R"({"name": "slow", "do": [{"delay": 10}]})");
  provider.answers = {called({call_of("c1", "slow")}), said("done")};
  Result<void> second;
  recorder.listen([&](const plumb::Event& event) {
    if (event.as<ExecuteBegin>() != nullptr) loop.spawn(prompt_into(*session, second), "second");
  });

  ASSERT_TRUE(prompt("go"));

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::rejected);
  EXPECT_EQ(provider.requests.size(), 2U);
}

TEST_F(SessionRun, WorkAskedForWhenSettledIsANewRun) {  // EVENT-16
  extend(R"({"name": "one", "on": {"agent_settled": [{"when": {"nth": 1}, "do": [
    {"note": {"topic": "idle", "data": "$ctx.is_idle"}}, {"send": {"content": "and this"}}]}]}})");
  provider.answers = {said("one"), said("two")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(notes("idle"), ElementsAre(true));
  EXPECT_EQ(count_of<AgentSettled>(), 2);
  EXPECT_EQ(count_of<AgentStart>(), 2);
  EXPECT_THAT(request_text(1), HasSubstr("and this"));
}

TEST_F(SessionRun, StreamHandlersSeePiecesInOrder) {  // EVENT-10, EVENT-26
  extend(R"({"name": "one", "on": {"message_update": [{"do": [
    {"delay": 5}, {"note": {"topic": "piece",
        "data": "$event/assistantMessageEvent/delta"}}]}]}})");
  provider.deltas = {Json{{"type", "text_delta"}, {"delta", "a"}},
                     Json{{"type", "text_delta"}, {"delta", "b"}}};
  provider.answers = {said("ab")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(notes("piece"), ElementsAre("a", "b"));
  EXPECT_EQ(count_of<MessageUpdate>(), 2);
  EXPECT_EQ(count_of<MessageStart>(), 2);
}

TEST_F(SessionRun, ReloadRunsTheFactoriesAgain) {  // EXT-28, EVENT-38, EVENT-39
  extend(R"({"name": "one", "tools": [{"name": "echo", "description": "d"}],
             "on": {"session_shutdown": [
        {"do": [{"note": {"topic": "bye", "data": "$event/reason"}}]}],
                    "session_start": [
        {"do": [{"note": {"topic": "hi", "data": "$event/reason"}}]}]}})");
  start();
  session->set_active_tools({});

  ASSERT_TRUE(loop.run(session->reload()));

  EXPECT_THAT(notes("hi"), ElementsAre("startup", "reload"));
  EXPECT_THAT(notes("bye"), ElementsAre("reload"));
  EXPECT_THAT(session->active_tools(), IsEmpty());
}

TEST_F(SessionRun, UserBashFailsClosed) {  // EVENT-41
  extend(R"({"name": "one", "on": {"user_bash": [
    {"when": {"match": {"/command": "bad"}}, "do": [{"throw": "no"}]},
    {"when": {"match": {"/command": "odd"}}, "do": [{"return": 5}]},
    {"when": {"match": {"/command": "mine"}}, "do": [{"return": {"result": "done"}}]}]}})");
  start();

  EXPECT_FALSE(loop.run(session->user_bash("bad")));
  EXPECT_FALSE(loop.run(session->user_bash("odd")));
  const auto mine = loop.run(session->user_bash("mine"));
  const auto other = loop.run(session->user_bash("other"));
  ASSERT_TRUE(mine);
  ASSERT_TRUE(other);
  EXPECT_EQ((**mine)["result"], "done");
  EXPECT_FALSE(other->has_value());
}

TEST_F(SessionRun, UsageOfToolsCounts) {  // RESULT-09
  add_tool(
      R"({"name": "ask", "do": [{"result": {"content": "x", "usage": {"input": 5,
        "output": 2}}}]})");
  AssistantMessage last = said("done");
  last.usage.input = 10;
  provider.answers = {called({call_of("c1", "ask")}), last};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(session->total_usage().input, 15);
  EXPECT_EQ(session->total_usage().output, 2);
}

}  // namespace
}  // namespace plumb::engine
