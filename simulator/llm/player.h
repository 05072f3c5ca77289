// SPDX-License-Identifier: Apache-2.0
// The fake model's mind: a pure state machine over a scenario's replies. It answers by position
// within the track and refuses, as real providers do, what they refuse; every refusal names the
// line of the script that it is about. The in-process provider and the HTTP server share it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/provider.h"
#include "engine/trace/event.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// One scripted reply and where it stands.
struct ScriptedReply {
  ModelStep reply;
  Place place;
  bool operator==(const ScriptedReply&) const = default;
};

/// The replies of a scenario by track, and the places of their calls.
struct PlayerScript {
  std::string file;
  std::map<std::string, std::vector<ScriptedReply>, std::less<>> tracks;
  std::map<std::string, Place, std::less<>> calls;
  bool operator==(const PlayerScript&) const = default;
};

PlayerScript make_player_script(const Scenario& scenario);

/// How many replies each track has given, and how many requests came in all. `accepted`: the
/// messages of each track's last request that was not refused.
struct PlayerState {
  std::map<std::string, std::int64_t, std::less<>> taken;
  std::map<std::string, std::vector<SharedJson>, std::less<>> accepted;
  std::int64_t request_count = 0;
  bool operator==(const PlayerState&) const = default;
};

/// What happens to a request. `answered`: `reply` is the answer. `refused`: the provider gives back
/// an error, no reply is used up. `broken`: the script has no answer, the run cannot go on.
struct Plan {
  enum class Kind : std::uint8_t { answered, refused, broken };
  Kind kind = Kind::answered;
  ModelStep reply;
  Place place;
  std::vector<LlmError> errors;
  bool operator==(const Plan&) const = default;
};

struct Played {
  PlayerState state;
  Plan plan;
};

/// The next state and the answer to a request; its track is the request's lineage. Pure.
/// Codes: see check_request; exhausted, when the track has no reply left; unforeseen, when the
/// script has no such track.
Played step(const PlayerScript& script, PlayerState state, const engine::ModelRequest& request);

/// Replies that nobody asked for (code left_over), one error a track, at the first such reply.
std::vector<LlmError> left_over(const PlayerScript& script, const PlayerState& state);

}  // namespace plumb::simulator
