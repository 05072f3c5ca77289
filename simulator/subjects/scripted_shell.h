// SPDX-License-Identifier: Apache-2.0
// What a scenario says about commands: scripted processes, the host's spawn hook, and an executor
// of the host's own.
#pragma once

#include <string>

#include "engine/kernel/env.h"
#include "engine/kernel/scripted_processes.h"
#include "engine/tools/builtin/bash.h"
#include "engine/trace/trace.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// Hands the scenario's commands to the port.
void add_scripts(const Scenario& scenario, engine::ScriptedProcesses& processes);

/// The options of the bash tool. A call of the hook is recorded as hook_call and hook_return of the
/// event `spawn`; a command that the host's executor gets, as a note `remote_exec`. Everything
/// outlives this, and this the tool. One loop.
class ScriptedShell final {
 public:
  ScriptedShell(const Scenario& scenario, engine::Env& env, engine::Files& disk,
                Recorder& recorder);
  ScriptedShell(const ScriptedShell&) = delete;
  ScriptedShell& operator=(const ScriptedShell&) = delete;

  engine::BashOptions options(const engine::Policies& policies);

 private:
  engine::SessionVariables session() const;
  Result<engine::ShellCommand> hook(engine::ShellCommand command);
  engine::Task<Result<engine::ShellExit>> run_remote(engine::ShellRequest request);

  const Scenario& scenario_;
  engine::Env& env_;
  Recorder& recorder_;
  engine::ScriptedProcesses remote_;
  engine::Env remote_env_;
  engine::ShellOperations remote_shell_;
};

}  // namespace plumb::simulator
