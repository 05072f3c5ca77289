// SPDX-License-Identifier: Apache-2.0
// What the server does with a connection for one request: bytes in the pieces in which they are
// written, where it waits, and how it ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/llm/wire/exchange.h"
#include "simulator/llm/wire/wire_reply.h"

namespace plumb::simulator {

/// `exchange`, `epoch`: which log entry it belongs to; 0: none. `part_ends`: one write ends at each
/// of these bytes, the last is the end. `event_ends`: of a stream's events. `until_at`, `stall_at`:
/// the byte before which the server waits; below 0: it does not. `ending`: complete, reset or fin;
/// what is cut has fewer bytes in `part_ends` than in `body`.
struct Delivery {
  std::int64_t exchange = 0;
  std::int64_t epoch = 0;
  int status = 200;
  std::string content_type = "application/json";
  HeaderList headers;
  std::string body;
  bool is_stream = false;
  std::vector<std::int64_t> part_ends;
  std::vector<std::int64_t> event_ends;
  std::int64_t delay_ms = 0;
  std::int64_t part_delay_ms = 0;
  Trigger until;
  std::int64_t until_at = -1;
  std::int64_t stall_at = -1;
  std::int64_t stall_ms = -1;
  ReplyEnding ending = ReplyEnding::complete;
};

/// One answer in one write.
Delivery plain_delivery(int status, std::string body);

/// The stream of a reply. `write`: event, all, or bytes at a time; the reply's own wins. `seed`: of
/// a fault without a place.
Delivery stream_delivery(const ModelStep& reply, EventStream stream, std::string_view write,
                         std::uint64_t seed);

/// The same reply as one object.
Delivery object_delivery(const ModelStep& reply, std::string body, std::uint64_t seed);

/// Whole events within so many bytes.
std::int64_t events_within(const Delivery& delivery, std::int64_t bytes);

}  // namespace plumb::simulator
