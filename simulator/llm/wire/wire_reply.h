// SPDX-License-Identifier: Apache-2.0
// A scripted reply in the words of a provider: the events of its stream, and the one object that
// they add up to. Bytes are a function of the reply, the request and the reply's number alone
// (WIRE-08).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/llm/reply.h"
#include "simulator/llm/wire/dialect.h"

namespace plumb::simulator {

/// 2023-11-14T22:13:20Z: `created` of every reply.
inline constexpr std::int64_t kCreated = 1'700'000'000;

/// A reply ready to be written. `reply`: with the faults of its content applied, its call ids as
/// they are sent. `model`: the request's. `stem`: what its ids end with, as 0001 or NAME_0001.
struct WireReply {
  ModelStep reply;
  std::string model;
  std::string stem;
  UsageScript usage;
  bool includes_usage = false;  ///< Chat: the client asked for the usage chunk.
};

/// `events`: each with its empty line (WIRE-01). `finish`: the first of those that end the message;
/// a reply with `until` waits before it. `is_broken`: the reply ends here without an end, for the
/// connection breaks.
struct EventStream {
  std::vector<std::string> events;
  std::int64_t finish = 0;
  bool is_broken = false;
};

EventStream messages_events(const WireReply& reply);
EventStream chat_events(const WireReply& reply);

/// A stream but for the ids of one reply: made once, filled in for every request that gets it.
class StreamTemplate final {
 public:
  /// Of `reply`, whatever its stem.
  StreamTemplate(Dialect dialect, WireReply reply);

  EventStream with(std::string_view stem) const;

 private:
  std::vector<std::vector<std::string>> events_;  ///< The stem stands between the parts of each.
  std::int64_t finish_ = 0;
  bool is_broken_ = false;
};

/// The object that the stream adds up to (WIRE-07).
Json messages_body(const WireReply& reply);
Json chat_body(const WireReply& reply);

/// Whether the reply ends in an error: a failure that is no refusal, or a stop that is one.
bool ends_in_error(const ModelStep& reply);

/// The pieces of which the client gets to hear.
std::vector<StreamPiece> sent_pieces(const ModelStep& reply);

/// Whether a part of the protocol is left out.
bool omits(const ModelStep& reply, std::string_view part);

}  // namespace plumb::simulator
