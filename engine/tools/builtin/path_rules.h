// SPDX-License-Identifier: Apache-2.0
// How a path argument of a built-in tool becomes an absolute path (builtins.yaml path_rules).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb::engine {

/// Unicode blanks become ordinary ones, one leading @ goes, ~ and file: URLs expand, the rest is
/// relative to `cwd` (EDIT-70). Dot segments are removed. `home` may be empty: ~ stays then.
std::string resolve_tool_path(std::string_view argument, std::string_view cwd,
                              std::string_view home);

/// Other spellings of a missing path, in the order in which read tries them: a narrow no-break
/// space before AM and PM, decomposed characters, a curly apostrophe, the last two together
/// (READ-36). Only those that differ from `path`.
std::vector<std::string> path_variants(const std::string& path);

}  // namespace plumb::engine
