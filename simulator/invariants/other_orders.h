// SPDX-License-Identifier: Apache-2.0
// A live trace is written in the order in which news arrived. Across sources that is one order of
// several that there may have been: what breaks a rule in this one alone is no failure.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/trace/trace.h"

namespace plumb::invariants {

/// `is_of_abort`: it is the host's abort that came earlier or later.
struct OtherOrder {
  Trace trace;
  bool is_of_abort = false;
};

/// The trace with the event at `place` (a seq) before or behind others of its neighbourhood, as far
/// as the order within each source and the causes allow: one neighbour further in each.
std::vector<OtherOrder> other_orders(const Trace& trace, std::int64_t place);

}  // namespace plumb::invariants
