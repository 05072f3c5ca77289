// SPDX-License-Identifier: Apache-2.0
// How a path argument of a built-in tool becomes an absolute path (builtins.yaml path_rules).
#pragma once

#include <string>
#include <string_view>

namespace plumb::engine {

/// Unicode blanks become ordinary ones, one leading @ goes, ~ and file: URLs expand, the rest is
/// relative to `cwd` (EDIT-70). Dot segments are removed. `home` may be empty: ~ stays then.
std::string resolve_tool_path(std::string_view argument, std::string_view cwd,
                              std::string_view home);

}  // namespace plumb::engine
