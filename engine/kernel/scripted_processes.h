// SPDX-License-Identifier: Apache-2.0
// The process port of hermetic runs: commands that are known beforehand, with their output, what
// they start, and their end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel/event.h"
#include "engine/kernel/files.h"
#include "engine/kernel/processes.h"

namespace plumb::engine {

struct ScriptedChunk {
  ScriptedChunk(std::int64_t delay, OutputStream to, std::string text)
      : delay_ms(delay), stream(to), bytes(std::move(text)) {}

  std::int64_t delay_ms;  ///< After the chunk before.
  OutputStream stream;
  std::string bytes;
};

/// A process that the command starts and does not wait for. It holds the streams open while it
/// lives.
struct ScriptedChild {
  ScriptedChild() = default;

  std::vector<ScriptedChunk> chunks;  ///< From the command's start on.
  std::int64_t lives_ms = 0;          ///< After its last chunk; then it writes its files and ends.
  std::vector<std::pair<std::string, std::string>> writes;
  bool lives_on = false;      ///< Never ends by itself.
  bool leaves_group = false;  ///< A kill of the group does not reach it; holds no streams.
};

struct ScriptedCommand {
  explicit ScriptedCommand(std::string text) : command(std::move(text)) {}

  std::string command;
  std::vector<ScriptedChunk> chunks;
  std::int64_t delay_ms = 0;  ///< From the last chunk to the end.
  /// Path and bytes: written through the file port before the command ends.
  std::vector<std::pair<std::string, std::string>> writes;
  std::vector<ScriptedChild> children;
  std::int64_t exit_code = 0;
  std::int64_t signal_number = 0;          ///< Ends it instead of an exit, unless 0.
  bool hangs = false;                      ///< After its output, until aborted or timed out.
  std::optional<ErrorCode> start_failure;  ///< It cannot be started.
};

/// One loop. A command scripted several times gives its runs in order; the last one repeats. A
/// command that is not scripted is an error (protocol). Children of a run may outlive it.
class ScriptedProcesses final : public Processes {
 public:
  ScriptedProcesses(Loop& loop, Files& files) : loop_(&loop), files_(&files) {}

  void add(ScriptedCommand command) { commands_.push_back({std::move(command), 0}); }
  Task<Result<ProcessExit>> run(ProcessSpec spec, OutputSink& sink, AbortSignal signal) override;
  /// Every request, in order.
  const std::vector<ProcessSpec>& requests() const { return requests_; }

  /// Public for its implementation only.
  class Running;

 private:
  struct Scripted {
    ScriptedCommand command;
    std::int64_t run_count;
  };
  const ScriptedCommand* next_run(const std::string& text);

  Loop* loop_;
  Files* files_;
  std::vector<Scripted> commands_;
  std::vector<ProcessSpec> requests_;
};

}  // namespace plumb::engine
