// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/player.h"

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

/// `steps` of a scenario as a script; the file is called x.yaml.
PlayerScript script_of(const std::string& steps) {
  std::vector<RuleEntry> rules(1);
  rules[0].id = "EDIT-11";
  const std::string text = "scenario: s\nrules: [EDIT-11]\nsteps:\n" + steps;
  const auto scenario = parse_scenario(text, "x.yaml", Catalogue(rules));
  EXPECT_TRUE(scenario) << error_line(scenario.error().front());
  return make_player_script(scenario.value());
}

engine::ModelRequest request_on(const std::string& track) {
  engine::ModelRequest request;
  request.lineage = track;
  request.messages.emplace_back(Json{{"role", "user"}, {"content", "go"}});
  return request;
}

constexpr const char* kTwoTracks =
    "  - user: go\n"
    "  - model: one\n"
    "  - model: {track: summary, text: short}\n"
    "  - model: two\n";

TEST(Player, AnswersByPositionWithinTheTrack) {
  const PlayerScript script = script_of(kTwoTracks);
  PlayerState state;
  std::string texts;

  for (const char* track : {"main", "summary", "main"}) {
    Played played = step(script, std::move(state), request_on(track));
    state = std::move(played.state);
    texts += played.plan.reply->text + " ";
  }

  EXPECT_EQ(texts, "one short two ");
  EXPECT_EQ(state.request_count, 3);
  EXPECT_TRUE(left_over(script, state).empty());
}

TEST(Player, IsAPureFunctionOfStateAndRequest) {
  const PlayerScript script = script_of(kTwoTracks);

  const Played first = step(script, PlayerState(), request_on("main"));
  const Played again = step(script, PlayerState(), request_on("main"));

  EXPECT_EQ(first.state, again.state);
  EXPECT_EQ(first.plan, again.plan);
}

TEST(Player, SaysThatAScriptRanOut) {
  const PlayerScript script = script_of("  - user: go\n  - model: done\n");
  const PlayerState used = step(script, PlayerState(), request_on("main")).state;

  const Played played = step(script, used, request_on("main"));

  EXPECT_EQ(played.plan.kind, Plan::Kind::broken);
  EXPECT_EQ(played.plan.errors,
            (std::vector{LlmError{"exhausted",
                                  "request 2 on track 'main', which has 1 reply, has no answer",
                                  "x.yaml:5:5"}}));
}

TEST(Player, SaysThatATrackIsUnforeseen) {
  const PlayerScript script = script_of(kTwoTracks);

  const Played played = step(script, PlayerState(), request_on("sumary"));

  EXPECT_EQ(played.plan.kind, Plan::Kind::broken);
  EXPECT_EQ(played.plan.errors,
            (std::vector{LlmError{"unforeseen",
                                  "request 1 on track 'sumary', which the script does not have; "
                                  "did you mean 'summary'?",
                                  "x.yaml"}}));
}

TEST(Player, SaysWhatNobodyAskedFor) {
  const PlayerScript script = script_of(kTwoTracks);
  const PlayerState state = step(script, PlayerState(), request_on("main")).state;

  EXPECT_EQ(left_over(script, state),
            (std::vector{LlmError{"left_over", "track 'main' has 1 reply that no request took",
                                  "x.yaml:7:5"},
                         LlmError{"left_over", "track 'summary' has 1 reply that no request took",
                                  "x.yaml:6:5"}}));
}

TEST(Player, RefusesWithoutUsingUpAReply) {
  const PlayerScript script =
      script_of("  - user: go\n  - model: {calls: [{id: c1, tool: read}]}\n  - model: done\n");
  const PlayerState state = step(script, PlayerState(), request_on("main")).state;
  engine::ModelRequest request = request_on("main");
  const Json call{{"type", "toolCall"}, {"id", "c1"}, {"name", "read"}};
  request.messages.emplace_back(Json{{"role", "assistant"}, {"content", {call}}});

  const Played played = step(script, state, request);

  EXPECT_EQ(played.plan.kind, Plan::Kind::refused);
  EXPECT_EQ(
      played.plan.errors,
      (std::vector{LlmError{"missing_result", "call 'c1' has no result directly after its answer",
                            "x.yaml:5:21"}}));
  EXPECT_EQ(played.state.taken.at("main"), 1);
}

}  // namespace
}  // namespace plumb::simulator
