// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/batch.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tools/tools_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Task<ToolResult> sleeps_for(Loop& loop, std::int64_t delay_ms, bool terminate) {
  co_await loop.sleep_ms(delay_ms);
  ToolResult result = text_result("slept");
  result.terminate = terminate;
  co_return result;
}

/// Adds tools fast (5 ms), slow (50 ms), last (1 ms, says terminate) and quit (1 ms, terminate).
void add_sleepers(ToolsWorld& world) {
  world.add("slow", [&](ToolCall) { return sleeps_for(world.loop, 50, false); });
  world.add("fast", [&](ToolCall) { return sleeps_for(world.loop, 5, false); });
  world.add("quit", [&](ToolCall) { return sleeps_for(world.loop, 1, true); });
}

std::vector<std::string> order(const ToolsWorld& world) {
  std::vector<std::string> short_names;
  for (const auto& event : world.trace.events) {
    const std::string call = event.call.substr(1);
    if (event.kind() == "tool_execution_start") short_names.push_back("S" + call);
    if (event.kind() == "execute_begin") short_names.push_back("X" + call);
    if (event.kind() == "tool_execution_end") short_names.push_back("E" + call);
    if (event.kind() == "message_end") short_names.push_back("M" + call);
  }
  return short_names;
}

TEST(Batch, RunsInParallelByDefault) {  // BATCH-01, BATCH-05, BATCH-06, BATCH-09, HOOK-14
  ToolsWorld world;
  add_sleepers(world);

  world.run({call_of("c1", "slow"), call_of("c2", "nobody"), call_of("c3", "fast")});

  EXPECT_THAT(order(world),
              ElementsAre("S1", "S2", "E2", "S3", "X1", "X3", "E3", "E1", "M1", "M2", "M3"));
}

TEST(Batch, RunsOneAfterTheOtherWhenOneToolSaysSo) {  // BATCH-02, BATCH-04
  ToolsWorld world;
  add_sleepers(world);
  world.add("alone", says("x")).execution_mode = ExecutionMode::sequential;

  world.run({call_of("c1", "slow"), call_of("c2", "alone")});

  EXPECT_THAT(order(world), ElementsAre("S1", "X1", "E1", "M1", "S2", "X2", "E2", "M2"));
}

TEST(Batch, RunsOneAfterTheOtherWhenTheHostSaysSo) {  // BATCH-03
  ToolsWorld world;
  add_sleepers(world);
  world.host_mode = ExecutionMode::sequential;

  world.run({call_of("c1", "slow"), call_of("c2", "fast")});

  EXPECT_THAT(order(world), ElementsAre("S1", "X1", "E1", "M1", "S2", "X2", "E2", "M2"));
}

TEST(Batch, GivesAnUnknownToolNoSayInTheMode) {  // BATCH-10
  EXPECT_EQ(batch_mode(ExecutionMode::parallel, {}), ExecutionMode::parallel);
}

TEST(Batch, ExecutesNothingOfATruncatedAnswer) {  // BATCH-11
  ToolsWorld world;
  add_sleepers(world);

  const auto outcome =
      world.run({call_of("c1", "fast"), call_of("c2", "nobody")}, StopReason::length);

  EXPECT_EQ(outcome.calls[0].cause, Cause::truncated);
  EXPECT_EQ(outcome.calls[1].cause, Cause::truncated);
  EXPECT_THAT(text_of(outcome.calls[0]), HasSubstr("output limit"));
  EXPECT_THAT(world.hooks.seen, IsEmpty());
  EXPECT_THAT(order(world), ElementsAre("S1", "E1", "S2", "E2", "M1", "M2"));
  EXPECT_FALSE(outcome.terminates);
}

TEST(Batch, TerminatesOnlyWhenAllResultsSaySo) {  // BATCH-12, BATCH-13
  ToolsWorld both;
  add_sleepers(both);
  ToolsWorld one;
  add_sleepers(one);

  EXPECT_TRUE(both.run({call_of("c1", "quit"), call_of("c2", "quit")}).terminates);
  EXPECT_FALSE(one.run({call_of("c1", "quit"), call_of("c2", "slow")}).terminates);
  EXPECT_EQ(one.events({"execute_end"}).size(), 2U);
}

TEST(Batch, GoesOnAfterAFailingCall) {  // BATCH-08
  ToolsWorld world;
  world.host_mode = ExecutionMode::sequential;
  world.add("bad", [](ToolCall) -> Task<ToolResult> { throw std::string("no"); });
  world.add("good", says("x"));

  const auto outcome = world.run({call_of("c1", "bad"), call_of("c2", "good")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::execute_failed);
  EXPECT_EQ(outcome.calls[1].cause, Cause::ok);
}

TEST(Batch, RunsRepeatedIdsEach) {  // BATCH-16
  ToolsWorld world;
  world.add("good", says("x"));

  const auto outcome = world.run({call_of("c1", "good"), call_of("c1", "good")});

  EXPECT_EQ(outcome.calls.size(), 2U);
  EXPECT_EQ(world.host.messages.size(), 2U);
}

TEST(Batch, RunsCallsOfAnAnswerThatStopped) {  // BATCH-15
  ToolsWorld world;
  world.add("good", says("x"));

  EXPECT_EQ(world.run({call_of("c1", "good")}, StopReason::stop).calls[0].cause, Cause::ok);
}

Task<ToolResult> mutates(ToolCall call) {
  (*call.params)["seen"] = true;
  co_return text_result(dump_json(*call.params));
}

TEST(Batch, GivesEachCallItsOwnArguments) {  // PIPE-17
  ToolsWorld world;
  world.add("mutates", mutates);
  const SharedJson shared(Json{{"a", 1}});
  ToolCallBlock one = call_of("c1", "mutates");
  ToolCallBlock two = call_of("c2", "mutates");
  one.arguments = two.arguments = shared;

  const auto outcome = world.run({one, two});

  EXPECT_EQ(text_of(outcome.calls[1]), R"({"a":1,"seen":true})");
  EXPECT_EQ(shared.bytes(), R"({"a":1})");
}

Task<ToolResult> ignores_the_signal(ToolsWorld& world) {
  co_await world.loop.sleep_ms(10);
  co_return text_result("finished anyway");
}

Task<void> abort_after(ToolsWorld& world, std::int64_t delay_ms) {
  co_await world.loop.sleep_ms(delay_ms);
  world.controller.abort("user");
}

TEST(Batch, WaitsForRunningToolsAfterAnAbort) {  // ABORT-04, ABORT-07, ABORT-10
  ToolsWorld world;
  world.host_mode = ExecutionMode::sequential;
  world.add("deaf", [&](ToolCall) { return ignores_the_signal(world); });
  world.loop.spawn(abort_after(world, 5), "");

  const auto outcome = world.run({call_of("c1", "deaf"), call_of("c2", "deaf")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::ok);
  EXPECT_EQ(outcome.calls[1].cause, Cause::aborted);
  EXPECT_THAT(world.hooks.seen, ElementsAre("before c1", "after c1"));
}

Task<ToolResult> tells_its_label(ToolCall) {
  Fiber& fiber = co_await current_fiber();
  co_return text_result(fiber.label);
}

TEST(Batch, LabelsTheFiberWithTheCall) {
  ToolsWorld world;
  world.add("label", tells_its_label);

  const auto outcome = world.run({call_of("c1", "label"), call_of("c2", "label")});

  EXPECT_EQ(text_of(outcome.calls[0]), "c1");
  EXPECT_EQ(text_of(outcome.calls[1]), "c2");
}

}  // namespace
}  // namespace plumb::engine
