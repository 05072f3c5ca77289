// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/pipeline.h"

#include <stdexcept>
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

Json string_schema() {
  return Json{
      {"type", "object"},
      {"properties", Json{{"v", Json{{"type", "string"}}}, {"n", Json{{"type", "number"}}}}},
      {"required", Json::array({"v"})}};
}

/// Returns the arguments it was given, as text.
Task<ToolResult> echo(ToolCall call) {
  co_return text_result(dump_json(*call.params));
}

Task<ToolResult> throwing(ToolCall) {
  throw std::runtime_error("disk is on fire");
  co_return ToolResult();
}

Task<ToolResult> failing(ToolCall) {
  co_return failed_result("disk is on fire");
}

Task<ToolResult> returns_error(ToolCall) {
  ToolResult result = text_result("no such row");
  result.details = SharedJson(Json{{"k", 1}});
  result.is_error = true;
  co_return result;
}

TEST(Pipeline, GivesExecuteTheValidatedArguments) {  // TOOL-06, TOOL-07, PIPE-01
  ToolsWorld world;
  world.add("echo", echo).parameters = SharedJson(string_schema());

  const auto outcome = world.run({call_of("c1", "echo", Json{{"v", "a"}, {"n", "7"}})});

  EXPECT_EQ(text_of(outcome.calls[0]), R"({"v":"a","n":7})");
  EXPECT_EQ(outcome.calls[0].cause, Cause::ok);
  EXPECT_EQ(world.all<ToolExecutionStart>()[0].args.bytes(), R"({"v":"a","n":"7"})");  // PIPE-09
}

TEST(Pipeline, RefusesArgumentsThatDoNotFit) {  // PIPE-03, PIPE-19, PIPE-30
  ToolsWorld world;
  world.add("echo", echo).parameters = SharedJson(string_schema());

  const auto outcome = world.run({call_of("c1", "echo", Json{{"v", 5}})});

  EXPECT_EQ(outcome.calls[0].cause, Cause::invalid_arguments);
  EXPECT_THAT(text_of(outcome.calls[0]), HasSubstr("'echo'"));
  EXPECT_THAT(text_of(outcome.calls[0]), HasSubstr("/v"));
  EXPECT_THAT(text_of(outcome.calls[0]), HasSubstr(R"({"v":5})"));
  EXPECT_EQ(outcome.calls[0].result.details.bytes(), "{}");  // RESULT-17
  EXPECT_THAT(world.hooks.seen, IsEmpty());
  EXPECT_THAT(world.events({"execute_begin"}), IsEmpty());
}

TEST(Pipeline, MakesTextOfNumbersInTheOtherEdition) {  // PIPE-12
  ToolsWorld world;
  world.policies = policies_of("pi-1.6.0");
  world.add("echo", echo).parameters = SharedJson(string_schema());

  const auto outcome = world.run({call_of("c1", "echo", Json{{"v", 5}})});

  EXPECT_EQ(text_of(outcome.calls[0]), R"({"v":"5"})");
}

TEST(Pipeline, RefusesArgumentsThatAreNoObject) {  // PIPE-14
  ToolsWorld world;
  world.add("echo", echo).parameters = SharedJson(string_schema());

  const auto outcome = world.run({call_of("c1", "echo", Json("text"))});

  EXPECT_EQ(outcome.calls[0].cause, Cause::invalid_arguments);
}

TEST(Pipeline, EndsACallOfAnUnknownTool) {  // PIPE-05, RESULT-10, REG-19
  ToolsWorld world;
  world.add("echo", echo);

  const auto outcome = world.run({call_of("c1", "Echo")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::unknown_tool);
  EXPECT_FALSE(outcome.calls[0].ran);
  EXPECT_THAT(world.hooks.seen, IsEmpty());
}

TEST(Pipeline, PreparesOnceBeforeValidation) {  // PIPE-02, PIPE-18, EDIT-50
  ToolsWorld world;
  auto& tool = world.add("echo", echo);
  tool.parameters = SharedJson(string_schema());
  tool.prepare_arguments = [](Json raw) {
    raw["v"] = raw["old"];
    raw.erase("old");
    return raw;
  };

  const auto outcome = world.run({call_of("c1", "echo", Json{{"old", "x"}})});

  EXPECT_EQ(text_of(outcome.calls[0]), R"({"v":"x"})");
  EXPECT_EQ(world.all<ToolExecutionStart>()[0].args.bytes(), R"({"old":"x"})");
  const auto notes = world.all<Notify>();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].topic, "prepare_begin");
  EXPECT_EQ(notes[0].data.bytes(), R"({"old":"x"})");
  EXPECT_EQ(notes[1].topic, "prepare_end");
  EXPECT_EQ(notes[1].data.bytes(), R"({"v":"x"})");
}

TEST(Pipeline, EndsACallWhosePreparationThrows) {  // PIPE-04, RESULT-11
  ToolsWorld world;
  world.add("echo", echo).prepare_arguments = [](Json) -> Json {
    throw std::runtime_error("odd shape");
  };

  const auto outcome = world.run({call_of("c1", "echo")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::prepare_failed);
  EXPECT_EQ(text_of(outcome.calls[0]), "odd shape");
  const auto notes = world.all<Notify>();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].topic, "prepare_begin");
  EXPECT_EQ(notes[1].topic, "prepare_failed");
  EXPECT_EQ(notes[1].data.bytes(), R"("odd shape")");
}

TEST(Pipeline, EndsACallWhoseArgumentsCouldNotBeParsed) {  // PIPE-15
  ToolsWorld world;
  world.add("echo", echo);
  ToolCallBlock block = call_of("c1", "echo");
  block.arguments_error = "cut at byte 7";

  const auto outcome = world.run({block});

  EXPECT_EQ(outcome.calls[0].cause, Cause::invalid_arguments);
  EXPECT_THAT(text_of(outcome.calls[0]), HasSubstr("'echo'"));
  EXPECT_THAT(text_of(outcome.calls[0]), HasSubstr("cut at byte 7"));
}

TEST(Pipeline, LetsHandlersChangeTheInputInPlaceUnchecked) {  // PIPE-06, PIPE-07, HOOK-23
  ToolsWorld world;
  world.add("echo", echo).parameters = SharedJson(string_schema());
  std::string after_input;
  world.hooks.before = [](const CallView& call) {
    (*call.input)["v"] = 5;
    return BeforeOutcome();
  };
  world.hooks.after = [&](const CallView& call, ToolResult result) {
    after_input = dump_json(*call.input);
    return result;
  };

  const auto outcome = world.run({call_of("c1", "echo", Json{{"v", "a"}})});

  EXPECT_EQ(text_of(outcome.calls[0]), R"({"v":5})");
  EXPECT_EQ(after_input, R"({"v":5})");
}

TEST(Pipeline, NeverExecutesABlockedCall) {  // HOOK-04, HOOK-15, RESULT-12, EVENT-02
  ToolsWorld world;
  world.add("echo", echo);
  world.hooks.before = [](const CallView&) {
    return BeforeOutcome{BeforeVerdict::block, "not today", true, true};
  };

  const auto outcome = world.run({call_of("c1", "echo")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::blocked);
  EXPECT_EQ(text_of(outcome.calls[0]), "not today");
  EXPECT_TRUE(outcome.terminates);
  EXPECT_THAT(world.hooks.seen, ElementsAre("before c1"));
  EXPECT_THAT(world.events({"tool_execution_start", "execute_begin", "tool_execution_end"}),
              ElementsAre("tool_execution_start c1", "tool_execution_end c1"));
}

TEST(Pipeline, HasAFixedTextForABlockWithoutReason) {  // HOOK-05
  EXPECT_THAT(block_text(BeforeOutcome()), HasSubstr("blocked"));
}

TEST(Pipeline, BlocksWhenTheBeforeHookThrows) {  // HOOK-07, HOOK-09
  ToolsWorld world;
  world.add("echo", echo);
  world.hooks.before = [](const CallView& call) -> BeforeOutcome {
    if (call.id == "c1") throw std::runtime_error("gate broke");
    throw std::string("42");
  };

  const auto outcome = world.run({call_of("c1", "echo"), call_of("c2", "echo")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::before_hook_failed);
  EXPECT_EQ(text_of(outcome.calls[0]), "gate broke");
  EXPECT_EQ(text_of(outcome.calls[1]), "An extension failed, execution is blocked: 42");
}

TEST(Pipeline, MakesAnErrorOfWhatExecuteThrows) {  // RESULT-13, HOOK-22
  for (const auto& execute : {throwing, failing}) {
    ToolsWorld world;
    world.add("bad", execute);

    const auto outcome = world.run({call_of("c1", "bad")});

    EXPECT_EQ(outcome.calls[0].cause, Cause::execute_failed);
    EXPECT_EQ(text_of(outcome.calls[0]), "disk is on fire");
    EXPECT_EQ(world.all<ExecuteEnd>()[0].outcome, "threw");
    EXPECT_THAT(world.hooks.seen, ElementsAre("before c1", "after c1"));
  }
}

TEST(Pipeline, KeepsTheContentOfAReturnedError) {  // RESULT-05
  ToolsWorld world;
  world.add("bad", returns_error);

  const auto outcome = world.run({call_of("c1", "bad")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::returned_error);
  EXPECT_EQ(text_of(outcome.calls[0]), "no such row");
  EXPECT_EQ(world.host.messages[0].details.bytes(), R"({"k":1})");
  EXPECT_TRUE(world.host.messages[0].is_error);
}

TEST(Pipeline, LetsTheResultChainTurnFailureAndSuccess) {  // HOOK-20, HOOK-21
  ToolsWorld world;
  world.add("bad", throwing);
  world.add("good", says("fine"));
  world.hooks.after = [](const CallView& call, ToolResult result) {
    result.is_error = call.name == "good";
    return result;
  };

  const auto outcome = world.run({call_of("c1", "bad"), call_of("c2", "good")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::ok);
  EXPECT_FALSE(outcome.calls[0].result.is_error);
  EXPECT_EQ(outcome.calls[1].cause, Cause::result_handler_error);
}

TEST(Pipeline, ReplacesTheResultWhenTheCoreHookThrows) {  // HOOK-24, RESULT-14
  ToolsWorld world;
  world.add("good", says("fine"));
  world.hooks.after = [](const CallView&, ToolResult) -> ToolResult {
    throw std::runtime_error("hook broke");
  };

  const auto outcome = world.run({call_of("c1", "good")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::after_hook_failed);
  EXPECT_EQ(text_of(outcome.calls[0]), "hook broke");
  EXPECT_TRUE(outcome.calls[0].ran);
}

TEST(Pipeline, DoesNotExecuteAfterAnAbort) {  // ABORT-02, ABORT-06
  ToolsWorld world;
  world.add("echo", echo);
  world.controller.abort("user");

  const auto outcome = world.run({call_of("c1", "echo"), call_of("c2", "nobody")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::aborted);
  EXPECT_EQ(outcome.calls[1].cause, Cause::aborted);
  EXPECT_EQ(text_of(outcome.calls[0]), "Operation aborted");
  EXPECT_EQ(world.host.messages.size(), 2U);
}

TEST(Pipeline, PrefersTheAbortToTheGatesVerdict) {  // HOOK-28
  ToolsWorld world;
  world.add("echo", echo);
  world.hooks.before = [&](const CallView& call) {
    world.controller.abort("user");
    return BeforeOutcome{call.id == "c1" ? BeforeVerdict::block : BeforeVerdict::allow, "no", false,
                         true};
  };

  const auto outcome = world.run({call_of("c1", "echo")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::aborted);
}

Task<ToolResult> sends_updates(ToolCall call) {
  ToolResult partial = text_result("u1");
  call.on_update(partial);
  partial.content[0] = TextBlock{"u2"};
  call.on_update(partial);
  co_return text_result("done");
}

TEST(Pipeline, RecordsUpdatesAsSnapshotsInOrder) {  // EVENT-05, EVENT-09
  ToolsWorld world;
  world.add("busy", sends_updates);

  world.run({call_of("c1", "busy", Json{{"a", 1}})});

  const auto updates = world.all<ToolExecutionUpdate>();
  ASSERT_EQ(updates.size(), 2U);
  EXPECT_EQ(updates[0].partial.get()["content"][0]["text"], "u1");
  EXPECT_EQ(updates[1].partial.get()["content"][0]["text"], "u2");
  EXPECT_EQ(updates[0].args.bytes(), R"({"a":1})");
}

TEST(Pipeline, WaitsForListenersOfUpdatesBeforeTheEnd) {  // EVENT-08
  ToolsWorld world;
  world.add("busy", sends_updates);
  world.hooks.wanted = "tool_execution_update";
  world.hooks.event_delay_ms = 20;

  world.run({call_of("c1", "busy")});

  EXPECT_THAT(world.hooks.seen, ElementsAre("before c1", "heard tool_execution_update c1",
                                            "heard tool_execution_update c1", "after c1"));
}

TEST(Pipeline, DropsLateUpdates) {  // EVENT-07
  ToolsWorld world;
  std::function<void(ToolResult)> kept;
  world.add("keeper", [&](ToolCall call) {
    kept = call.on_update;
    return echo(std::move(call));
  });
  world.run({call_of("c1", "keeper")});

  kept(text_result("late"));

  EXPECT_THAT(world.events({"tool_execution_update"}), IsEmpty());
}

TEST(Pipeline, NamesToolsThatTheCallAdded) {  // TOOL-10
  ToolsWorld world;
  world.add("loader", [&](ToolCall call) {
    world.host.active = {"loader", "a", "b"};
    return echo(std::move(call));
  });

  world.run({call_of("c1", "loader")});

  EXPECT_THAT(world.host.messages[0].added_tool_names, ElementsAre("a", "b"));
}

TEST(Pipeline, NamesNoAddedToolsOfAFailedCall) {  // TOOL-13
  ToolsWorld world;
  world.add("loader", [&](ToolCall call) {
    world.host.active = {"loader", "a"};
    return throwing(std::move(call));
  });

  world.run({call_of("c1", "loader")});

  EXPECT_THAT(world.host.messages[0].added_tool_names, IsEmpty());
}

TEST(Pipeline, DiagnosesStructuredContentThatBreaksItsSchema) {  // TOOL-21, RESULT-03
  ToolsWorld world;
  auto& tool = world.add("typed", says("x"));
  tool.output_schema = SharedJson(Json{{"type", "string"}});

  const auto outcome = world.run({call_of("c1", "typed")});

  EXPECT_EQ(outcome.calls[0].cause, Cause::ok);
  EXPECT_EQ(world.all<Diagnostic>()[0].code, "output_schema_mismatch");
}

/// Calls the tools named in `names` and returns "NAME:CAUSE" of each.
Task<ToolResult> calls_tools(ToolCall call) {
  std::string text;
  for (const auto& name : (*call.params)["names"]) {
    NestedCall nested(name.get<std::string>(), SharedJson(Json::object()));
    const NestedOutcome outcome = co_await call.execute_tool(std::move(nested));
    text += outcome.id + ":" + outcome.name + ":" + outcome.cause + " ";
  }
  co_return text_result(text);
}

TEST(Pipeline, SendsNestedCallsThroughTheSameGates) {  // HOOK-29, HOOK-30, TOOL-22
  ToolsWorld world;
  world.add("outer", calls_tools);
  world.add("echo", echo);
  world.add("bad", throwing);
  world.add("secret", echo).exposure = Exposure::model_only;
  world.add("lazy", echo).exposure = Exposure::deferred;
  world.hooks.before = [](const CallView& call) {
    return call.id == "c1/3" ? BeforeOutcome{BeforeVerdict::block, "", false, true}
                             : BeforeOutcome();
  };

  const auto outcome = world.run({call_of(
      "c1", "outer", Json{{"names", {"echo", "bad", "echo", "nobody", "secret", "lazy"}}})});

  EXPECT_EQ(text_of(outcome.calls[0]),
            "c1/1:echo:ok c1/2:bad:execute_failed c1/3:echo:blocked c1/4:nobody:unknown_tool "
            "c1/5:secret:unknown_tool c1/6:lazy:ok ");
  EXPECT_EQ(world.host.messages.size(), 1U);
  EXPECT_EQ(world.all<ToolExecutionStart>()[1].parent, "c1");
  EXPECT_EQ(world.events({"tool_execution_start"}).size(), 7U);
}

Task<ToolResult> calls_itself(ToolCall call) {
  NestedCall nested("again", SharedJson(Json::object()));
  NestedOutcome outcome = co_await call.execute_tool(std::move(nested));
  co_return outcome.result;
}

TEST(Pipeline, EndsEndlessNesting) {
  ToolsWorld world;
  world.add("again", calls_itself);

  const auto outcome = world.run({call_of("c1", "again")});

  EXPECT_THAT(text_of(outcome.calls[0]), HasSubstr("nested too deeply"));
  // The refused call is recorded like every other one.
  EXPECT_EQ(world.events({"tool_execution_start"}).size(), 18U);
  EXPECT_EQ(world.events({"tool_execution_end"}).size(), 18U);
  EXPECT_EQ(world.events({"execute_begin"}).size(), 17U);
}

TEST(Pipeline, DepthIsNoMatterOfTheModelsId) {  // HOOK-29
  ToolsWorld world;
  world.add("outer", calls_tools);
  world.add("echo", echo);
  const std::string id = "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r";

  const auto outcome = world.run({call_of(id, "outer", Json{{"names", {"echo"}}})});

  EXPECT_EQ(text_of(outcome.calls[0]), id + "/1:echo:ok ");
  EXPECT_EQ(world.all<ToolExecutionStart>()[1].parent, id);
}

/// Calls through a copy of the function, and then through the function.
Task<ToolResult> calls_through_copies(ToolCall call) {
  const auto copy = call.execute_tool;
  NestedCall first("echo", SharedJson(Json::object()));
  const NestedOutcome one = co_await copy(std::move(first));
  NestedCall second("echo", SharedJson(Json::object()));
  const NestedOutcome other = co_await call.execute_tool(std::move(second));
  co_return text_result(one.id + " " + other.id);
}

TEST(Pipeline, GivesNoNestedIdTwice) {  // HOOK-29
  ToolsWorld world;
  world.add("outer", calls_through_copies);
  world.add("echo", echo);

  const auto outcome = world.run({call_of("c1", "outer")});

  EXPECT_EQ(text_of(outcome.calls[0]), "c1/1 c1/2");
}

}  // namespace
}  // namespace plumb::engine
