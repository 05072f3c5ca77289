// SPDX-License-Identifier: Apache-2.0
// A small world for the tests of this room: a simulated loop, files in memory, a trace, and hooks
// and host that do what a test tells them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/memory_files.h"
#include "engine/kernel/sim_loop.h"
#include "engine/tools/active_set.h"
#include "engine/tools/batch.h"
#include "engine/tools/definition.h"
#include "engine/tools/folder_context.h"
#include "engine/tools/hooks.h"
#include "engine/tools/pipeline.h"
#include "engine/tools/policies.h"
#include "engine/tools/registry.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

/// Plain functions in place of handlers; empty ones let everything pass.
class FakeHooks final : public ToolHooks {
 public:
  Task<BeforeOutcome> before_call(CallView call) override {
    seen.push_back("before " + call.id);
    BeforeOutcome outcome;
    if (before) outcome = before(call);
    co_return outcome;
  }
  Task<ToolResult> after_call(CallView call, ToolResult result) override {
    seen.push_back("after " + call.id);
    if (after) result = after(call, std::move(result));
    co_return result;
  }
  Task<void> on_event(std::string call_id, Payload event) override {
    if (event_delay_ms > 0) co_await loop->sleep_ms(event_delay_ms);
    seen.push_back("heard " + std::string(kEventKinds[event.index()]) + " " + call_id);
  }
  bool wants(std::string_view kind) const override { return kind == wanted; }

  std::function<BeforeOutcome(const CallView&)> before;
  std::function<ToolResult(const CallView&, ToolResult)> after;
  std::string wanted;
  Loop* loop = nullptr;
  std::int64_t event_delay_ms = 0;
  std::vector<std::string> seen;
};

class FakeHost final : public ToolHost {
 public:
  std::unique_ptr<ToolContext> make_context(const CallView& /*call*/) override {
    return std::make_unique<FolderContext>("/w", "fake-1");
  }
  std::vector<std::string> active_tools() const override { return active; }
  Task<void> deliver_result(std::string call_id, ToolResultMessage message) override {
    MessageEnd event;
    event.role = "toolResult";
    event.message = SharedJson(to_json(Message(message)));
    recorder->record(Source::engine, std::move(event), std::move(call_id));
    messages.push_back(std::move(message));
    co_return;
  }

  Recorder* recorder = nullptr;
  std::vector<std::string> active;
  std::vector<ToolResultMessage> messages;
};

/// A test's world. `tools` of the next batch are those added with `add`.
class ToolsWorld {
 public:
  ToolsWorld() {
    host.recorder = &recorder;
    hooks.loop = &loop;
  }

  /// Adds a tool that any object fits and that does what `execute` does.
  ToolDefinition& add(std::string name, std::function<Task<ToolResult>(ToolCall)> execute) {
    ToolDefinition tool;
    tool.name = std::move(name);
    tool.description = "d";
    tool.parameters = SharedJson(Json{{"type", "object"}});
    tool.execute = std::move(execute);
    definitions.push_back(std::make_unique<ToolDefinition>(std::move(tool)));
    return *definitions.back();
  }
  void add_definition(ToolDefinition tool) {
    definitions.push_back(std::make_unique<ToolDefinition>(std::move(tool)));
  }

  std::shared_ptr<const TurnTools> turn() {
    ToolRegistry registry(registry_recorder, policies, {});
    for (const auto& tool : definitions) {
      const auto added = registry.add_sdk(*tool);
      PLUMB_ASSERT(added.has_value());
    }
    registry.bind();
    ActiveSet set(registry, registry_recorder, policies);
    set.start({});
    host.active = set.names();
    return std::make_shared<const TurnTools>(set.snapshot());
  }

  /// Runs the calls of one answer.
  BatchOutcome run(std::vector<ToolCallBlock> calls, StopReason reason = StopReason::tool_use) {
    AssistantMessage answer;
    answer.stop_reason = reason;
    for (auto& call : calls) answer.content.emplace_back(std::move(call));
    BatchRequest request(std::make_shared<const Message>(std::move(answer)), turn(),
                         controller.signal());
    request.host_mode = host_mode;
    auto outcome = loop.run(runner.run(std::move(request)));
    PLUMB_ASSERT(outcome.has_value());
    return *std::move(outcome);
  }

  /// Kinds of the recorded events with their call ids: "tool_execution_start c1".
  std::vector<std::string> events(const std::vector<std::string_view>& kinds) const {
    std::vector<std::string> found;
    for (const auto& event : trace.events) {
      for (const auto kind : kinds) {
        if (event.kind() == kind) found.push_back(std::string(kind) + " " + event.call);
      }
    }
    return found;
  }
  template <class T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const auto& event : trace.events) {
      if (const auto* payload = event.as<T>()) found.push_back(*payload);
    }
    return found;
  }

  SimLoop loop;
  MemoryFiles files{loop};
  Trace trace;
  Recorder recorder{trace, [this] { return loop.now_ms(); }};
  Trace registry_trace;
  Recorder registry_recorder{registry_trace, [this] { return loop.now_ms(); }};
  Policies policies;
  FakeHooks hooks;
  FakeHost host;
  AbortController controller;
  ExecutionMode host_mode = ExecutionMode::parallel;
  std::vector<std::unique_ptr<ToolDefinition>> definitions;
  CallPipeline pipeline{PipelinePorts(loop, recorder, policies, hooks, host)};
  BatchRunner runner{pipeline};
};

inline ToolCallBlock call_of(std::string id, std::string name, Json arguments = Json::object()) {
  ToolCallBlock block;
  block.id = std::move(id);
  block.name = std::move(name);
  block.arguments = SharedJson(std::move(arguments));
  return block;
}

/// Ends at once with `text`.
inline std::function<Task<ToolResult>(ToolCall)> says(std::string text) {
  struct Says {
    static Task<ToolResult> run(std::string text) { co_return text_result(std::move(text)); }
  };
  return [text](ToolCall) { return Says::run(text); };
}

inline std::string text_of(const FinishedCall& call) {
  return text_of(call.result.content);
}

}  // namespace plumb::engine
