// SPDX-License-Identifier: Apache-2.0
// What holds a session, what ends it, and work that nobody awaits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/join.h"
#include "engine/session/session_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SessionLife : public SessionFixture {
 protected:
  /// The texts of the extension_error events.
  std::vector<std::string> reported() const {
    std::vector<std::string> texts;
    for (const auto* error : all_of<ExtensionError>()) {
      texts.push_back(error->event + ": " + error->error);
    }
    return texts;
  }

  bool was_aborted() const {
    const auto settled = all_of<AgentSettled>();
    return !settled.empty() && settled.back()->aborted;
  }

  /// Runs `script` as a tool's body with {"n": 5} as arguments, then one more answer.
  void run_tool(const std::string& script) {
    extend(R"({"name": "x", "tools": [{"name": "t", "description": "d", "do": )" + script + "}]}");
    provider.answers = {called({call_of("c1", "t", Json{{"n", 5}})}), said("done")};
    ASSERT_TRUE(prompt("go"));
  }
};

Task<void> prompted(Session& session, std::string text, Result<void>& result) {
  result = co_await session.prompt(std::move(text));
}

Task<void> reloaded(Session& session, Result<void>& result) {
  result = co_await session.reload();
}

Task<void> shut_down(Session& session) {
  co_await session.shutdown();
}

// ------------------------------------------------------------------ work that nobody awaits

TEST_F(SessionLife, ThrowInLaterIsReported) {  // EXT-26
  run_tool(R"([{"later": [{"throw": "too late"}]}, {"sleep": 5}])");

  EXPECT_THAT(reported(), ElementsAre("later: too late"));
}

TEST_F(SessionLife, ArgumentOfAWrongTypeInLaterIsReported) {  // EXT-26
  run_tool(R"([{"later": [{"send": {"content": "hi", "type": "$args/n"}}]}, {"sleep": 5}])");

  EXPECT_THAT(reported(), ElementsAre("later: 'type' of 'send' must be a text, not 5"));
}

TEST_F(SessionLife, ThrowInLaterOfAReplacedExtensionIsNotReported) {  // EXT-27
  extend(R"({"name": "x", "on": {"agent_start": [{"do": [
    {"later": [{"sleep": 100}, {"throw": "too late"}]}]}]}})");
  provider.answers = {said("done")};
  ASSERT_TRUE(prompt("go"));

  ASSERT_TRUE(loop.run(session->reload()));
  ASSERT_TRUE(loop.run_until_idle());

  EXPECT_THAT(reported(), IsEmpty());
}

/// A verb with an argument of a type that only the run shows.
class SessionArguments : public SessionLife, public ::testing::WithParamInterface<const char*> {};

TEST_P(SessionArguments, OfAWrongTypeFailTheCall) {  // RESULT-13
  run_tool(std::string("[") + GetParam() + R"(, {"result": "not reached"}])");

  EXPECT_THAT(request_text(1), HasSubstr("must be"));
  EXPECT_THAT(reported(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, SessionArguments,
    ::testing::Values(R"({"latch": {"set": "$args/n"}})", R"({"latch": {"wait": "$args/n"}})",
                      R"({"send": {"text": "$args/n"}})",
                      R"({"send": {"content": "hi", "type": "$args/n"}})",
                      R"({"append": {"type": "$args/n"}})", R"({"note": {"topic": "$args/n"}})",
                      R"({"set": {"path": "$args/n", "value": 1}})", R"({"unset": "$args/n"})",
                      R"({"set_active": {"add": "$args/n"}})", R"({"read_file": "$args/n"})",
                      R"({"write_file": {"path": "a", "text": "$args/n"}})",
                      R"({"call_tool": {"tool": "$args/n"}})",
                      R"({"ask": {"method": "input", "title": "$args/n"}})"));

TEST_F(SessionLife, PathOfAWrongTypeFailsThePreparation) {  // PIPE-03
  extend(R"({"name": "x", "tools": [{"name": "t", "description": "d", "prepare": [
    {"unset": "$args/n"}], "do": [{"result": "not reached"}]}]})");
  provider.answers = {called({call_of("c1", "t", Json{{"n", 5}})}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(request_text(1), HasSubstr("'path' of 'unset' must be a text, not 5"));
}

// ------------------------------------------------------------------ limits and aborts

TEST_F(SessionLife, TurnLimitHoldsOverTheRunsOfOnePrompt) {
  options.turns_max = 3;
  extend(R"({"name": "x", "on": {"agent_settled": [
    {"do": [{"send": {"text": "again", "mode": "follow_up"}}]}]}})");
  for (int i = 0; i < 8; ++i) provider.answers.emplace_back(said("more"));

  const auto outcome = prompt("go");

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::exhausted);
  EXPECT_EQ(std::ssize(provider.requests), 3);
}

TEST_F(SessionLife, AbortDuringInputHandlersEndsThePrompt) {  // ABORT-08
  extend(R"({"name": "x", "on": {"input": [{"do": ["abort"]}]}})");
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_TRUE(was_aborted());
  EXPECT_THAT(provider.requests, IsEmpty());
}

TEST_F(SessionLife, AbortDuringAgentSettledStartsNoFurtherRun) {  // ABORT-08, EVENT-16
  extend(R"({"name": "x", "on": {"agent_settled": [
    {"do": [{"send": {"text": "again", "mode": "follow_up"}}, "abort"]}]}})");
  provider.answers = {said("one"), said("two")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(std::ssize(provider.requests), 1);
}

TEST_F(SessionLife, AbortOfAHandledInputLeavesNothingBehind) {  // EVENT-18
  extend(R"({"name": "x", "on": {"input": [
    {"when": {"nth": 1}, "do": ["abort", {"return": {"action": "handled"}}]}]}})");
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("handled"));
  ASSERT_TRUE(prompt("go"));

  EXPECT_FALSE(was_aborted());
  EXPECT_EQ(std::ssize(provider.requests), 1);
}

// ------------------------------------------------------------------ one thing at a time

TEST_F(SessionLife, PromptDuringAReloadIsRejected) {  // EXT-28
  extend(R"({"name": "x", "on": {"session_shutdown": [{"do": [{"sleep": 50}]}]}})");
  start();
  Result<void> reload = fail(ErrorCode::stuck, "never ended");
  loop.spawn(reloaded(*session, reload), "");
  Result<void> asked;
  loop.spawn(prompted(*session, "go", asked), "");

  ASSERT_TRUE(loop.run_until_idle());

  EXPECT_TRUE(reload);
  ASSERT_FALSE(asked);
  EXPECT_THAT(asked.error().message, HasSubstr("busy with a reload"));
  EXPECT_TRUE(session->is_idle());
}

TEST_F(SessionLife, PromptDuringAShutdownIsRejected) {
  extend(R"({"name": "x", "on": {"session_shutdown": [{"do": [{"sleep": 50}]}]}})");
  start();
  loop.spawn(shut_down(*session), "");
  Result<void> asked;
  loop.spawn(prompted(*session, "go", asked), "");

  ASSERT_TRUE(loop.run_until_idle());

  ASSERT_FALSE(asked);
  EXPECT_THAT(asked.error().message, HasSubstr("busy with a shutdown"));
}

TEST_F(SessionLife, ShutdownWaitsForAReload) {
  extend(R"({"name": "x", "on": {"session_start": [{"do": [
    {"sleep": 50}, {"note": {"topic": "started"}}]}], "session_shutdown": [{"do": [
    {"note": {"topic": "bye", "data": "$event/reason"}}]}]}})");
  start();
  Result<void> reload;
  loop.spawn(reloaded(*session, reload), "");
  loop.spawn(shut_down(*session), "");

  ASSERT_TRUE(loop.run_until_idle());

  EXPECT_THAT(notes("bye"), ElementsAre("reload", "quit"));
  EXPECT_EQ(std::ssize(notes("started")), 2);
}

}  // namespace
}  // namespace plumb::engine
