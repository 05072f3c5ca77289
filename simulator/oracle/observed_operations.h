// SPDX-License-Identifier: Apache-2.0
// File operations that are noted, delayed and failed as a row says.
#pragma once

#include <string>

#include "engine/tools/builtin/find.h"
#include "simulator/oracle/tool_kit.h"

namespace plumb::simulator {

/// `inner` with the events CALL:access:start and so on around each operation.
engine::FileOperations observed_operations(const ToolKit& kit, std::string call,
                                           engine::FileOperations inner);

/// What `options.backend` of a row describes: no local files; an operation that is not given fails.
engine::FileOperations backend_operations(const Json& backend);

/// The search of such a backend: `exists` (true if absent) and the paths that `glob` gives, no more
/// than it is asked for.
engine::FindOperations backend_search(const Json& backend);

}  // namespace plumb::simulator
