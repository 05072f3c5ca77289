// SPDX-License-Identifier: Apache-2.0
// The built-in grep tool (GREP-*): searches files itself, without another program.
#pragma once

#include <cstdint>
#include <string>

#include "engine/kernel/files.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

inline constexpr std::int64_t kGrepMatchesDefault = 100;
/// A larger file found in a folder is left out, and the result says so.
inline constexpr std::int64_t kSearchedFileBytesMax = std::int64_t{256} << 20;

/// What the search tools work on. `files` outlives the tools; `home` expands ~ in paths; `cwd` is
/// used when the call's context has none.
struct SearchOptions {
  explicit SearchOptions(Files& searched) : files(searched) {}
  Files& files;
  std::string cwd = {};
  std::string home = {};
  std::int64_t file_bytes_max = kSearchedFileBytesMax;
};

ToolDefinition grep_tool(SearchOptions options);

}  // namespace plumb::engine
