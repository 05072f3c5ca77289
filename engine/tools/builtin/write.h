// SPDX-License-Identifier: Apache-2.0
// The built-in write tool (WRITE-*).
#pragma once

#include "engine/tools/builtin/edit.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

using WriteOptions = EditOptions;

ToolDefinition write_tool(WriteOptions options);

}  // namespace plumb::engine
