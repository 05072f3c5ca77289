// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/player.h"

#include <algorithm>
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

/// The first reply that answers a request with so many answers behind it, and the first of the
/// failed ones directly before it.
struct Turn {
  std::int64_t failed_begin = 0;
  std::int64_t good = 0;
};

Turn turn_of(const std::vector<ScriptedReply>& replies, std::int64_t answers) {
  Turn turn;
  std::int64_t seen = 0;
  for (turn.good = 0; turn.good < std::ssize(replies); ++turn.good) {
    if (is_failed_reply(*replies[static_cast<std::size_t>(turn.good)].reply)) continue;
    if (seen++ == answers) break;
    turn.failed_begin = turn.good + 1;
  }
  return turn;
}

/// The index of the reply, which may be past the last.
std::int64_t choose(const std::vector<ScriptedReply>& replies, const PlayerRules& rules,
                    PlayerState& state, const std::string& track) {
  const std::int64_t size = std::ssize(replies);
  if (rules.answers < 0) {
    const std::int64_t taken = state.taken[track];
    return rules.loops ? taken % size : taken;
  }
  const Turn turn = turn_of(replies, rules.answers);
  // By turn, for sessions side by side are not at the same.
  return std::min(turn.failed_begin + state.failed[track][turn.good], turn.good);
}

/// Why a reply is not for a request, or "".
std::string unmatched(const ScriptedReply& reply, const engine::ModelRequest& request,
                      const PlayerRules& rules) {
  const auto& match = reply.reply->match;
  return match ? unmatched_part(*match, request, rules.script_id) : "";
}

/// The first reply that is for the request, of those not given, or of all in a script that loops;
/// or the number of replies.
std::int64_t choose_match(const std::vector<ScriptedReply>& replies,
                          const engine::ModelRequest& request, const PlayerRules& rules,
                          PlayerState& state) {
  const std::int64_t size = std::ssize(replies);
  auto& given = state.given[request.lineage];
  std::int64_t again = size;
  for (std::int64_t i = 0; i < size; ++i) {
    if (!unmatched(replies[static_cast<std::size_t>(i)], request, rules).empty()) continue;
    if (given.insert(i).second) return i;
    again = std::min(again, i);
  }
  return rules.loops ? again : size;
}

/// The first position that is not in `given`.
std::int64_t first_left(const std::set<std::int64_t>& given) {
  std::int64_t first = 0;
  while (given.contains(first)) ++first;
  return first;
}

/// No reply is for the request, or the reply that it gets is for another: `reply` is one of them.
LlmError unmatched_error(const PlayerScript& script, const PlayerState& state,
                         const engine::ModelRequest& request, const ScriptedReply& reply,
                         const PlayerRules& rules) {
  const std::string words = rules.matches ? " matches no reply that is left; of the first "
                                          : " is not the one that this reply is for: ";
  return {"unmatched",
          request_text(state, request.lineage) + words + unmatched(reply, request, rules),
          located(script.file, reply.reply->match->place)};
}

/// Counts what is given: the reply `chosen` of `replies`.
void take(PlayerState& state, const std::string& track, std::int64_t chosen,
          const PlayerRules& rules, const std::vector<ScriptedReply>& replies) {
  auto& taken = state.taken[track];
  if (rules.matches) {
    taken = first_left(state.given[track]);
  } else if (rules.answers < 0) {
    taken += 1;
  } else {
    taken = std::max(taken, chosen + 1);
    const std::int64_t good = turn_of(replies, rules.answers).good;
    if (chosen < good) state.failed[track][good] += 1;
  }
}

/// The answer to a request that is right. `plan`: what is known of it.
Played answered(const PlayerScript& script, PlayerState state, const engine::ModelRequest& request,
                const PlayerRules& rules, Plan plan) {
  const std::string& track = request.lineage;
  const auto& replies = script.tracks.find(track)->second;
  const std::int64_t chosen = rules.matches ? choose_match(replies, request, rules, state)
                                            : choose(replies, rules, state, track);
  if (chosen >= std::ssize(replies)) {
    const auto left =
        rules.matches ? static_cast<std::size_t>(first_left(state.given[track])) : replies.size();
    if (left >= replies.size()) return {state, exhausted(script, state, track)};
    plan.errors = {unmatched_error(script, state, request, replies[left], rules)};
    plan.kind = Plan::Kind::broken;
    return {std::move(state), std::move(plan)};
  }
  const ScriptedReply& reply = replies[static_cast<std::size_t>(chosen)];
  // What was chosen by its match has it.
  if (!rules.matches && !unmatched(reply, request, rules).empty()) {
    plan.errors.push_back(unmatched_error(script, state, request, reply, rules));
    plan.kind = rules.is_lenient ? plan.kind : Plan::Kind::broken;
  }
  plan.place = reply.place;
  if (plan.kind == Plan::Kind::broken) return {std::move(state), std::move(plan)};
  plan.reply = reply.reply;
  take(state, track, chosen, rules, replies);
  return {std::move(state), std::move(plan)};
}

/// What is wrong with a request, by the rules.
std::vector<LlmError> wrong_with(const engine::ModelRequest& request, const PlayerRules& rules,
                                 const std::function<std::string(const std::string&)>& locate,
                                 const SharedJsonList& accepted) {
  std::vector<LlmError> errors;
  for (const FoundError& found : rules.found) {
    errors.push_back({found.code, found.message, locate(found.call)});
  }
  if (errors.empty()) errors = check_request(request, locate, accepted);
  std::erase_if(errors, [&](const LlmError& error) {
    return std::ranges::find(rules.checks_off, error.code) != rules.checks_off.end();
  });
  return errors;
}

}  // namespace

const ModelStep& SharedReply::operator*() const {
  static const ModelStep kNothing;
  return reply_ == nullptr ? kNothing : *reply_;
}

PlayerScript make_player_script(const Scenario& scenario) {
  PlayerScript script;
  script.file = scenario.file;
  script.models.push_back(scenario.settings.model);
  for (const auto& [name, model] : scenario.settings.models) {
    if (name != scenario.settings.model) script.models.push_back(name);
  }
  for (const Step& step : scenario.steps) {
    const auto* reply = std::get_if<ModelStep>(&step.action);
    if (reply == nullptr) continue;
    auto& replies = script.tracks[reply->track];
    if (replies.empty()) replies.reserve(scenario.steps.size());
    replies.push_back({*reply, step.place});
    for (const CallScript& call : reply->calls) script.calls.try_emplace(call.id, call.place);
  }
  return script;
}

Played step(const PlayerScript& script, PlayerState state, const engine::ModelRequest& request,
            const PlayerRules& rules) {
  const std::string& track = request.lineage;
  state.request_count += 1;
  const auto found = script.tracks.find(track);
  if (found == script.tracks.end()) return {state, unforeseen(script, state, track)};
  const auto& replies = found->second;
  const auto position = static_cast<std::size_t>(state.taken[track]);
  const Place here = replies[std::min(position, replies.size() - 1)].place;
  Plan plan;
  plan.place = here;
  const auto locate = [&](const std::string& call) {
    const auto known = script.calls.find(call);
    return located(script.file, known == script.calls.end() ? here : known->second);
  };
  auto& accepted = state.accepted[track];
  plan.errors = wrong_with(request, rules, locate, accepted);
  if (!plan.errors.empty() && !rules.is_lenient) {
    plan.kind = Plan::Kind::refused;
    return {std::move(state), std::move(plan)};
  }
  accepted = request.messages;
  return answered(script, std::move(state), request, rules, std::move(plan));
}

bool is_failed_reply(const ModelStep& reply) {
  if (reply.fail) return reply.fail->kind != "refusal";
  return reply.fault && reply.fault->kind == "cut";
}

std::vector<LlmError> left_over(const PlayerScript& script, const PlayerState& state) {
  std::vector<LlmError> errors;
  for (const auto& [track, replies] : script.tracks) {
    const auto taken = state.taken.find(track);
    const std::size_t used =
        taken == state.taken.end() ? 0 : static_cast<std::size_t>(taken->second);
    if (used >= replies.size()) continue;
    const auto given = state.given.find(track);
    const std::size_t count = given == state.given.end() ? used : given->second.size();
    errors.push_back({"left_over",
                      "track " + in_quotes(track) + " has " + replies_text(replies.size() - count) +
                          " that no request took",
                      located(script.file, replies[used].place)});
  }
  return errors;
}

}  // namespace plumb::simulator
