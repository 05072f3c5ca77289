// SPDX-License-Identifier: Apache-2.0
// The built-in find tool (FIND-*): walks folders itself, without another program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/tools/builtin/grep.h"

namespace plumb::engine {

inline constexpr std::int64_t kFindResultsDefault = 1000;

/// What a host's search is asked for beside pattern and folder.
struct HostGlobRequest {
  HostGlobRequest() = default;
  std::string pattern;
  std::string folder;               ///< Absolute.
  std::vector<std::string> ignore;  ///< Patterns of what it is not to return.
  std::int64_t limit = 0;           ///< One more than is shown.
};

/// A host's own search in place of the walk (FIND-06). Paths that it gives may be absolute; of
/// those below the folder the part below it is shown.
struct FindOperations {
  std::function<Task<bool>(std::string path)> exists;
  std::function<Task<Result<std::vector<std::string>>>(HostGlobRequest request)> glob;
};

ToolDefinition find_tool(SearchOptions options,
                         std::optional<FindOperations> operations = std::nullopt);

}  // namespace plumb::engine
