// SPDX-License-Identifier: Apache-2.0
// What the call pipeline asks of the layers above: the hooks before and after a call (implemented
// by the extension runner) and the session's services (implemented by the session).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/task.h"
#include "engine/tools/definition.h"
#include "engine/trace/event.h"

namespace plumb::engine {

/// A call as hooks see it. `input` is the validated argument object itself: handlers change it in
/// place and execute receives it (PIPE-06, HOOK-02, HOOK-23). `parent` is set for nested calls.
struct CallView {
  CallView(std::string call_id, std::string tool_name, std::shared_ptr<Json> arguments)
      : id(std::move(call_id)), name(std::move(tool_name)), input(std::move(arguments)) {}
  std::string id;
  std::string name;
  std::string parent;
  // Shared with the tool: one object per call (HOOK-02, PIPE-17).
  std::shared_ptr<Json> input;
  AbortSignal signal;
};

enum class BeforeVerdict : std::uint8_t { allow, block, threw };

/// What one tool_call handler, or the whole chain, decided. `message`: the reason of a block (may
/// be empty, HOOK-05) or what was thrown. `terminate` counts only with block (HOOK-15).
/// `is_error_object`: false when the thrown value was no Error (HOOK-09).
struct BeforeOutcome {
  BeforeVerdict verdict = BeforeVerdict::allow;
  std::string message;
  bool terminate = false;
  bool is_error_object = true;
  bool operator==(const BeforeOutcome&) const = default;
};

/// Given fields replace as a whole, omitted ones stay (HOOK-17). `terminate` is for the core's own
/// hook only: the extension runner leaves it empty (HOOK-18).
struct ResultPatch {
  std::optional<std::vector<ContentBlock>> content;
  std::optional<SharedJson> details;
  std::optional<SharedJson> structured_content;
  std::optional<bool> is_error;
  std::optional<SharedJson> usage;
  std::optional<bool> terminate;
  bool operator==(const ResultPatch&) const = default;
};

/// The core's pair of hooks. The extension runner implements it by its tool_call and tool_result
/// chains and records hook_call and hook_return; a host may wrap it to add hooks of its own. Called
/// for built-in, extension and SDK tools alike (HOOK-12), and for nested calls (HOOK-29).
class ToolHooks {
 public:
  virtual ~ToolHooks() = default;

  /// The tool_call chain. A throw counts as BeforeVerdict::threw.
  virtual Task<BeforeOutcome> before_call(CallView call) = 0;

  /// The tool_result chain: `result` (with is_error) as execute left it goes in, the result after
  /// all patches comes out (each by Policies::apply_patch). Failing extension handlers are isolated
  /// inside (HOOK-19). A throw is the core hook's own failure: after_hook_failed (HOOK-24).
  virtual Task<ToolResult> after_call(CallView call, ToolResult result) = 0;

  /// A tool_execution_* event was recorded; awaited (EVENT-08, EVENT-26). Must not throw.
  virtual Task<void> on_event(std::string call_id, Payload event) = 0;
  /// Whether anybody listens to events of `kind`; on_event is called only then.
  virtual bool wants(std::string_view kind) const = 0;
};

/// What the pipeline and the batch runner need from the session.
class ToolHost {
 public:
  virtual ~ToolHost() = default;
  /// Made when the call executes, not at registration (TOOL-08). Never null.
  virtual std::unique_ptr<ToolContext> make_context(const CallView& call) = 0;
  /// The live active set, in order; compared before and after execute (TOOL-10..13).
  virtual std::vector<std::string> active_tools() const = 0;
  /// A call's toolResult message is final, in transcript order (BATCH-04, BATCH-06): the session
  /// records message_start and message_end (with the call id), runs message_end handlers and
  /// stores it.
  virtual Task<void> deliver_result(std::string call_id, ToolResultMessage message) = 0;
};

}  // namespace plumb::engine
