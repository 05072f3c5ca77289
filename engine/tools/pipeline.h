// SPDX-License-Identifier: Apache-2.0
// One tool call from its start event to its end event: core.yaml call_pipeline, steps 1 to 11. The
// batch runner drives it in two parts, because in a parallel batch no execute begins before the
// preflight of all calls is finished (HOOK-14).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/task.h"
#include "engine/tools/active_set.h"
#include "engine/tools/call.h"
#include "engine/tools/definition.h"
#include "engine/tools/hooks.h"
#include "engine/tools/policies.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

/// What the pipeline works with; all outlive it.
struct PipelinePorts {
  PipelinePorts(Loop& loop_port, Recorder& recorder_port, const Policies& policy_value,
                ToolHooks& hooks_port, ToolHost& host_port)
      : loop(loop_port),
        recorder(recorder_port),
        policies(policy_value),
        hooks(hooks_port),
        host(host_port) {}
  Loop& loop;
  Recorder& recorder;
  const Policies& policies;
  ToolHooks& hooks;
  ToolHost& host;
};

/// A call to make: `block` as the model (or a tool, with `parent`) gave it.
struct CallRequest {
  CallRequest(ToolCallBlock call, std::shared_ptr<const TurnTools> tools, AbortSignal abort)
      : block(std::move(call)), turn(std::move(tools)), signal(std::move(abort)) {}
  ToolCallBlock block;
  // Shared by all calls of a turn and their nested calls.
  std::shared_ptr<const TurnTools> turn;
  AbortSignal signal;
  std::string parent;
  std::int64_t depth = 0;                     ///< How many calls it is nested in.
  std::function<void(ToolResult)> on_update;  ///< Of a nested call's caller; may be empty.
};

/// A call after preflight: ready to execute, or finished already (its end event is recorded).
struct PreparedCall {
  explicit PreparedCall(CallRequest call) : request(std::move(call)) {}
  CallRequest request;
  SharedJson start_arguments;
  RegisteredToolPtr tool;
  std::shared_ptr<Json> params;  ///< As CallView::input.
  SharedJson validated;          ///< What `params` was before handlers.
  std::optional<FinishedCall> finished;
};

/// Owned by pointer: hooks and tools of a running call refer to it.
using PreparedCallPtr = std::unique_ptr<PreparedCall>;

/// One loop.
class CallPipeline final {
 public:
  explicit CallPipeline(PipelinePorts ports) : ports_(ports) {}

  /// Steps 1 to 7. A call that fails here has ended when this returns (BATCH-09).
  Task<PreparedCallPtr> preflight(CallRequest request);
  /// Steps 8 (the second abort check) to 11; returns at once for a call that has ended.
  Task<FinishedCall> execute(PreparedCallPtr call);
  /// Start, end and outcome of a call of a truncated answer (BATCH-11).
  Task<FinishedCall> refuse_truncated(ToolCallBlock block);

  const PipelinePorts& ports() const { return ports_; }

 private:
  /// What execute has come to; `threw` with the message in `error`.
  struct Executed;
  /// A running call as the caller of others.
  struct Caller;

  Task<void> check_call(PreparedCall& call);
  Task<void> ask_hooks(PreparedCall& call);
  void check_arguments(PreparedCall& call);
  Json prepare_arguments(PreparedCall& call);
  void validate_arguments(PreparedCall& call, Json prepared);
  RegisteredToolPtr find_tool(const PreparedCall& call) const;
  Task<BeforeOutcome> before_call(CallView view);
  Task<Executed> run_tool(PreparedCall& call);
  Task<ToolResult> invoke(const RegisteredTool& tool, ToolCall call);
  Task<FinishedCall> finish_executed(PreparedCall& call, Executed executed);
  Task<NestedOutcome> run_nested(std::shared_ptr<Caller> caller, NestedCall nested);
  void record_end(const ToolCallBlock& block, Executed& executed);
  void check_output(const RegisteredTool& tool, const FinishedCall& call);

  bool announce(const std::string& call_id, const Payload& event);
  Task<void> start(PreparedCall& call);
  /// The caller keeps `call` until this has returned.
  Task<void> end(const FinishedCall& call);

  PipelinePorts ports_;
};

}  // namespace plumb::engine
