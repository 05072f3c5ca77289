// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/player.h"

#include <utility>

#include "simulator/llm/strictness.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

std::string replies_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " reply" : " replies");
}

std::string request_text(const PlayerState& state, const std::string& track) {
  return "request " + std::to_string(state.request_count) + " on track " + in_quotes(track);
}

Plan broken(std::string code, std::string message, std::string where) {
  Plan plan;
  plan.kind = Plan::Kind::broken;
  plan.errors.push_back({std::move(code), std::move(message), std::move(where)});
  return plan;
}

Plan unforeseen(const PlayerScript& script, const PlayerState& state, const std::string& track) {
  std::vector<std::string> known;
  for (const auto& [name, replies] : script.tracks) known.push_back(name);
  return broken(
      "unforeseen",
      request_text(state, track) + ", which the script does not have" + advice(track, known),
      script.file);
}

Plan exhausted(const PlayerScript& script, const PlayerState& state, const std::string& track) {
  const auto& replies = script.tracks.at(track);
  return broken("exhausted",
                request_text(state, track) + ", which has " + replies_text(replies.size()) +
                    ", has no answer",
                located(script.file, replies.back().place));
}

}  // namespace

PlayerScript make_player_script(const Scenario& scenario) {
  PlayerScript script;
  script.file = scenario.file;
  for (const Step& step : scenario.steps) {
    const auto* reply = std::get_if<ModelStep>(&step.action);
    if (reply == nullptr) continue;
    script.tracks[reply->track].push_back({*reply, step.place});
    for (const CallScript& call : reply->calls) script.calls.try_emplace(call.id, call.place);
  }
  return script;
}

Played step(const PlayerScript& script, PlayerState state, const engine::ModelRequest& request) {
  const std::string& track = request.lineage;
  state.request_count += 1;
  const auto replies = script.tracks.find(track);
  if (replies == script.tracks.end()) return {state, unforeseen(script, state, track)};
  const auto position = static_cast<std::size_t>(state.taken[track]);
  const bool has_reply = position < replies->second.size();
  const Place here = replies->second[has_reply ? position : replies->second.size() - 1].place;
  Plan plan;
  plan.place = here;
  const auto locate = [&](const std::string& call) {
    const auto known = script.calls.find(call);
    return located(script.file, known == script.calls.end() ? here : known->second);
  };
  auto& accepted = state.accepted[track];
  plan.errors = check_request(request, locate, accepted);
  if (!plan.errors.empty()) {
    plan.kind = Plan::Kind::refused;
    return {std::move(state), std::move(plan)};
  }
  accepted = request.messages;
  if (!has_reply) return {state, exhausted(script, state, track)};
  plan.reply = replies->second[position].reply;
  state.taken[track] += 1;
  return {std::move(state), std::move(plan)};
}

std::vector<LlmError> left_over(const PlayerScript& script, const PlayerState& state) {
  std::vector<LlmError> errors;
  for (const auto& [track, replies] : script.tracks) {
    const auto taken = state.taken.find(track);
    const std::size_t used =
        taken == state.taken.end() ? 0 : static_cast<std::size_t>(taken->second);
    if (used >= replies.size()) continue;
    errors.push_back({"left_over",
                      "track " + in_quotes(track) + " has " + replies_text(replies.size() - used) +
                          " that no request took",
                      located(script.file, replies[used].place)});
  }
  return errors;
}

}  // namespace plumb::simulator
