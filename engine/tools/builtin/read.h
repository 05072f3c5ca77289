// SPDX-License-Identifier: Apache-2.0
// The built-in read tool (READ-*).
#pragma once

#include <functional>
#include <string>

#include "engine/tools/builtin/file_operations.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

/// `home` expands ~ in paths; `cwd` is used when the call's context has none.
struct ReadOptions {
  FileOperations operations;
  std::string cwd;
  std::string home;
  /// The current model's name if it takes no pictures, else "" (READ-24). May be empty.
  std::function<std::string()> blind_model = {};
};

ToolDefinition read_tool(ReadOptions options);

}  // namespace plumb::engine
