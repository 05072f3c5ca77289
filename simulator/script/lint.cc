// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/lint.h"

#include "simulator/script/source.h"

namespace plumb::simulator {

LintReport lint_scenarios(const std::vector<std::string>& paths, const Catalogue& catalogue) {
  LintReport report;
  const auto files = find_scenarios(paths);
  if (!files) {
    report.errors = files.error();
    return report;
  }
  report.file_count = std::ssize(*files);
  for (const std::string& file : *files) {
    auto scenario = load_scenario(file, catalogue);
    if (scenario) {
      report.scenarios.push_back(*std::move(scenario));
    } else {
      report.errors.insert(report.errors.end(), scenario.error().begin(), scenario.error().end());
    }
  }
  return report;
}

}  // namespace plumb::simulator
