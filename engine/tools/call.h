// SPDX-License-Identifier: Apache-2.0
// A call that has ended, and the closed list of reasons for its ending (RESULT-16).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/model/message.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

/// Why a call ended as it did (core.yaml error_causes). Spelled alike in traces.
enum class Cause : std::uint8_t {
  ok,
  unknown_tool,
  prepare_failed,
  invalid_arguments,
  blocked,
  before_hook_failed,
  aborted,
  truncated,
  execute_failed,
  returned_error,
  result_handler_error,
  after_hook_failed,
};
std::string_view to_string(Cause cause);

/// `result.is_error` is final. `ran`: execute was entered. `duration_ms` covers execute only, -1
/// when it did not run (RESULT-19).
struct FinishedCall {
  std::string id;
  std::string name;
  std::string parent;
  ToolResult result;
  Cause cause = Cause::ok;
  bool ran = false;
  std::int64_t duration_ms = -1;
  SharedJson shown;  ///< The result as its end event shows it; null: yet to be made.
  bool operator==(const FinishedCall&) const = default;
};

}  // namespace plumb::engine
