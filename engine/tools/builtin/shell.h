// SPDX-License-Identifier: Apache-2.0
// How a shell command of the bash tool is run: what an executor is given and what it gives back. A
// host may put its own in place of the local one (BASH-28).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/env.h"
#include "engine/kernel/task.h"

namespace plumb::engine {

/// What a spawn hook sees and may change (BASH-26): the whole script with its prefix, where it
/// runs, the variables that are set on top of the engine's environment and those taken out of it.
struct ShellCommand {
  ShellCommand() = default;
  std::string script;
  std::string cwd;
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> removed_variables;
  bool operator==(const ShellCommand&) const = default;
};

/// `on_data` takes both streams' bytes in order of arrival; it may be called late and is then
/// ignored (BASH-21). While `is_full()` the executor should await `room()` before it reads on.
struct ShellRequest {
  ShellRequest() = default;
  ShellCommand command;
  std::int64_t timeout_ms = 0;  ///< 0: none.
  AbortSignal signal;
  std::function<void(std::string_view)> on_data;
  std::function<bool()> is_full;
  std::function<Task<void>()> room;
};

enum class ShellEnd : std::uint8_t { exited, timed_out, aborted };

/// `exit_code`: that of the shell, 128 + N when a signal N ended it (BASH-12); absent when there is
/// none. `exited_ms`: when the shell itself ended, if it did before a timeout (BASH-23).
struct ShellExit {
  ShellExit() = default;
  ShellEnd end = ShellEnd::exited;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> exited_ms;
};

/// An error whose code is aborted or timeout, or whose message is `aborted` or `timeout:SECONDS`,
/// means that end (BASH-30); every other is a failure to run. The signal and the timeout are the
/// executor's to honour, for all that the command has started.
struct ShellOperations {
  std::function<Task<Result<ShellExit>>(ShellRequest)> exec;
};

/// Whether the group of an ended command is killed, and how long streams that a background job
/// holds open must be silent (BASH-22).
struct LocalShellOptions {
  LocalShellOptions() = default;
  bool kills_group = true;
  std::int64_t quiet_ms = 100;
  std::string path_folder;  ///< Added to PATH (BASH-33).
};

/// `bash -c` through the process port: no standard input, both streams merged, a process group of
/// its own, which an abort and the timeout kill (BASH-02, BASH-14, BASH-15). `env` outlives it.
/// Errors: not_found when the folder is missing (BASH-31), and those of the port.
ShellOperations local_shell(Env& env, LocalShellOptions options = LocalShellOptions());

}  // namespace plumb::engine
