// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/other_orders.h"

#include <algorithm>
#include <numeric>

#include "engine/trace/renumber.h"

namespace plumb::invariants {
namespace {

/// How many events away news may have come in another order.
constexpr std::int64_t kDrift = 12;

using Order = std::vector<std::size_t>;

Trace in_order(const Trace& trace, const Order& order) {
  Trace other;
  other.header = trace.header;
  other.events.reserve(order.size());
  for (const auto index : order) other.events.push_back(trace.events[index]);
  renumber(other.events);
  return other;
}

/// Whether an event is caused by a later one of the order.
bool is_upside_down(const Trace& trace, const Order& order, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i <= to; ++i) {
    const std::int64_t cause = trace.events[order[i]].cause;
    for (std::size_t later = i + 1; later <= to; ++later) {
      if (static_cast<std::int64_t>(order[later]) == cause) return true;
    }
  }
  return false;
}

bool is_abort(const Event& event) {
  const auto* step = event.as<Step>();
  return step != nullptr && step->step == "abort";
}

}  // namespace

std::vector<OtherOrder> other_orders(const Trace& trace, std::int64_t place) {
  std::vector<OtherOrder> orders;
  const std::int64_t count = std::ssize(trace.events);
  if (place < 0 || place >= count) return orders;
  const auto at = static_cast<std::size_t>(place);
  const std::int64_t end = std::min(place + kDrift + 1, count);
  for (auto next = std::max<std::int64_t>(place - kDrift, 0); next < end; ++next) {
    const auto other = static_cast<std::size_t>(next);
    const Source source = trace.events[other].source;
    if (source == trace.events[at].source) continue;
    // What its source tells up to the neighbour comes before the place, or behind it.
    Order order(trace.events.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t from = std::min(at, other);
    const std::size_t to = std::max(at, other);
    const bool comes_first = other > at;
    std::stable_partition(
        order.begin() + static_cast<std::ptrdiff_t>(from),
        order.begin() + static_cast<std::ptrdiff_t>(to) + 1,
        [&](std::size_t index) { return (trace.events[index].source == source) == comes_first; });
    if (is_upside_down(trace, order, from, to)) continue;
    const bool is_of_abort = is_abort(trace.events[at]) || is_abort(trace.events[other]);
    orders.push_back({in_order(trace, order), is_of_abort});
  }
  return orders;
}

}  // namespace plumb::invariants
