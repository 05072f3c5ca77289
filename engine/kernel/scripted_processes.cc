// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/scripted_processes.h"

#include <array>
#include <csignal>
#include <memory>

#include "engine/kernel/join.h"

namespace plumb::engine {
namespace {

using Writes = std::vector<std::pair<std::string, std::string>>;

Task<Result<void>> write_all(Files& files, Writes writes) {
  for (auto& [path, bytes] : writes) {
    const auto written = co_await files.write(std::move(path), std::move(bytes));
    if (!written) co_return std::unexpected(written.error());
  }
  co_return Result<void>();
}

/// Where output of a run goes. Shared: a child that outlives the run finds it closed.
struct Streams {
  explicit Streams(Loop& loop) : changed(loop, "scripted output") {}

  void write(Loop& loop, const ScriptedChunk& chunk) {
    if (sink == nullptr) return;
    last_output_ms = loop.now_ms();
    output_bytes += std::ssize(chunk.bytes);
    sink->write(chunk.stream, chunk.bytes);
    changed.set();
  }
  void leave() {
    --holders;
    changed.set();
  }

  OutputSink* sink = nullptr;
  std::int64_t last_output_ms = 0;
  std::int64_t output_bytes = 0;
  std::int64_t holders = 0;  ///< Children that live in the group.
  bool is_dropped = false;   ///< The run went before its end: its group is dead.
  Event changed;
};

/// A child's life, as a fiber of its own.
Task<void> live(Loop& loop, Files& files, ScriptedChild child, std::shared_ptr<Streams> streams) {
  for (const auto& chunk : child.chunks) {
    if (chunk.delay_ms > 0) co_await loop.sleep_ms(chunk.delay_ms);
    streams->write(loop, chunk);
  }
  if (child.lives_on) {
    Event never(loop, "a child that lives on");
    co_await never.wait();
  }
  if (child.lives_ms > 0) co_await loop.sleep_ms(child.lives_ms);
  if (streams->is_dropped && !child.leaves_group) co_return;
  static_cast<void>(co_await write_all(files, std::move(child.writes)));
  if (!child.leaves_group) streams->leave();
}

}  // namespace

/// One run. Lives in the frame of `run`.
class ScriptedProcesses::Running {
 public:
  Running(ScriptedProcesses& port, ScriptedCommand command, const ProcessSpec& spec,
          OutputSink& sink, const std::string& label)
      : loop_(port.loop_),
        files_(port.files_),
        command_(std::move(command)),
        spec_(&spec),
        begun_ms_(loop_->now_ms()),
        streams_(std::make_shared<Streams>(*loop_)) {
    streams_->sink = &sink;
    sink.started();
    for (auto& child : command_.children) {
      const bool is_in_group = !child.leaves_group;
      streams_->holders += is_in_group ? 1 : 0;
      const SpawnId id = loop_->spawn(live(*loop_, *files_, child, streams_), label);
      if (is_in_group) group_.push_back(id);
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    streams_->sink = nullptr;
    streams_->is_dropped = !is_over_;
  }

  Task<Result<ProcessExit>> finish(AbortSignal signal) {
    std::vector<Task<Result<void>>> reasons;
    reasons.push_back(until_end());
    reasons.push_back(until_abort(std::move(signal)));
    reasons.push_back(until_limit());
    if (spec_->timeout_ms > 0) reasons.push_back(until_timeout());
    constexpr std::array<ProcessEnd, 4> kEnds = {ProcessEnd::exited, ProcessEnd::aborted,
                                                 ProcessEnd::output_limit, ProcessEnd::timed_out};
    auto first = co_await race(std::move(reasons));
    if (!first.value) co_return std::unexpected(std::move(first.value).error());
    const ProcessEnd reason = kEnds.at(static_cast<std::size_t>(first.index));
    if (reason != ProcessEnd::exited) kill(reason);
    is_over_ = true;
    for (const SpawnId id : group_) exit_.group_alive += loop_->is_running(id) ? 1 : 0;
    co_return exit_;
  }

 private:
  Task<Result<void>> until_abort(AbortSignal signal) {
    co_await signal.wait();
    co_return Result<void>();
  }
  Task<Result<void>> until_timeout() {
    co_await loop_->sleep_ms(spec_->timeout_ms);
    co_return Result<void>();
  }
  Task<Result<void>> until_limit() {
    while (spec_->output_bytes_max == 0 || streams_->output_bytes <= spec_->output_bytes_max) {
      streams_->changed.reset();
      co_await streams_->changed.wait();
    }
    co_return Result<void>();
  }
  Task<Result<void>> until_end() {
    for (const auto& chunk : command_.chunks) {
      while (streams_->sink->is_full()) co_await streams_->sink->room();
      if (chunk.delay_ms > 0) co_await loop_->sleep_ms(chunk.delay_ms);
      streams_->write(*loop_, chunk);
    }
    if (command_.delay_ms > 0) co_await loop_->sleep_ms(command_.delay_ms);
    auto written = co_await write_all(*files_, command_.writes);
    if (!written) co_return written;
    if (command_.hangs) {
      Event never(*loop_, "a command that hangs");
      co_await never.wait();
    }
    exit_.exit_code = command_.exit_code;
    if (command_.signal_number > 0) exit_.end = ProcessEnd::signaled;
    exit_.signal_number = command_.signal_number;
    exit_.exited_ms = loop_->now_ms() - begun_ms_;
    co_await until_quiet();
    co_return Result<void>();
  }
  /// The streams' end, or silence of those who hold them.
  Task<void> until_quiet() {
    streams_->last_output_ms = loop_->now_ms();
    while (streams_->holders > 0) {
      const std::int64_t silent_ms = loop_->now_ms() - streams_->last_output_ms;
      if (silent_ms >= spec_->quiet_ms) co_return;
      std::vector<Task<void>> ways;
      ways.push_back(until_change());
      ways.push_back(sleep_task(*loop_, spec_->quiet_ms - silent_ms));
      co_await race(std::move(ways));
    }
  }
  Task<void> until_change() {
    streams_->changed.reset();
    co_await streams_->changed.wait();
  }
  void kill(ProcessEnd reason) {
    exit_.end = reason;
    if (!exit_.exited_ms) exit_.signal_number = SIGKILL;
    if (!spec_->kills_group) return;
    for (const SpawnId id : group_) loop_->cancel(id);
  }

  Loop* loop_;
  Files* files_;
  ScriptedCommand command_;
  const ProcessSpec* spec_;
  std::int64_t begun_ms_;
  // Shared with the children, which may outlive the run.
  std::shared_ptr<Streams> streams_;
  std::vector<SpawnId> group_;
  ProcessExit exit_;
  bool is_over_ = false;
};

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

Task<Result<ProcessExit>> ScriptedProcesses::run(ProcessSpec spec, OutputSink& sink,
                                                 AbortSignal signal) {
  const std::string text = command_text(spec);
  co_await loop_->point(Touch(TouchKind::process, text, true));
  requests_.push_back(spec);
  if (signal.aborted()) {
    ProcessExit exit;
    exit.end = ProcessEnd::aborted;
    co_return exit;
  }
  const ScriptedCommand* const command = next_run(text);
  if (command == nullptr) {
    co_return fail(ErrorCode::protocol, "command is not scripted: " + text);
  }
  // cppcheck does not know that co_return has ended the path above.
  // cppcheck-suppress nullPointerRedundantCheck
  if (command->start_failure) {
    co_return fail(*command->start_failure, "cannot start '" + text + "'");
  }
  const Fiber& fiber = co_await current_fiber();
  Running running(*this, *command, spec, sink, fiber.label);
  co_return co_await running.finish(std::move(signal));
}

}  // namespace plumb::engine
