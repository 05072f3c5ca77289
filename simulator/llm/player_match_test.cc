// SPDX-License-Identifier: Apache-2.0
// Replies that say which request they are for: chosen by it, or held to it (WIRE-11).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/llm/fault.h"
#include "simulator/llm/player.h"

namespace plumb::simulator {
namespace {

using ::testing::HasSubstr;

/// `steps` of a scenario as a script; the file is called x.yaml, the first reply is line 5.
PlayerScript chosen_script(const std::string& steps) {
  std::vector<RuleEntry> rules(1);
  rules[0].id = "WIRE-11";
  const std::string text = "scenario: s\nrules: [WIRE-11]\nsteps:\n  - user: go\n" + steps;
  const auto scenario = parse_scenario(text, "x.yaml", Catalogue(rules));
  EXPECT_TRUE(scenario) << error_line(scenario.error().front());
  return make_player_script(scenario.value());
}

engine::ModelRequest said_request(const std::string& text) {
  engine::ModelRequest request;
  request.messages.emplace_back(Json{{"role", "user"}, {"content", text}});
  return request;
}

engine::ModelRequest request_with_result(const std::string& call, const std::string& text) {
  engine::ModelRequest request = said_request("go");
  const Json made{{"type", "toolCall"}, {"id", call}, {"name", "f"}, {"arguments", Json::object()}};
  request.messages.emplace_back(Json{{"role", "assistant"}, {"content", Json::array({made})}});
  const Json block{{"type", "text"}, {"text", text}};
  request.messages.emplace_back(
      Json{{"role", "toolResult"}, {"toolCallId", call}, {"content", Json::array({block})}});
  return request;
}

void declare(engine::ModelRequest& request, const std::string& name) {
  request.tools.push_back({name, SharedJson(Json{{"name", name}, {"parameters", Json::object()}})});
}

/// What a script that chooses says to requests, one after the other: texts of replies, codes of
/// errors.
class Chooser {
 public:
  explicit Chooser(const std::string& steps, bool loops = false) : script_(chosen_script(steps)) {
    rules_.matches = true;
    rules_.loops = loops;
  }
  std::string ask(const engine::ModelRequest& request) {
    Played played = step(script_, std::move(state_), request, rules_);
    state_ = std::move(played.state);
    errors_ = played.plan.errors;
    if (played.plan.kind != Plan::Kind::answered) return errors_.front().code;
    return played.plan.reply->fail ? played.plan.reply->fail->kind : played.plan.reply->text;
  }
  std::string ask(const std::string& text) { return ask(said_request(text)); }
  const LlmError& error() const { return errors_.front(); }
  std::vector<LlmError> left() const { return left_over(script_, state_); }

 private:
  PlayerScript script_;
  PlayerRules rules_;
  PlayerState state_;
  std::vector<LlmError> errors_;
};

constexpr const char* kByUser =
    "  - model: {text: one, match: {user: {contains: red}}}\n"
    "  - model: {text: two, match: {user: {contains: blue}}}\n"
    "  - model: {text: three, match: {user: {contains: red, lacks: blue}}}\n";

TEST(PlayerMatch, EachReplyIsGivenOnce) {  // WIRE-11
  Chooser script(kByUser);

  EXPECT_EQ(script.ask("blue"), "two");
  EXPECT_EQ(script.ask("red"), "one");
  EXPECT_EQ(script.ask("dark red"), "three");
  EXPECT_EQ(script.ask("red"), "exhausted");
  EXPECT_TRUE(script.left().empty());
}

TEST(PlayerMatch, SaysWhyNoneThatIsLeftFits) {
  Chooser script(kByUser);
  script.ask("red");

  EXPECT_EQ(script.ask("green"), "unmatched");
  EXPECT_EQ(script.error().message,
            "request 2 on track 'main' matches no reply that is left; of the first its last user "
            "text 'green' lacks a text 'blue'");
  EXPECT_EQ(script.error().where, "x.yaml:6:24");
}

TEST(PlayerMatch, WhatIsNotGivenIsNotUsedUp) {  // WIRE-10
  const PlayerScript script = chosen_script(
      "  - model: {fail: {kind: rate_limit}, match: {user: nope}}\n  - model: done\n");
  PlayerRules rules;
  rules.answers = 0;

  const Played first = step(script, {}, said_request("hi"), rules);
  const Played second = step(script, first.state, said_request("hi"), rules);

  EXPECT_EQ(second.plan.errors.at(0).code, "unmatched");
  ASSERT_EQ(left_over(script, second.state).size(), 1U);
  EXPECT_EQ(left_over(script, second.state)[0].message,
            "track 'main' has 2 replies that no request took");
}

TEST(PlayerMatch, CountsWhatIsLeftWhereverItStands) {  // WIRE-10
  Chooser script(kByUser);
  script.ask("blue");

  const auto left = script.left();

  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].message, "track 'main' has 2 replies that no request took");
  EXPECT_EQ(left[0].where, "x.yaml:5:5");
}

TEST(PlayerMatch, OneThatFailsIsGivenOnceToo) {
  Chooser script(
      "  - model: {fail: {kind: rate_limit}, match: {user: a}}\n"
      "  - model: {text: good, match: {user: a}}\n  - model: any\n");

  EXPECT_EQ(script.ask("a"), "rate_limit");
  EXPECT_EQ(script.ask("a"), "good");
  EXPECT_EQ(script.ask("a"), "any");
}

TEST(PlayerMatch, BeginsAgainWhereTheScriptLoops) {
  Chooser script(kByUser, true);
  std::string texts;

  for (const char* text : {"red", "red", "red", "blue", "blue"}) texts += script.ask(text) + " ";

  EXPECT_EQ(texts, "one three one two two ");
  EXPECT_EQ(script.ask("green"), "exhausted");
}

TEST(PlayerMatch, AFaultStrikesTheRequestsOfItsReply) {
  PlayerScript script = chosen_script(kByUser);
  script = with_fault(std::move(script), fault_point_of("overloaded@2").value()).value();
  PlayerRules rules;
  rules.matches = true;

  const Played red = step(script, {}, said_request("red"), rules);
  const Played blue = step(script, red.state, said_request("blue"), rules);

  EXPECT_EQ(red.plan.reply->text, "one");
  EXPECT_TRUE(blue.plan.reply->fail.has_value());
  EXPECT_EQ(step(script, blue.state, said_request("blue"), rules).plan.reply->text, "two");
}

TEST(PlayerMatch, LooksAtResultsToolsAndModel) {
  const std::string steps =
      "  - model: {calls: [{id: c1, tool: f}], match: {tools: []}}\n"
      "  - model: {text: result, match: {results: {c1: {contains: fine}}}}\n"
      "  - model: {text: tools, match: {tools: [f, g]}}\n"
      "  - model: {text: model, match: {model: big, user: go}}\n";
  Chooser script(steps);
  engine::ModelRequest tools = said_request("go");
  for (const char* name : {"e", "g", "f"}) declare(tools, name);
  engine::ModelRequest model = tools;
  model.model = "big";

  EXPECT_EQ(script.ask(tools), "tools");
  EXPECT_EQ(script.ask(model), "model");
  EXPECT_EQ(script.ask(request_with_result("c1", "all fine")), "");
  EXPECT_EQ(script.ask(request_with_result("c1", "all fine")), "result");
}

TEST(PlayerMatch, NamesThePartThatDoesNotHold) {
  const auto unmatched = [](const std::string& match, const engine::ModelRequest& request) {
    Chooser script("  - model: {calls: [{id: c1, tool: f}], match: {" + match + "}}\n");
    EXPECT_EQ(script.ask(request), "unmatched");
    return script.error().message.substr(script.error().message.find("first ") + 6);
  };
  engine::ModelRequest with_tool = said_request("go");
  declare(with_tool, "g");

  EXPECT_EQ(unmatched("user: stay", with_tool), "its last user text 'go' differs 'stay'");
  EXPECT_EQ(unmatched("tools: []", with_tool), "it declares tool 'g', expected none");
  EXPECT_EQ(unmatched("tools: [f]", with_tool), "it does not declare tool 'f'");
  EXPECT_EQ(unmatched("model: m", with_tool), "its model is 'fake-1', expected 'm'");
  EXPECT_EQ(unmatched("results: {c1: fine}", with_tool), "it has no result of call 'c1'");
  EXPECT_EQ(unmatched("results: {c1: fine}", request_with_result("c1", "bad")),
            "its result of call 'c1' 'bad' differs 'fine'");
}

TEST(PlayerMatch, IsAClaimByPosition) {
  const PlayerScript script = chosen_script(kByUser);

  const Played right = step(script, {}, said_request("red"));
  const Played wrong = step(script, right.state, said_request("red"));
  PlayerRules lenient;
  lenient.is_lenient = true;
  const Played said = step(script, right.state, said_request("red"), lenient);

  EXPECT_EQ(right.plan.reply->text, "one");
  EXPECT_EQ(wrong.plan.kind, Plan::Kind::broken);
  ASSERT_EQ(wrong.plan.errors.size(), 1U);
  EXPECT_EQ(wrong.plan.errors[0].code, "unmatched");
  EXPECT_THAT(wrong.plan.errors[0].message, HasSubstr("is not the one that this reply is for: "));
  EXPECT_EQ(said.plan.kind, Plan::Kind::answered);
  EXPECT_EQ(said.plan.errors, wrong.plan.errors);
}

}  // namespace
}  // namespace plumb::simulator
