// SPDX-License-Identifier: Apache-2.0
// The process port of hermetic runs: commands that are known beforehand, with their output and
// their end.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

struct ScriptedCommand {
  explicit ScriptedCommand(std::string text) : command(std::move(text)) {}

  std::string command;
  std::vector<ScriptedChunk> chunks;
  /// Path and bytes: written through the file port before the command ends.
  std::vector<std::pair<std::string, std::string>> writes;
  std::int64_t exit_code = 0;
  bool hangs = false;  ///< After its output, until aborted or timed out.
};

/// One loop. A command scripted several times gives its runs in order; the last one repeats. A
/// command that is not scripted is an error (protocol).
class ScriptedProcesses final : public Processes {
 public:
  ScriptedProcesses(Loop& loop, Files& files) : loop_(&loop), files_(&files) {}

  void add(ScriptedCommand command) { commands_.push_back({std::move(command), 0}); }
  Task<Result<ProcessExit>> run(ProcessSpec spec, OutputSink& sink, AbortSignal signal) override;
  /// Every request, in order.
  const std::vector<ProcessSpec>& requests() const { return requests_; }

 private:
  struct Scripted {
    ScriptedCommand command;
    std::int64_t run_count;
  };
  const ScriptedCommand* next_run(const std::string& text);
  Task<Result<ProcessExit>> play(ScriptedCommand command, std::int64_t output_bytes_max,
                                 OutputSink& sink);

  Loop* loop_;
  Files* files_;
  std::vector<Scripted> commands_;
  std::vector<ProcessSpec> requests_;
};

}  // namespace plumb::engine
