// SPDX-License-Identifier: Apache-2.0
// The tool calls of one assistant message, run in parallel or one after the other (core.yaml
// batch_order). Messages are handed to ToolHost::deliver_result, which records message_start and
// message_end: at once in sequential mode, after all ends in parallel mode.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/task.h"
#include "engine/tools/active_set.h"
#include "engine/tools/call.h"
#include "engine/tools/pipeline.h"

namespace plumb::engine {

/// An answer's calls and what they run with. `message` holds an AssistantMessage; `host_mode`: the
/// host's setting (BATCH-03).
struct BatchRequest {
  BatchRequest(MessagePtr answer, std::shared_ptr<const TurnTools> tools, AbortSignal abort)
      : message(std::move(answer)), turn(std::move(tools)), signal(std::move(abort)) {}
  MessagePtr message;
  std::shared_ptr<const TurnTools> turn;
  AbortSignal signal;
  ExecutionMode host_mode = ExecutionMode::parallel;
};

/// `calls` in source order, `terminates`: no automatic follow-up request (BATCH-12). Results of an
/// answer with no calls are empty and do not terminate.
struct BatchOutcome {
  std::vector<FinishedCall> calls;
  bool terminates = false;
};

/// One loop. Each call runs in a fiber labelled with its id.
class BatchRunner final {
 public:
  explicit BatchRunner(CallPipeline& pipeline) : pipeline_(pipeline) {}

  /// Returns when every started execute has settled and every message is delivered (ABORT-07,
  /// BATCH-17).
  Task<BatchOutcome> run(BatchRequest request);

 private:
  struct Progress;

  Task<void> run_sequential(const BatchRequest& request, Progress& progress, bool is_runnable);
  Task<FinishedCall> run_alone(const BatchRequest& request, ToolCallBlock block, bool is_runnable);
  Task<void> run_parallel(const BatchRequest& request, Progress& progress);
  Task<void> execute_one(Progress& progress, std::size_t index);
  Task<void> refuse_all(Progress& progress);
  Task<void> deliver(const FinishedCall& call);

  CallPipeline& pipeline_;
};

}  // namespace plumb::engine
