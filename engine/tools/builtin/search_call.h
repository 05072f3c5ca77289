// SPDX-License-Identifier: Apache-2.0
// What grep, find and ls have in common as calls: the optional path, the end at an abort.
#pragma once

#include <functional>
#include <string>

#include "engine/kernel/result.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

/// A search of the path that the call names, "." if it names none.
using Search = std::function<Task<ToolResult>(ToolCall call, std::string path)>;

/// Runs the search; an abort ends it where it stands.
Task<ToolResult> until_aborted(ToolCall call, Search search);

/// Of a path that cannot be looked at: of class not_found if nothing is there. `path` is absolute.
ToolResult missing_path_failure(std::string_view verb, const std::string& path, const Error& error);

}  // namespace plumb::engine
