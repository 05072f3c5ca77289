// SPDX-License-Identifier: Apache-2.0
// plumb lint: reads scenarios, runs nothing.
#include "simulator/cli/inputs.h"
#include "simulator/cli/options.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/script/lint.h"

namespace plumb::simulator {

int lint_command(const CommonOptions& common, const LintCommand& command) {
  const auto catalogue = find_catalogue(common);
  if (!catalogue) return refuse(catalogue.error());
  auto paths = command.paths;
  if (paths.empty()) paths.emplace_back("scenarios");
  const LintReport report = lint_scenarios(paths, *catalogue);
  if (report.file_count == 0) return refuse(report.errors);
  print_errors(report.errors);
  const auto passed = std::ssize(report.scenarios);
  print_out(std::to_string(passed) + " passed, " + std::to_string(report.file_count - passed) +
            " failed, 0 skipped\n");
  return report.errors.empty() ? kExitOk : kExitInput;
}

}  // namespace plumb::simulator
