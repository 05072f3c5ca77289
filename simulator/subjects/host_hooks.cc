// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/host_hooks.h"

#include <stdexcept>

namespace plumb::simulator {

engine::Task<engine::ToolResult> FailingAfterHook::after_call(engine::CallView call,
                                                              engine::ToolResult result) {
  const std::string id = call.id;
  const engine::ToolResult after = co_await inner_.after_call(std::move(call), std::move(result));
  HookCall entered;
  entered.event = "after_tool_call";
  entered.extension = "<host>";
  entered.input = SharedJson(to_json(after));
  HookReturn left;
  left.event = entered.event;
  left.extension = entered.extension;
  left.input_after = entered.input;
  left.error = text_;
  const auto asked = recorder_.record(Source::host, std::move(entered), id);
  recorder_.record(Source::host, std::move(left), id, asked);
  // A host's hook fails as any code of its language does; the engine catches it at its boundary.
  throw std::runtime_error(text_);
}

}  // namespace plumb::simulator
