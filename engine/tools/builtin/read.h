// SPDX-License-Identifier: Apache-2.0
// The built-in read tool (READ-*).
#pragma once

#include <functional>
#include <string>

#include "engine/model/model_profile.h"
#include "engine/tools/builtin/file_operations.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

/// The model that will be shown the result.
struct CurrentModel {
  std::string name;
  ModelProfile profile;
};

/// `home` expands ~ in paths; `cwd` is used when the call's context has none.
struct ReadOptions {
  FileOperations operations;
  std::string cwd;
  std::string home;
  /// The model at the moment of a call (READ-23, READ-24). May be empty: one without limits of its
  /// own that takes pictures.
  std::function<CurrentModel()> model = {};
  /// Where the model has no limits of its own (READ-22).
  PictureLimits pictures = {};
};

ToolDefinition read_tool(ReadOptions options);

}  // namespace plumb::engine
