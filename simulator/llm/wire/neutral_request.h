// SPDX-License-Identifier: Apache-2.0
// Provider requests as they were seen on a wire, in the neutral form of traces: the same blocks
// whatever the dialect. Cache marks and transport fields are left out, everything else keeps its
// value and order (CACHE-01).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/trace/event.h"
#include "simulator/llm/wire/dialect.h"

namespace plumb::simulator {

/// The blocks of a request body: system, tools, messages. Errors: invalid, when a member has
/// another type than the dialect gives it; the message names it.
Result<std::vector<RequestBlock>> neutral_blocks(Dialect dialect, const Json& body);

}  // namespace plumb::simulator
