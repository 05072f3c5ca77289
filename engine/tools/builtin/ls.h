// SPDX-License-Identifier: Apache-2.0
// The built-in ls tool (LS-*).
#pragma once

#include <cstdint>

#include "engine/tools/builtin/grep.h"

namespace plumb::engine {

inline constexpr std::int64_t kListEntriesDefault = 500;

ToolDefinition ls_tool(SearchOptions options);

}  // namespace plumb::engine
