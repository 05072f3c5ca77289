// SPDX-License-Identifier: Apache-2.0
// The built-in bash tool (BASH-*). It is no sandbox: a prefix runs in the same shell with the same
// rights, and what leaves the process group survives an abort (BASH-17, BASH-25).
#pragma once

#include <functional>
#include <string>

#include "engine/kernel/env.h"
#include "engine/tools/builtin/shell.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

struct Policies;

/// What a command is told about its session (BASH-32); an empty one is not set.
struct SessionVariables {
  std::string id;
  std::string file;
  std::string provider;
  std::string model;
  std::string reasoning_level;
};

/// `env` and `policies` outlive the tool. `cwd` is used when the call's context has none.
struct BashOptions {
  BashOptions(ShellOperations shell, Env& environment, const Policies& policy_value)
      : operations(std::move(shell)), env(environment), policies(policy_value) {}
  ShellOperations operations;
  Env& env;
  const Policies& policies;
  std::string cwd;
  std::string temporary_folder = "/tmp";
  std::string command_prefix;
  /// The session at the start of a command; empty when there is none.
  std::function<SessionVariables()> session;
  bool exposes_session = true;
  /// May change the command, or fail (or throw), which ends the call (BASH-26, BASH-27). May be
  /// empty.
  std::function<Result<ShellCommand>(ShellCommand)> spawn_hook;
};

ToolDefinition bash_tool(BashOptions options);

}  // namespace plumb::engine
