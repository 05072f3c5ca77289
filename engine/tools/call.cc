// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/call.h"

#include <array>

namespace plumb::engine {

std::string_view to_string(Cause cause) {
  constexpr std::array<std::string_view, 12> causes{"ok",
                                                    "unknown_tool",
                                                    "prepare_failed",
                                                    "invalid_arguments",
                                                    "blocked",
                                                    "before_hook_failed",
                                                    "aborted",
                                                    "truncated",
                                                    "execute_failed",
                                                    "returned_error",
                                                    "result_handler_error",
                                                    "after_hook_failed"};
  return causes[static_cast<std::size_t>(cause)];
}

}  // namespace plumb::engine
