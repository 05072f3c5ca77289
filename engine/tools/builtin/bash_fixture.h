// SPDX-License-Identifier: Apache-2.0
// What tests of the bash tool share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/task.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

inline ToolCall bash_call(Json arguments, std::vector<ToolResult>& updates, AbortSignal signal) {
  ToolCall call("c1", "bash", std::make_shared<Json>(std::move(arguments)));
  call.signal = std::move(signal);
  call.on_update = [&updates](ToolResult partial) { updates.push_back(std::move(partial)); };
  return call;
}

inline Task<void> abort_at(Loop& loop, AbortController& controller, std::int64_t delay_ms) {
  co_await loop.sleep_ms(delay_ms);
  controller.abort("user");
}

/// Lines with the numbers from 1 to `count`.
inline std::string numbers(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 1; i <= count; ++i) text += std::to_string(i) + "\n";
  return text;
}

inline std::string shown(const ToolResult& result) {
  return text_of(result.content);
}

}  // namespace plumb::engine
