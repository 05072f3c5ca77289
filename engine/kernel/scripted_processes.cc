// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/scripted_processes.h"

#include <csignal>

#include "engine/kernel/event.h"
#include "engine/kernel/join.h"

namespace plumb::engine {
namespace {

Result<ProcessExit> killed(ProcessEnd end) {
  ProcessExit exit;
  exit.end = end;
  exit.signal_number = SIGKILL;
  return exit;
}

Task<Result<ProcessExit>> killed_on_abort(AbortSignal signal) {
  co_await signal.wait();
  co_return killed(ProcessEnd::aborted);
}

Task<Result<ProcessExit>> killed_on_timeout(Loop& loop, std::int64_t timeout_ms) {
  co_await loop.sleep_ms(timeout_ms);
  co_return killed(ProcessEnd::timed_out);
}

}  // namespace

const ScriptedCommand* ScriptedProcesses::next_run(const std::string& text) {
  Scripted* last = nullptr;
  for (auto& one : commands_) {
    if (one.command.command != text) continue;
    last = &one;
    if (one.run_count == 0) break;
  }
  if (last == nullptr) return nullptr;
  ++last->run_count;
  return &last->command;
}

Task<Result<ProcessExit>> ScriptedProcesses::play(ScriptedCommand command,
                                                  std::int64_t output_bytes_max, OutputSink& sink) {
  std::int64_t output_bytes = 0;
  for (const auto& chunk : command.chunks) {
    if (chunk.delay_ms > 0) co_await loop_->sleep_ms(chunk.delay_ms);
    output_bytes += std::ssize(chunk.bytes);
    sink.write(chunk.stream, chunk.bytes);
    if (output_bytes_max > 0 && output_bytes > output_bytes_max) {
      co_return killed(ProcessEnd::output_limit);
    }
  }
  for (const auto& [path, bytes] : command.writes) {
    const auto written = co_await files_->write(path, bytes);
    if (!written) co_return std::unexpected(written.error());
  }
  if (command.hangs) {
    Event never(*loop_, "a command that hangs");
    co_await never.wait();
  }
  ProcessExit exit;
  exit.exit_code = command.exit_code;
  co_return exit;
}

Task<Result<ProcessExit>> ScriptedProcesses::run(ProcessSpec spec, OutputSink& sink,
                                                 AbortSignal signal) {
  const std::string text = command_text(spec);
  co_await loop_->point(Touch(TouchKind::process, text, true));
  requests_.push_back(spec);
  if (signal.aborted()) co_return killed(ProcessEnd::aborted);
  const ScriptedCommand* const command = next_run(text);
  if (command == nullptr) {
    co_return fail(ErrorCode::protocol, "command is not scripted: " + text);
  }
  std::vector<Task<Result<ProcessExit>>> ends;
  // cppcheck does not know that co_return has ended the path above.
  // cppcheck-suppress nullPointerRedundantCheck
  ends.push_back(play(*command, spec.output_bytes_max, sink));
  ends.push_back(killed_on_abort(signal));
  if (spec.timeout_ms > 0) ends.push_back(killed_on_timeout(*loop_, spec.timeout_ms));
  auto winner = co_await race(std::move(ends));
  co_return std::move(winner.value);
}

}  // namespace plumb::engine
