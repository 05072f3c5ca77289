// SPDX-License-Identifier: Apache-2.0
// What the built-in tools share: reading arguments that handlers may have changed to anything
// (PIPE-07, EXT-25), the folder and the words of their errors.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/kernel/result.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

inline constexpr std::string_view kToolAborted = "Operation aborted";

/// The string at `key`. Errors: invalid, when it is missing or something else.
Result<std::string> string_argument(const Json& params, const char* key);

/// The number at `key` rounded down, within 64 bits; nothing when it is missing or no number.
std::optional<std::int64_t> whole_argument(const Json& params, const char* key);

/// The folder of the call's session, or `fallback` when there is none (EDIT-70).
std::string working_folder(const ToolCall& call, const std::string& fallback);

/// "cannot VERB PATH: MESSAGE": the path as the model wrote it, the system's code and words
/// (EDIT-20).
std::string describe_file_error(std::string_view verb, std::string_view path, const Error& error);

/// What a tool returns for it, of the class of the system's error.
ToolResult file_failure(std::string_view verb, std::string_view path, const Error& error);

/// What a tool returns once it is aborted.
ToolResult aborted_failure();

/// What a tool returns for arguments that a handler has made unfit.
ToolResult argument_failure(const Error& error);

}  // namespace plumb::engine
