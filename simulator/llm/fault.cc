// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/fault.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/kernel/rng.h"
#include "simulator/llm/reply.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// How a kind of fault strikes. `is_failure`: a kind of `fail`. `comes_before`: a further reply
/// ahead of the good one.
struct FaultWord {
  std::string_view kind;
  bool is_failure;
  bool comes_before;
  std::size_t calls_min;
};

constexpr std::array<FaultWord, 10> kFaultWords = {{
    {"overloaded", true, true, 0},
    {"rate_limit", true, true, 0},
    {"server", true, true, 0},
    {"network", true, true, 0},
    {"cut", false, true, 0},
    {"stall", false, false, 0},
    {"cut_arguments", false, false, 1},
    {"garbled_arguments", false, false, 1},
    {"duplicate_ids", false, false, 2},
    {"length", false, false, 0},
}};

constexpr std::int64_t kSweptRetryAfterMs = 20;
constexpr std::int64_t kSweptStallMs = 200;

const FaultWord* word_of(std::string_view kind) {
  const auto* word = std::ranges::find(kFaultWords, kind, &FaultWord::kind);
  return word == kFaultWords.end() ? nullptr : word;
}

/// The first `size` bytes, less what would break a character.
std::string cut_text(std::string_view text, std::int64_t size) {
  auto end = static_cast<std::size_t>(std::clamp<std::int64_t>(size, 0, std::ssize(text)));
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return std::string(text.substr(0, end));
}

CallScript* struck_call(ModelStep& reply, const ReplyFaultScript& fault) {
  if (reply.calls.empty()) return nullptr;
  if (fault.call.empty()) return &reply.calls.back();
  const auto call = std::ranges::find(reply.calls, fault.call, &CallScript::id);
  return call == reply.calls.end() ? nullptr : &*call;
}

/// At least one byte is left, and one is missing.
void cut_arguments(CallScript& call, const ReplyFaultScript& fault, std::uint64_t seed) {
  const std::string text = arguments_text(call);
  const std::int64_t last = std::max<std::int64_t>(std::ssize(text) - 1, 1);
  const std::int64_t at = std::clamp<std::int64_t>(fault_position(fault, last, seed), 1, last);
  call.arguments_text = cut_text(text, at);
  call.args = Json::object();
}

/// A quotation mark too many; where that is still JSON, a bracket that nothing opened.
void garble_arguments(CallScript& call, const ReplyFaultScript& fault, std::uint64_t seed) {
  const std::string text = arguments_text(call);
  const std::string front = cut_text(text, fault_position(fault, std::ssize(text), seed));
  std::string garbled = front + "\"" + text.substr(front.size());
  if (parse_json(garbled)) garbled += "]";
  call.arguments_text = std::move(garbled);
  call.args = Json::object();
}

void reach_limit(ModelStep& reply, const ReplyFaultScript& fault, std::uint64_t seed) {
  reply.stop = "length";
  if (!reply.calls.empty()) return cut_arguments(reply.calls.back(), fault, seed);
  reply.text = cut_text(reply.text, fault_position(fault, std::ssize(reply.text), seed));
}

FailureScript swept_failure(const std::string& kind) {
  FailureScript failure{kind, ""};
  if (kind == "rate_limit") failure.retry_after_ms = kSweptRetryAfterMs;
  return failure;
}

ModelStep struck(ModelStep reply, const FaultPoint& point) {
  if (word_of(point.fault)->is_failure) {
    reply.fail = swept_failure(point.fault);
    return reply;
  }
  ReplyFaultScript fault{point.fault, point.at};
  if (point.fault == "stall") fault.ms = kSweptStallMs;
  reply.fault = std::move(fault);
  return reply;
}

bool takes_number(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

}  // namespace

std::int64_t fault_position(const ReplyFaultScript& fault, std::int64_t size, std::uint64_t seed) {
  if (fault.at >= 0) return std::min(fault.at, size);
  if (size == 0) return 0;
  return seed == 0 ? size / 2 : engine::Rng(seed).below(size);
}

ModelStep with_content_fault(ModelStep reply, std::uint64_t seed) {
  if (!reply.fault) return reply;
  const ReplyFaultScript fault = *reply.fault;
  if (fault.kind == "length") reach_limit(reply, fault, seed);
  if (fault.kind == "duplicate_ids") {
    for (CallScript& call : reply.calls) call.id = reply.calls.front().id;
  }
  CallScript* call = struck_call(reply, fault);
  if (call == nullptr) return reply;
  if (fault.kind == "cut_arguments") cut_arguments(*call, fault, seed);
  if (fault.kind == "garbled_arguments") garble_arguments(*call, fault, seed);
  return reply;
}

std::string to_string(const FaultPoint& point) {
  const std::string byte = point.at < 0 ? "" : "+" + std::to_string(point.at);
  return point.fault + "@" + point.track + ":" + std::to_string(point.turn) + byte;
}

Result<FaultPoint> fault_point_of(std::string_view text) {
  const auto refused = [&](const std::string& why) {
    return fail(ErrorCode::invalid, "fault " + in_quotes(text) + why);
  };
  FaultPoint point;
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return refused(", expected KIND@TURN as in cut@2");
  point.fault = std::string(text.substr(0, at));
  if (word_of(point.fault) == nullptr) {
    std::vector<std::string> kinds;
    for (const FaultWord& word : kFaultWords) kinds.emplace_back(word.kind);
    return refused(" has an unknown kind" + advice(point.fault, kinds));
  }
  std::string_view rest = text.substr(at + 1);
  const std::size_t plus = rest.rfind('+');
  if (plus != std::string_view::npos) {
    if (!takes_number(rest.substr(plus + 1), point.at)) return refused(" has no byte behind '+'");
    rest = rest.substr(0, plus);
  }
  const std::size_t colon = rest.rfind(':');
  if (colon != std::string_view::npos) {
    point.track = std::string(rest.substr(0, colon));
    rest = rest.substr(colon + 1);
  }
  if (!takes_number(rest, point.turn) || point.turn < 1 || point.track.empty()) {
    return refused(" has no turn, expected a number from 1");
  }
  return point;
}

namespace {

void add_points(const std::string& track, const std::vector<ScriptedReply>& replies,
                std::vector<FaultPoint>& points) {
  for (std::size_t turn = 0; turn < replies.size(); ++turn) {
    const ModelStep& reply = *replies[turn].reply;
    if (reply.fail || reply.fault) continue;
    for (const FaultWord& word : kFaultWords) {
      if (reply.calls.size() < word.calls_min) continue;
      points.push_back({track, static_cast<std::int64_t>(turn) + 1, std::string(word.kind), -1});
    }
  }
}

}  // namespace

std::vector<FaultPoint> fault_points(const PlayerScript& script) {
  std::vector<FaultPoint> points;
  for (const auto& [track, replies] : script.tracks) add_points(track, replies, points);
  return points;
}

Result<PlayerScript> with_fault(PlayerScript script, const FaultPoint& point) {
  const FaultWord* word = word_of(point.fault);
  PLUMB_ASSERT(word != nullptr);
  const auto track = script.tracks.find(point.track);
  if (track == script.tracks.end() || point.turn > std::ssize(track->second)) {
    return fail(ErrorCode::not_found,
                "fault " + in_quotes(to_string(point)) + ": the script has no such turn",
                script.file);
  }
  auto& replies = track->second;
  const auto turn = replies.begin() + (point.turn - 1);
  if (turn->reply->fail || turn->reply->fault || turn->reply->calls.size() < word->calls_min) {
    return fail(ErrorCode::rejected,
                "fault " + in_quotes(to_string(point)) + " finds nothing to strike in this reply",
                located(script.file, turn->place));
  }
  ScriptedReply bad{struck(*turn->reply, point), turn->place};
  if (word->comes_before) {
    replies.insert(turn, std::move(bad));
  } else {
    *turn = std::move(bad);
  }
  return script;
}

}  // namespace plumb::simulator
