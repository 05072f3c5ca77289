// SPDX-License-Identifier: Apache-2.0
// The bash tool as the calls of a row want it: real commands with the row's variables, or the acts
// that stand in for the shell.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/kernel/processes.h"
#include "engine/tools/builtin/bash.h"
#include "simulator/oracle/tool_kit.h"

namespace plumb::simulator {

/// Runs commands in a host whose environment has these variables too. Borrows both.
class HostProcesses final : public engine::Processes {
 public:
  HostProcesses(engine::Processes& inner,
                const std::vector<std::pair<std::string, std::string>>& variables)
      : inner_(inner), variables_(variables) {}
  engine::Task<Result<engine::ProcessExit>> run(engine::ProcessSpec spec, engine::OutputSink& sink,
                                                engine::AbortSignal signal) override;

 private:
  engine::Processes& inner_;
  const std::vector<std::pair<std::string, std::string>>& variables_;
};

/// The options of the bash tool for a call with these args.
engine::BashOptions shell_options(const ToolKit& kit, const Json& args);

}  // namespace plumb::simulator
