// SPDX-License-Identifier: Apache-2.0
// The host's own hooks around those of the extensions, as a scenario asks for them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "engine/tools/hooks.h"
#include "engine/trace/trace.h"

namespace plumb::simulator {

/// Throws after every execute, when the extensions' handlers are done (HOOK-24). Recorded as
/// hook_call and hook_return of after_tool_call by <host>.
class FailingAfterHook final : public engine::ToolHooks {
 public:
  FailingAfterHook(engine::ToolHooks& inner, Recorder& recorder, std::string text)
      : inner_(inner), recorder_(recorder), text_(std::move(text)) {}

  engine::Task<engine::BeforeOutcome> before_call(engine::CallView call) override {
    return inner_.before_call(std::move(call));
  }
  engine::Task<engine::ToolResult> after_call(engine::CallView call,
                                              engine::ToolResult result) override;
  engine::Task<void> on_event(std::string call_id, Payload event) override {
    return inner_.on_event(std::move(call_id), std::move(event));
  }
  bool wants(std::string_view kind) const override { return inner_.wants(kind); }

 private:
  engine::ToolHooks& inner_;
  Recorder& recorder_;
  std::string text_;
};

}  // namespace plumb::simulator
