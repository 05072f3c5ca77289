// SPDX-License-Identifier: Apache-2.0
// Tools and prompt of a session: what is active, declared and said about it.
#include <gmock/gmock.h>

#include "engine/session/session_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

class SessionTools : public SessionFixture {};

TEST_F(SessionTools, ChangeTakesEffectAtTheNextRequest) {  // ACTIVE-06, ACTIVE-08
  add_tool(R"({"name": "one", "do": [{"set_active": ["two"]}]})");
  add_tool(R"({"name": "two"})");
  provider.answers = {called({call_of("c1", "one"), call_of("c2", "one")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(declared(0), ElementsAre("one", "two"));
  EXPECT_THAT(declared(1), ElementsAre("two"));
  EXPECT_EQ(all_of<CallOutcome>()[1]->outcome, "ok");  // ACTIVE-09
}

TEST_F(SessionTools, NotesNameTheCallThatTheyAreAbout) {  // ABORT-01, EVENT-07
  add_tool(R"({"name": "one", "do": [{"note": "ran"}]})");
  extend(R"({"name": "seen", "on": {"tool_result": [{"do": [{"note": "saw"}]}],
    "turn_end": [{"do": [{"note": "over"}]}]}})");
  provider.answers = {called({call_of("c1", "one")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  std::vector<std::pair<std::string, std::string>> told;
  for (const auto& event : trace.events) {
    const auto* note = event.as<Notify>();
    if (note != nullptr && note->topic != "registration")
      told.emplace_back(note->topic, event.call);
  }
  EXPECT_THAT(
      told, ElementsAre(Pair("ran", "c1"), Pair("saw", "c1"), Pair("over", ""), Pair("over", "")));
}

TEST_F(SessionTools, ModifiersChangeTheSelectionOfTheStart) {  // REG-15
  add_tool(R"({"name": "one"})");
  add_tool(R"({"name": "two", "defaultActive": false})");
  add_tool(R"({"name": "three"})");
  options.filters.allowed = std::vector<std::string>{"-one", "+two", "+ghost", "+one"};
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(declared(0), ElementsAre("three", "two", "one"));
}

TEST_F(SessionTools, ListsThatMixNamesAndModifiersAreRefused) {  // REG-15
  for (const auto& list : {std::vector<std::string>{"read", "+bash"}, {"+g*"}}) {
    options.filters.allowed = list;
    session = std::make_unique<Session>(options, SessionPorts(env, provider, recorder), policies);

    const auto started = loop.run(session->start());

    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, ErrorCode::invalid);
  }
}

TEST_F(SessionTools, PromptAndDeclarationsOfARequestAgree) {  // ACTIVE-08, PROMPT-05
  add_tool(R"({"name": "one", "snippet": "does one"})");
  extend(R"({"name": "late", "on": {"context": [
    {"when": {"nth": 2}, "do": [{"set_active": []}]}]}})");
  provider.answers = {said("done"), said("again")};

  ASSERT_TRUE(prompt("go"));
  ASSERT_TRUE(prompt("more"));

  EXPECT_THAT(declared(0), ElementsAre("one"));
  EXPECT_THAT(system_of(0), HasSubstr("- one: does one"));
  EXPECT_THAT(declared(1), IsEmpty());
  EXPECT_THAT(system_of(1), Not(HasSubstr("does one")));
}

TEST_F(SessionTools, DefiningAloneRegistersNothing) {  // TOOL-02
  extend(R"({"name": "plain", "on": {"session_start": [{"do": [
    {"define": {"name": "drafted", "description": "d"}},
    {"note": {"topic": "listed", "data": "$tools"}}]}]}})");

  start();

  EXPECT_EQ(notes("listed").at(0), Json::array());
}

TEST_F(SessionTools, DisabledToolIsUnknownLater) {  // ACTIVE-10
  add_tool(R"({"name": "one", "do": [{"set_active": []}]})");
  provider.answers = {called({call_of("c1", "one")}), called({call_of("c2", "one")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(all_of<CallOutcome>()[1]->outcome, "unknown_tool");
}

TEST_F(SessionTools, ChangesAreAnnouncedOnce) {  // ACTIVE-16
  add_tool(R"({"name": "one", "do": [{"set_active": ["two"]}]})");
  add_tool(R"({"name": "two"})");
  options.active.initial = std::vector<std::string>{"one"};
  options.active.is_complete = true;
  provider.answers = {called({call_of("c1", "one")}), said("done"), said("again")};

  ASSERT_TRUE(prompt("go"));
  ASSERT_TRUE(prompt("more"));

  const Json& delta = provider.requests[1].messages.back().get();
  EXPECT_EQ(delta["role"], "system");
  EXPECT_EQ(delta["toolsAdded"][0]["name"], "two");
  EXPECT_EQ(delta["toolsRemoved"][0]["name"], "one");
  EXPECT_EQ(provider.requests[2].messages.size(), provider.requests[1].messages.size() + 2);
}

TEST_F(SessionTools, RegisteredAtRunTimeIsActiveNextTurn) {  // ACTIVE-03, ACTIVE-11
  extend(R"({"name": "late", "on": {"tool_call": [{"when": {"name": "one"}, "do": [
    {"register": {"name": "two", "description": "d"}}]}]}})");
  add_tool(R"({"name": "one"})");
  provider.answers = {called({call_of("c1", "one"), call_of("c2", "two")}),
                      called({call_of("c3", "two")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(all_of<CallOutcome>()[0]->outcome, "unknown_tool");
  EXPECT_EQ(all_of<CallOutcome>()[2]->outcome, "ok");
  EXPECT_THAT(declared(1), ElementsAre("one", "two"));
}

TEST_F(SessionTools, SelectionInPreparationIsDeclared) {  // ACTIVE-17
  add_tool(R"({"name": "one"})");
  add_tool(R"({"name": "two"})");
  extend(R"({"name": "pick", "on": {"before_agent_start": [
    {"do": [{"set": {"path": "/selectedTools", "value": ["two"]}}]}]}})");
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(declared(0), ElementsAre("two"));
}

TEST_F(SessionTools, PromptListsSnippetsAndRulesOfActiveTools) {  // PROMPT-02..08
  add_tool(
      R"({"name": "one", "snippet": " does\n  one ", "guidelines": ["Use one.", "Use one."]})");
  add_tool(R"({"name": "two", "guidelines": ["Use two."]})");
  add_tool(R"({"name": "off", "snippet": "hidden", "guidelines": ["Never."]})");
  options.active.initial = std::vector<std::string>{"one", "two"};
  options.active.is_complete = true;
  options.prompt.guidelines = {"The host says so."};
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("go"));

  const std::string prompt_text = system_of(0);
  EXPECT_THAT(prompt_text, HasSubstr("<tools>\n- one: does one\n\n"));
  EXPECT_THAT(prompt_text, HasSubstr("<rules>\n- Use one.\n- Use two.\n- The host says so.\n- "));
  EXPECT_THAT(prompt_text, Not(HasSubstr("hidden")));
  EXPECT_THAT(prompt_text, Not(HasSubstr("Never.")));
}

TEST_F(SessionTools, CustomPromptDropsTheGeneratedParts) {  // PROMPT-09, PROMPT-10
  add_tool(R"({"name": "one", "snippet": "does one"})");
  options.prompt.custom = "be brief";
  options.prompt.appended = "and kind";
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(system_of(0),
            "be brief\n\n<addendum>\nand kind\n</addendum>\n\n<cwd>\n/workspace\n</cwd>");
  EXPECT_THAT(declared(0), ElementsAre("one"));
}

TEST_F(SessionTools, AddedToolNamesStandOnTheResult) {  // TOOL-10
  add_tool(R"({"name": "one", "do": [{"set_active": {"add": ["two"]}}]})");
  add_tool(R"({"name": "two"})");
  options.active.initial = std::vector<std::string>{"one"};
  options.active.is_complete = true;
  provider.answers = {called({call_of("c1", "one")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  const auto& result = std::get<ToolResultMessage>(*session->messages()[2]);
  EXPECT_THAT(result.added_tool_names, ElementsAre("two"));
}

TEST_F(SessionTools, LateUpdatesAreDropped) {  // EVENT-07
  add_tool(R"({"name": "one", "do": [{"update": "early"},
    {"later": [{"delay": 10}, {"update": "late"}]}, {"result": "ok"}]})");
  add_tool(R"({"name": "slow", "do": [{"delay": 50}]})");
  provider.answers = {called({call_of("c1", "one"), call_of("c2", "slow")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(count_of<ToolExecutionUpdate>(), 1);
}

TEST_F(SessionTools, NestedCallsPassTheGates) {  // HOOK-29, HOOK-30
  add_tool(R"({"name": "outer", "do": [{"call_tool": {"tool": "inner", "args": {}}},
    {"note": {"topic": "inner", "data": ["$last/id", "$last/isError", "$last/text"]}}]})");
  add_tool(R"({"name": "inner"})");
  extend(R"({"name": "gate", "on": {"tool_call": [
    {"when": {"name": "inner"}, "do": [{"block": "not inside"}]}]}})");
  provider.answers = {called({call_of("c1", "outer")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(notes("inner").front(), Json::array({"c1/1", true, "not inside"}));
  EXPECT_EQ(session->messages().size(), 4U);
}

TEST_F(SessionTools, BlockWithTerminateEndsTheRun) {  // HOOK-15
  add_tool(R"({"name": "one"})");
  extend(
      R"({"name": "gate", "on": {"tool_call": [
        {"do": [{"block": {"reason": "no", "terminate": true}}]}]}})");
  provider.answers = {called({call_of("c1", "one")})};

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(provider.requests.size(), 1U);
}

TEST_F(SessionTools, NothingOfDetailsReachesTheModel) {  // RESULT-02, RESULT-03
  add_tool(R"({"name": "one", "do": [{"result": {"content": "shown", "details": {"k": "kept-1"},
    "structuredContent": {"k": "kept-2"}}}]})");
  provider.answers = {called({call_of("c1", "one")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(request_text(1), HasSubstr("shown"));
  EXPECT_THAT(request_text(1), Not(HasSubstr("kept-")));
}

TEST_F(SessionTools, NoToolsAtAllIsSaidInThePrompt) {  // PROMPT-09, REG-11
  add_tool(R"({"name": "one", "snippet": "does one"})");
  options.filters.allowed = std::vector<std::string>();
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(declared(0), IsEmpty());
  EXPECT_THAT(system_of(0), HasSubstr("<tools>\n(none)\n"));
}

}  // namespace
}  // namespace plumb::engine
