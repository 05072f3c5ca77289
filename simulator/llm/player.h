// SPDX-License-Identifier: Apache-2.0
// The fake model's mind: a pure state machine over a scenario's replies. It answers by position
// within the track and refuses, as real providers do, what they refuse; every refusal names the
// line of the script that it is about. The in-process provider and the HTTP server share it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/provider.h"
#include "engine/trace/event.h"
#include "simulator/llm/request_match.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// A reply that its copies share: scripts are copied, and each request is planned, without a copy
/// of what is said. An empty reply when default-constructed.
class SharedReply final {
 public:
  SharedReply() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): the same reply, to be shared.
  SharedReply(ModelStep reply) : reply_(std::make_shared<const ModelStep>(std::move(reply))) {}

  const ModelStep& operator*() const;
  const ModelStep* operator->() const { return &**this; }
  friend bool operator==(const SharedReply& left, const SharedReply& right) {
    return left.reply_ == right.reply_ || *left == *right;
  }

 private:
  // Shared by the script, the plans that were made from it and what is told of them later.
  std::shared_ptr<const ModelStep> reply_;
};

/// One scripted reply and where it stands.
struct ScriptedReply {
  SharedReply reply;
  Place place;
  bool operator==(const ScriptedReply&) const = default;
};

/// The replies of a scenario by track, the places of their calls, and the models that it names.
struct PlayerScript {
  std::string file;
  std::vector<std::string> models = {};
  std::map<std::string, std::vector<ScriptedReply>, std::less<>> tracks;
  std::map<std::string, Place, std::less<>> calls;
  bool operator==(const PlayerScript&) const = default;
};

PlayerScript make_player_script(const Scenario& scenario);

/// How many replies each track has given, and how many requests came in all. `accepted`: the
/// messages of each track's last request that was not refused. `failed`: of each track, failed
/// replies given, by the position of the good one behind them. `given`: replies that were chosen by
/// what the request holds.
struct PlayerState {
  std::map<std::string, std::int64_t, std::less<>> taken;
  std::map<std::string, SharedJsonList, std::less<>> accepted;
  std::map<std::string, std::map<std::int64_t, std::int64_t>, std::less<>> failed;
  std::map<std::string, std::set<std::int64_t>, std::less<>> given;
  std::int64_t request_count = 0;
  bool operator==(const PlayerState&) const = default;
};

/// What happens to a request. `answered`: `reply` is the answer. `refused`: the provider gives back
/// an error, no reply is used up. `broken`: the script has no answer, the run cannot go on.
struct Plan {
  enum class Kind : std::uint8_t { answered, refused, broken };
  Kind kind = Kind::answered;
  SharedReply reply;
  Place place;
  std::vector<LlmError> errors;
  bool operator==(const Plan&) const = default;
};

/// What a provider has found wrong with a request. `call`: the id that it is about, or "".
struct FoundError {
  std::string code;
  std::string message;
  std::string call;
};

/// How a request is taken. `found`: beside what check_request finds. `is_lenient`: what is wrong is
/// said and answered all the same. `checks_off`: codes that nobody looks for. `loops`: past its
/// last reply a track begins again. `answers`: from 0, the answers that the request repeats, which
/// alone choose the reply: failed replies do not count, each is given once and then the next.
/// `matches`: the first reply not given yet whose `match` holds, or that has none (WIRE-11);
/// otherwise `match` is a claim about the request that a reply gets. `script_id`: for calls whose
/// ids do not stand as in the script.
struct PlayerRules {
  std::vector<FoundError> found = {};
  std::vector<std::string> checks_off = {};
  bool is_lenient = false;
  bool loops = false;
  std::int64_t answers = -1;
  bool matches = false;
  ScriptId script_id = {};
};

struct Played {
  PlayerState state;
  Plan plan;
};

/// The next state and the answer to a request; its track is the request's lineage. Pure.
/// Codes: see check_request; exhausted, when the track has no reply left; unmatched, when none that
/// is left, or not the one whose turn it is, is meant for the request; unforeseen, when the script
/// has no such track.
Played step(const PlayerScript& script, PlayerState state, const engine::ModelRequest& request,
            const PlayerRules& rules = {});

/// Whether a client is meant to ask again after that reply.
bool is_failed_reply(const ModelStep& reply);

/// Replies that nobody asked for (code left_over), one error a track, at the first such reply.
std::vector<LlmError> left_over(const PlayerScript& script, const PlayerState& state);

}  // namespace plumb::simulator
