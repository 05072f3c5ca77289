// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/wire_reply.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace plumb::simulator {
namespace {

constexpr std::size_t kMarkBytes = 8;

/// The pieces with the arguments of all calls in turn: first every call's head, then one delta of
/// each as long as there are any.
std::vector<StreamPiece> interleaved(const std::vector<StreamPiece>& pieces) {
  const auto calls = std::ranges::find(pieces, "toolcall_start", &StreamPiece::type);
  std::vector<StreamPiece> result;
  std::copy(pieces.begin(), calls, std::back_inserter(result));
  std::vector<std::vector<StreamPiece>> deltas;
  for (auto piece = calls; piece != pieces.end(); ++piece) {
    if (piece->type == "toolcall_start") {
      result.push_back(*piece);
      deltas.emplace_back();
    } else {
      deltas.back().push_back(*piece);
    }
  }
  std::size_t longest = 0;
  for (const auto& list : deltas) longest = std::max(longest, list.size());
  for (std::size_t i = 0; i < longest; ++i) {
    for (const auto& list : deltas) {
      if (i < list.size()) result.push_back(list[i]);
    }
  }
  return result;
}

EventStream encoded(Dialect dialect, WireReply& reply, char mark) {
  reply.stem = std::string(kMarkBytes, mark);
  return dialect == Dialect::messages ? messages_events(reply) : chat_events(reply);
}

/// What stands around the marks, which are where two encodings of one event differ.
std::vector<std::string> parts_of(std::string_view one, std::string_view other) {
  PLUMB_ASSERT(one.size() == other.size());
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i]) continue;
    parts.emplace_back(one.substr(begin, i - begin));
    begin = i + kMarkBytes;
    i = begin - 1;
  }
  parts.emplace_back(one.substr(begin));
  return parts;
}

}  // namespace

StreamTemplate::StreamTemplate(Dialect dialect, WireReply reply) {
  const EventStream one = encoded(dialect, reply, 'a');
  const EventStream other = encoded(dialect, reply, 'b');
  for (std::size_t i = 0; i < one.events.size(); ++i) {
    events_.push_back(parts_of(one.events[i], other.events[i]));
  }
  finish_ = one.finish;
  is_broken_ = one.is_broken;
}

EventStream StreamTemplate::with(std::string_view stem) const {
  EventStream stream{{}, finish_, is_broken_};
  stream.events.reserve(events_.size());
  for (const auto& parts : events_) {
    std::string& event = stream.events.emplace_back(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) {
      event += stem;
      event += parts[i];
    }
  }
  return stream;
}

bool ends_in_error(const ModelStep& reply) {
  if (reply.fail) return reply.fail->kind != "refusal";
  return reply.stop == "error" || reply.stop == "aborted";
}

std::vector<StreamPiece> sent_pieces(const ModelStep& reply) {
  std::vector<StreamPiece> pieces = pieces_of(reply);
  if (reply.wire.interleave) pieces = interleaved(pieces);
  if (reply.fail && reply.fail->after < std::ssize(pieces)) {
    pieces.resize(static_cast<std::size_t>(reply.fail->after));
  }
  return pieces;
}

bool omits(const ModelStep& reply, std::string_view part) {
  return std::ranges::find(reply.wire.omit, part) != reply.wire.omit.end();
}

}  // namespace plumb::simulator
