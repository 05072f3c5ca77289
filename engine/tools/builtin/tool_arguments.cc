// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/tool_arguments.h"

#include <algorithm>
#include <cmath>

#include "engine/kernel/files.h"

namespace plumb::engine {

Result<std::string> string_argument(const Json& params, const char* key) {
  if (params.is_object()) {
    const auto found = params.find(key);
    if (found != params.end() && found->is_string()) return found->get<std::string>();
  }
  return fail(ErrorCode::invalid, std::string(key) + " must be a string");
}

std::optional<std::int64_t> whole_argument(const Json& params, const char* key) {
  if (!params.is_object()) return std::nullopt;
  const auto found = params.find(key);
  if (found == params.end() || !found->is_number()) return std::nullopt;
  if (found->is_number_integer()) return found->get<std::int64_t>();
  constexpr double kExactMax = 9.0e15;
  return static_cast<std::int64_t>(
      std::floor(std::clamp(found->get<double>(), -kExactMax, kExactMax)));
}

std::string working_folder(const ToolCall& call, const std::string& fallback) {
  if (call.context == nullptr) return fallback;
  std::string folder = call.context->cwd();
  return folder.empty() ? fallback : folder;
}

std::string describe_file_error(std::string_view verb, std::string_view path, const Error& error) {
  return "cannot " + std::string(verb) + " " + std::string(path) + ": " + error.message;
}

ToolResult file_failure(std::string_view verb, std::string_view path, const Error& error) {
  return failed_result(describe_file_error(verb, path, error), system_error_name(error));
}

ToolResult aborted_failure() {
  return failed_result(std::string(kToolAborted), "aborted");
}

ToolResult argument_failure(const Error& error) {
  return failed_result(error.message, "invalid_args");
}

}  // namespace plumb::engine
