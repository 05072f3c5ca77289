// SPDX-License-Identifier: Apache-2.0
// What is known of one call of a row, or of one job in the mutation queue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/tools/call.h"
#include "engine/tools/definition.h"

namespace plumb::simulator {

struct SeenUpdate {
  std::int64_t at_ms = 0;
  engine::ToolResult partial;
};

/// `error_class`: the oracle's word; "unsettled" until the call has ended.
struct CallRecord {
  std::string tool;
  std::string error_class = "unsettled";
  engine::ToolResult result;
  Json transcript_input;
  Json value;
  std::vector<SeenUpdate> updates;
  std::int64_t started_ms = 0;
  std::int64_t settled_ms = 0;
};

/// The oracle's class of how a call ended: one table for all tools.
std::string oracle_class_of(const engine::FinishedCall& call);
/// The same for an error of a port.
std::string oracle_class_of(const Error& error);

}  // namespace plumb::simulator
