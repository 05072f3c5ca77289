// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/runner.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/extensions/runner_fixture.h"
#include "engine/extensions/scripted.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Extensions : public ::testing::Test, protected RunnerFixture {
 protected:
  ExtensionSource scripted(std::string_view text) {
    const auto definition = parse_json(text);
    EXPECT_TRUE(definition) << definition.error().message;
    const SourceInfo source = scripted_source(*definition);
    auto factory = make_scripted_extension(*definition, source.path, world);
    EXPECT_TRUE(factory) << factory.error().message << " at " << factory.error().where;
    return {source, *std::move(factory)};
  }

  void load(std::vector<std::string_view> definitions) {
    std::vector<ExtensionSource> sources;
    for (const auto text : definitions) sources.push_back(scripted(text));
    ASSERT_TRUE(loop.run(runner.load(std::move(sources))));
    registry.bind();
  }

  BeforeOutcome gate(Json input) {
    shared = std::make_shared<Json>(std::move(input));
    auto outcome = loop.run(runner.before_call(CallView("c1", "echo", shared)));
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? *outcome : BeforeOutcome();
  }

  ToolResult after(ToolResult result) {
    shared = std::make_shared<Json>(Json::object());
    return *loop.run(runner.after_call(CallView("c1", "echo", shared), std::move(result)));
  }

  /// "EXTENSION#INDEX" of each handler call.
  std::vector<std::string> handlers_called() const {
    std::vector<std::string> called;
    for (const auto& event : trace.events) {
      const auto* hook = event.as<HookCall>();
      if (hook != nullptr) called.push_back(hook->extension + "#" + std::to_string(hook->index));
    }
    return called;
  }

  /// The records of loading, in order.
  std::vector<const Load*> loads() const {
    std::vector<const Load*> found;
    for (const auto& event : trace.events) {
      if (const auto* load = event.as<Load>()) found.push_back(load);
    }
    return found;
  }

  std::vector<std::string> errors() const {
    std::vector<std::string> found;
    for (const auto& event : trace.events) {
      const auto* error = event.as<plumb::ExtensionError>();
      if (error != nullptr) found.push_back(error->error);
    }
    return found;
  }

  ScriptWorld world{loop};
  std::shared_ptr<Json> shared;
};

TEST_F(Extensions, HandlersRunInLoadThenRegistrationOrder) {  // HOOK-01
  load({R"({"name": "a", "on": {"tool_call": [{"do": [{"delay": 50}]}, {"do": ["allow"]}]}})",
        R"({"name": "b", "on": {"tool_call": [{"do": ["allow"]}]}})"});

  gate(Json::object());

  EXPECT_THAT(handlers_called(), ElementsAre("<inline:a>#0", "<inline:a>#1", "<inline:b>#2"));
}

TEST_F(Extensions, HandlersShareOneInput) {  // HOOK-02, PIPE-06
  load({R"({"name": "a", "on": {"tool_call": [{"do": [{"set": {"path": "/v", "value": 123}}]}]}})",
        R"({"name": "b", "on": {"tool_call": [{"do": [{"block": "${input/v}"}]}]}})"});

  const BeforeOutcome outcome = gate(Json::object());

  EXPECT_EQ(outcome.message, "123");
  EXPECT_EQ(*shared, (Json{{"v", 123}}));
}

TEST_F(Extensions, ReplacingTheInputChangesNothing) {  // PIPE-16
  load({R"({"name": "a", "on": {"tool_call": [{"do": [{"replace": {"v": 1}}]}]}})"});

  gate(Json{{"v", 0}});

  EXPECT_EQ(*shared, (Json{{"v", 0}}));
}

TEST_F(Extensions, FirstBlockStopsTheChain) {  // HOOK-03, HOOK-06
  load({R"({"name": "a", "on": {"tool_call": [
        {"do": [{"return": {"reason": "x", "terminate": true}}]}]}})",
        R"({"name": "b", "on": {"tool_call": [
        {"do": [{"block": {"reason": "no", "terminate": true}}]}]}})",
        R"({"name": "c", "on": {"tool_call": [{"do": ["allow"]}]}})"});

  const BeforeOutcome outcome = gate(Json::object());

  EXPECT_EQ(outcome.verdict, BeforeVerdict::block);
  EXPECT_EQ(outcome.message, "no");
  EXPECT_TRUE(outcome.terminate);
  EXPECT_THAT(handlers_called(), ElementsAre("<inline:a>#0", "<inline:b>#1"));
}

TEST_F(Extensions, PolicySaysWhichAnswersBlock) {  // HOOK-06
  policies.session.answer_blocks = [](const Json& returned) { return returned == "stop"; };
  load({R"({"name": "a", "on": {"tool_call": [{"do": [{"block": "not by this policy"}]}]}})",
        R"({"name": "b", "on": {"tool_call": [{"do": [{"return": "stop"}]}]}})",
        R"({"name": "c", "on": {"tool_call": [{"do": ["allow"]}]}})"});

  const BeforeOutcome outcome = gate(Json::object());

  EXPECT_EQ(outcome.verdict, BeforeVerdict::block);
  EXPECT_THAT(outcome.message, IsEmpty());
  EXPECT_THAT(handlers_called(), ElementsAre("<inline:a>#0", "<inline:b>#1"));
}

TEST_F(Extensions, PolicySaysWhichVerdictsEndTheChain) {  // HOOK-03
  policies.session.verdict_ends_chain = [](const BeforeOutcome&) { return false; };
  load({R"({"name": "a", "on": {"tool_call": [{"do": [{"block": "first"}]}]}})",
        R"({"name": "b", "on": {"tool_call": [{"do": [{"block": "second"}]}]}})"});

  const BeforeOutcome outcome = gate(Json::object());

  EXPECT_EQ(outcome.message, "first");
  EXPECT_THAT(handlers_called(), ElementsAre("<inline:a>#0", "<inline:b>#1"));
}

TEST(SessionPolicy, OnlyBlockTrueBlocks) {  // HOOK-06
  EXPECT_TRUE(says_block(Json{{"block", true}}));
  EXPECT_FALSE(says_block(Json{{"block", "true"}}));
  EXPECT_FALSE(says_block(Json{{"reason", "x"}}));
  EXPECT_FALSE(says_block(Json("block")));
}

TEST(SessionPolicy, ARefusalEndsTheChain) {  // HOOK-03, HOOK-07
  BeforeOutcome outcome;
  EXPECT_FALSE(stops_at_refusal(outcome));
  outcome.verdict = BeforeVerdict::block;
  EXPECT_TRUE(stops_at_refusal(outcome));
  outcome.verdict = BeforeVerdict::threw;
  EXPECT_TRUE(stops_at_refusal(outcome));
}

TEST_F(Extensions, ThrowingGateBlocksUnreported) {  // HOOK-07, HOOK-08
  load({R"({"name": "a", "on": {"tool_call": [
        {"do": [{"throw": "broken"}]}, {"do": ["allow"]}]}})"});

  const BeforeOutcome outcome = gate(Json::object());

  EXPECT_EQ(outcome.verdict, BeforeVerdict::threw);
  EXPECT_EQ(outcome.message, "broken");
  EXPECT_THAT(errors(), IsEmpty());
  EXPECT_EQ(handlers_called().size(), 1U);
}

TEST_F(Extensions, ThrownValueIsNoErrorObject) {  // HOOK-09
  load({R"({"name": "a", "on": {"tool_call": [{"do": [{"throw_value": 42}]}]}})"});

  const BeforeOutcome outcome = gate(Json::object());

  EXPECT_FALSE(outcome.is_error_object);
  EXPECT_EQ(outcome.message, "42");
}

TEST_F(Extensions, ResultHandlersSeeTheLatestResult) {  // HOOK-16
  load({R"({"name": "a", "on": {"tool_result": [{"do": [{"patch": {"content": "p1"}}]}]}})",
        R"({"name": "b", "on": {"tool_result": [
        {"do": [{"patch": {"content": "${event/content/0/text}+p2"}}]}]}})"});

  const ToolResult result = after(text_result("raw"));

  EXPECT_EQ(text_of(result.content), "p1+p2");
}

TEST_F(Extensions, PatchReplacesWholeFields) {  // HOOK-17, HOOK-18
  load({R"({"name": "a", "on": {"tool_result": [
    {"do": [{"patch": {"content": "new", "details": {"b": 2}, "terminate": true}}]}]}})"});
  ToolResult executed = text_result("raw");
  executed.details = SharedJson(Json{{"a", 1}});
  executed.structured_content = SharedJson(Json{{"s", 1}});

  const ToolResult result = after(executed);

  EXPECT_EQ(result.details.get(), (Json{{"b", 2}}));
  EXPECT_TRUE(result.structured_content.is_null());
  EXPECT_FALSE(result.terminate);
}

TEST_F(Extensions, ThrowingResultHandlerIsIsolated) {  // HOOK-19
  load({R"({"name": "a", "on": {"tool_result": [{"do": [{"throw": "broken"}]},
                                                {"do": [{"patch": {"isError": true}}]}]}})"});

  const ToolResult result = after(text_result("raw"));

  EXPECT_EQ(text_of(result.content), "raw");
  EXPECT_TRUE(result.is_error);  // HOOK-20
  EXPECT_THAT(errors(), ElementsAre("broken"));
}

TEST_F(Extensions, DispatchUsesASnapshot) {  // HOOK-27
  load({R"({"name": "a", "on": {"tool_call": [
    {"when": {"nth": 1}, "do": [{"remove_handler": "second"},
       {"add_handler": {"event": "tool_call", "do": ["allow"]}}]},
    {"id": "second", "do": ["allow"]}]}})"});

  gate(Json::object());
  const auto first = handlers_called().size();
  gate(Json::object());

  EXPECT_EQ(first, 2U);
  EXPECT_EQ(handlers_called().size(), 4U);
  EXPECT_THAT(handlers_called().back(), HasSubstr("#1"));
}

TEST_F(Extensions, OrdinaryErrorsAreRecordedAndOthersRun) {  // EXT-26
  load({R"({"name": "a", "on": {"session_start": [{"do": [{"throw": "one"}]}]}})",
        R"({"name": "b", "on": {"session_start": [{"do": [{"throw": "two"}]}]}})"});

  ASSERT_TRUE(loop.run(runner.notify("session_start", "", Json::object())));

  EXPECT_THAT(errors(), ElementsAre("one", "two"));
}

TEST_F(Extensions, FailedFactoryLeavesNothing) {  // EXT-04, EXT-05
  load({R"({"name": "a", "load": [{"register": {"name": "t", "description": "d"}},
            {"add_handler": {"event": "tool_call", "do": ["allow"]}},
            {"delay": 20}, {"throw": "broken"}]})",
        R"({"name": "b", "tools": [{"name": "u", "description": "d"}]})"});

  gate(Json::object());

  EXPECT_THAT(handlers_called(), IsEmpty());
  EXPECT_EQ(registry.find("t"), nullptr);
  EXPECT_NE(registry.find("u"), nullptr);
  ASSERT_EQ(loads().size(), 4U);
  EXPECT_EQ(loads()[1]->extension, "<inline:a>");
  EXPECT_EQ(loads()[1]->phase, "failed");
  EXPECT_EQ(loads()[1]->error, "broken");
}

class NativeFactory final {
 public:
  explicit NativeFactory(ExtensionApi*& kept) : kept_(&kept) {}
  Task<Result<void>> operator()(ExtensionApi& api) const { return run(kept_, &api); }

 private:
  static Task<Result<void>> run(ExtensionApi** kept, ExtensionApi* api) {
    *kept = api;
    const auto tools = api->get_all_tools();
    if (tools) co_return fail(ErrorCode::invalid, "actions must not work while loading");
    throw std::runtime_error("thrown while loading");
  }
  ExtensionApi** kept_;
};

TEST_F(Extensions, ActionsDoNotWorkWhileLoadingNorAfterAFailure) {  // EXT-05, EXT-06
  ExtensionApi* api = nullptr;
  std::vector<ExtensionSource> sources;
  sources.emplace_back(inline_source("native"), NativeFactory(api));

  ASSERT_TRUE(loop.run(runner.load(std::move(sources))));

  ASSERT_EQ(loads().size(), 2U);
  EXPECT_EQ(loads()[1]->error, "thrown while loading");
  ASSERT_NE(api, nullptr);
  EXPECT_FALSE(api->on("tool_call", Handler()));
}

TEST_F(Extensions, UnsubscribeRemovesOneRegistrationOnce) {  // EXT-29
  load({R"({"name": "a", "on": {"tool_call": [
    {"id": "x", "do": [{"remove_handler": "x"}, {"remove_handler": "x"}]}, {"do": ["allow"]}]}})"});

  gate(Json::object());
  gate(Json::object());

  EXPECT_EQ(handlers_called().size(), 3U);
}

TEST_F(Extensions, HandlersGetOnlyTheirEvent) {  // EVENT-44
  load({R"({"name": "a", "on": {"tool_result": [{"do": ["allow"]}]}})"});

  gate(Json::object());

  EXPECT_THAT(handlers_called(), IsEmpty());
  EXPECT_TRUE(runner.wants("tool_result"));
  EXPECT_FALSE(runner.wants("tool_call"));
}

TEST_F(Extensions, BoundaryProposalsChainAndAreChecked) {  // EVENT-42
  load({R"({"name": "a", "on": {"turn_end": [
    {"do": [{"return": {"continue": true}}]},
    {"do": [{"return": {"entries": [{"type": "odd"}], "continue": false}}]},
    {"do": [{"return": {"entries": [{"type": "custom", "customType": "k"}]}}]}]}})"});

  const auto proposal = loop.run(runner.boundary("turn_end", Json::object()));

  ASSERT_TRUE(proposal);
  EXPECT_TRUE(proposal->wants_continue);
  EXPECT_EQ(proposal->entries.size(), 1U);
  EXPECT_EQ(errors().size(), 1U);
}

TEST_F(Extensions, FirstCancelEndsTheDispatch) {  // EVENT-40
  load({R"({"name": "a", "on": {"session_before_fork": [
    {"do": [{"return": {"cancel": true}}]}, {"do": ["allow"]}]}})"});

  EXPECT_TRUE(*loop.run(runner.is_cancelled("session_before_fork", Json::object())));
  EXPECT_EQ(handlers_called().size(), 1U);
}

TEST_F(Extensions, GateWaitsForALatch) {  // HOOK-13
  load({R"({"name": "a", "on": {"tool_call": [
        {"do": [{"latch": {"wait": "go"}}, {"block": "late"}]}]}})",
        R"({"name": "b", "on": {"note": [{"do": [{"delay": 500}, {"latch": {"set": "go"}}]}]}})"});
  loop.spawn(runner.notify("note", "", Json::object()), "opener");

  EXPECT_EQ(gate(Json::object()).message, "late");
  EXPECT_EQ(loop.now_ms(), 500);
}

}  // namespace
}  // namespace plumb::engine
