// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/batch.h"

#include <utility>

#include "engine/kernel/join.h"

namespace plumb::engine {

struct BatchRunner::Progress {
  std::vector<ToolCallBlock> blocks;
  std::vector<PreparedCallPtr> prepared;
  std::vector<FinishedCall> calls;     ///< In source order; filled as they end.
  std::vector<std::size_t> completed;  ///< Indexes in the order of the ends.
};

namespace {

std::vector<RegisteredToolPtr> known_tools(const Policies& policies, const TurnTools& turn,
                                           const std::vector<ToolCallBlock>& blocks) {
  std::vector<RegisteredToolPtr> known;
  for (const auto& block : blocks) {
    if (auto tool = policies.find_tool(turn, block.name)) known.push_back(std::move(tool));
  }
  return known;
}

}  // namespace

Task<BatchOutcome> BatchRunner::run(BatchRequest request) {
  const auto* const answer = std::get_if<AssistantMessage>(request.message.get());
  PLUMB_ASSERT(answer != nullptr);
  Progress progress;
  progress.blocks = tool_calls_of(*answer);
  BatchOutcome outcome;
  if (progress.blocks.empty()) co_return outcome;
  const Policies& policies = pipeline_.ports().policies;
  const bool is_runnable = policies.answer_is_runnable(answer->stop_reason);
  const ExecutionMode mode =
      policies.batch_mode(request.host_mode, known_tools(policies, *request.turn, progress.blocks));
  if (mode == ExecutionMode::sequential) {
    co_await run_sequential(request, progress, is_runnable);
  } else {
    progress.calls.resize(progress.blocks.size());
    // Two statements: GCC 12 destroys a task chosen by ?: inside co_await twice.
    if (is_runnable) {
      co_await run_parallel(request, progress);
    } else {
      co_await refuse_all(progress);
    }
    for (const auto index : policies.message_order(progress.completed)) {
      co_await deliver(progress.calls[index]);
    }
  }
  outcome.terminates = policies.batch_terminates(progress.calls);
  outcome.calls = std::move(progress.calls);
  co_return outcome;
}

Task<void> BatchRunner::deliver(const FinishedCall& call) {
  ToolResultMessage message = pipeline_.ports().policies.result_message(call);
  co_await pipeline_.ports().host.deliver_result(call.id, std::move(message));
}

Task<void> BatchRunner::run_sequential(const BatchRequest& request, Progress& progress,
                                       bool is_runnable) {
  for (const auto& block : progress.blocks) {
    FinishedCall call = co_await run_alone(request, block, is_runnable);
    progress.calls.push_back(call);
    co_await deliver(call);
    if (!pipeline_.ports().policies.siblings_go_on(call)) co_return;
  }
}

Task<FinishedCall> BatchRunner::run_alone(const BatchRequest& request, ToolCallBlock block,
                                          bool is_runnable) {
  if (!is_runnable) {
    FinishedCall refused = co_await pipeline_.refuse_truncated(std::move(block));
    co_return refused;
  }
  CallRequest call(std::move(block), request.turn, request.signal);
  PreparedCallPtr prepared = co_await pipeline_.preflight(std::move(call));
  FinishedCall finished = co_await pipeline_.execute(std::move(prepared));
  co_return finished;
}

Task<void> BatchRunner::refuse_all(Progress& progress) {
  for (std::size_t i = 0; i < progress.blocks.size(); ++i) {
    progress.calls[i] = co_await pipeline_.refuse_truncated(progress.blocks[i]);
    progress.completed.push_back(i);
  }
}

/// Preflight call by call (HOOK-14), then all executes together, begun in source order.
Task<void> BatchRunner::run_parallel(const BatchRequest& request, Progress& progress) {
  for (std::size_t i = 0; i < progress.blocks.size(); ++i) {
    CallRequest call(std::move(progress.blocks[i]), request.turn, request.signal);
    PreparedCallPtr prepared = co_await pipeline_.preflight(std::move(call));
    if (prepared->finished) {
      progress.calls[i] = *prepared->finished;
      progress.completed.push_back(i);
    }
    progress.prepared.push_back(std::move(prepared));
  }
  std::vector<Task<void>> running;
  for (std::size_t i = 0; i < progress.blocks.size(); ++i) {
    if (!progress.prepared[i]->finished) running.push_back(execute_one(progress, i));
  }
  if (!running.empty()) co_await all(std::move(running));
}

Task<void> BatchRunner::execute_one(Progress& progress, std::size_t index) {
  PreparedCallPtr prepared = std::move(progress.prepared[index]);
  progress.calls[index] = co_await pipeline_.execute(std::move(prepared));
  progress.completed.push_back(index);
}

}  // namespace plumb::engine
