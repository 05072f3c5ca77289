// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/delivery.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "simulator/llm/fault.h"

namespace plumb::simulator {
namespace {

/// Bytes at a time; 0 when `write` is a word.
std::int64_t write_size(std::string_view write) {
  std::int64_t size = 0;
  std::from_chars(write.data(), write.data() + write.size(), size);
  return size;
}

/// A boundary is a byte at which a write ends because something happens there.
void cut_into_parts(Delivery& delivery, std::string_view write) {
  std::vector<std::int64_t>& ends = delivery.part_ends;
  const std::int64_t size = std::ssize(delivery.body);
  if (write == "event") ends = delivery.event_ends;
  const std::int64_t step = write_size(write);
  for (std::int64_t at = step; step > 0 && at < size; at += step) ends.push_back(at);
  for (const std::int64_t at : {delivery.until_at, delivery.stall_at, size}) {
    if (at > 0) ends.push_back(at);
  }
  std::ranges::sort(ends);
  const auto repeated = std::ranges::unique(ends);
  ends.erase(repeated.begin(), repeated.end());
}

void end_at(Delivery& delivery, std::int64_t size, ReplyEnding ending) {
  delivery.ending = ending;
  std::erase_if(delivery.part_ends, [size](std::int64_t end) { return end >= size; });
  if (size > 0) delivery.part_ends.push_back(size);
}

/// Waits and breaks that the script asks for, at bytes of the body.
void apply_script(Delivery& delivery, const ModelStep& reply, std::string_view write,
                  std::uint64_t seed) {
  delivery.delay_ms = reply.delay_ms;
  delivery.part_delay_ms = reply.delta_delay_ms;
  delivery.until = reply.until;
  if (reply.until.text.empty()) delivery.until_at = -1;
  const std::int64_t size = std::ssize(delivery.body);
  const bool stalls = reply.fault && reply.fault->kind == "stall";
  if (stalls) {
    delivery.stall_at = fault_position(*reply.fault, size, seed);
    delivery.stall_ms = reply.fault->ms;
  }
  cut_into_parts(delivery, reply.wire.write.empty() ? write : reply.wire.write);
  if (!reply.fault || reply.fault->kind != "cut") return;
  end_at(delivery, fault_position(*reply.fault, size, seed),
         reply.fault->close == "fin" ? ReplyEnding::fin : ReplyEnding::reset);
}

}  // namespace

Delivery plain_delivery(int status, std::string body) {
  Delivery delivery;
  delivery.status = status;
  delivery.body = std::move(body);
  if (!delivery.body.empty()) delivery.part_ends.push_back(std::ssize(delivery.body));
  return delivery;
}

Delivery stream_delivery(const ModelStep& reply, EventStream stream, std::string_view write,
                         std::uint64_t seed) {
  Delivery delivery;
  delivery.is_stream = true;
  delivery.content_type = "text/event-stream";
  std::int64_t at = 0;
  for (std::size_t i = 0; i < stream.events.size(); ++i) {
    if (static_cast<std::int64_t>(i) == stream.finish) delivery.until_at = at;
    at += std::ssize(stream.events[i]);
    delivery.body += stream.events[i];
    delivery.event_ends.push_back(at);
  }
  if (delivery.until_at < 0) delivery.until_at = at;
  apply_script(delivery, reply, write, seed);
  if (stream.is_broken) delivery.ending = ReplyEnding::reset;
  return delivery;
}

Delivery object_delivery(const ModelStep& reply, std::string body, std::uint64_t seed) {
  Delivery delivery;
  delivery.body = std::move(body);
  delivery.until_at = 0;
  apply_script(delivery, reply, "all", seed);
  return delivery;
}

std::int64_t events_within(const Delivery& delivery, std::int64_t bytes) {
  return std::ranges::upper_bound(delivery.event_ends, bytes) - delivery.event_ends.begin();
}

}  // namespace plumb::simulator
