// SPDX-License-Identifier: Apache-2.0
// The process port: run a command to its end, hand over its output as it comes, end its whole group
// when it is aborted or takes too long.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/result.h"
#include "engine/kernel/task.h"

namespace plumb::engine {

enum class OutputStream : std::uint8_t { out, err };

/// Receives output while the command runs. Outlives the run.
class OutputSink {
 public:
  virtual ~OutputSink() = default;
  virtual void write(OutputStream stream, std::string_view bytes) = 0;
  /// The command really runs now.
  virtual void started() {}
  /// While it is full no more is read, so that the command waits at its pipe.
  virtual bool is_full() const { return false; }
  virtual Task<void> room() { co_return; }
};

/// Keeps everything, in order of arrival, and each stream by itself.
class CollectingSink final : public OutputSink {
 public:
  void write(OutputStream stream, std::string_view bytes) override {
    all.append(bytes);
    (stream == OutputStream::out ? out : err).append(bytes);
  }
  std::string all;
  std::string out;
  std::string err;
};

inline constexpr std::int64_t kQuietPipeMs = 50;

struct ProcessSpec {
  ProcessSpec() = default;

  std::vector<std::string> argv;  ///< Or empty, and `command` for the shell.
  std::string command;            ///< Run by bash -c.
  std::string cwd;                ///< Empty: the caller's.
  /// Set on top of the inherited environment, or instead of it.
  std::vector<std::pair<std::string, std::string>> environment;
  bool inherits_environment = true;
  std::vector<std::string> removed_variables;  ///< Of the inherited environment.
  std::string path_folder;                     ///< Added at the end of PATH, unless empty.
  std::string input;                           ///< Standard input, then its end.
  bool merges_streams = false;  ///< Both streams are one, `out`, in the order of writing.
  std::int64_t timeout_ms = 0;  ///< 0: none.
  /// After the command's end: how long its streams must be silent when something it started still
  /// holds them open.
  std::int64_t quiet_ms = kQuietPipeMs;
  bool kills_group = true;  ///< At an abort, a timeout, too much output: not the command alone.
  /// Both streams together; past it the group is killed. 0: none.
  std::int64_t output_bytes_max = 0;
};

/// What a command is called in traces and scripts: the shell's text, or the words joined by spaces.
std::string command_text(const ProcessSpec& spec);

enum class ProcessEnd : std::uint8_t { exited, signaled, timed_out, aborted, output_limit };
/// exited, signaled, timed_out, aborted, output_limit.
std::string_view to_string(ProcessEnd end);

struct ProcessExit {
  ProcessEnd end = ProcessEnd::exited;
  std::int64_t exit_code = 0;      ///< When exited.
  std::int64_t signal_number = 0;  ///< When ended by a signal, ours included.
  /// When the command itself ended by itself, counted from its start; what it started may have gone
  /// on. Absent when it was killed, or never ran.
  std::optional<std::int64_t> exited_ms;
  std::int64_t group_alive = 0;  ///< Members of its group that run on.

  bool operator==(const ProcessExit&) const = default;
};

/// One loop. Errors: not_found, permission, io when the command cannot be started. A run that is
/// dropped before its end leaves no process behind.
class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  virtual ~Processes() = default;

  virtual Task<Result<ProcessExit>> run(ProcessSpec spec, OutputSink& sink, AbortSignal signal) = 0;
};

}  // namespace plumb::engine
