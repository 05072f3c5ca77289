// SPDX-License-Identifier: Apache-2.0
// plumb lint: reads scenarios, runs nothing.
#include "simulator/cli/inputs.h"
#include "simulator/cli/options.h"
#include "simulator/cli/terminal_io.h"

namespace plumb::simulator {

int lint_command(const CommonOptions& common, const LintCommand& command) {
  const auto catalogue = find_catalogue(common);
  if (!catalogue) {
    print_errors(catalogue.error());
    return kExitInput;
  }
  const auto loaded = load_scenarios(command.paths, *catalogue);
  print_errors(loaded.errors);
  print_out(std::to_string(loaded.scenarios.size()) + " passed, " +
            std::to_string(loaded.errors.size()) + " failed, 0 skipped\n");
  return loaded.errors.empty() ? kExitOk : kExitInput;
}

}  // namespace plumb::simulator
