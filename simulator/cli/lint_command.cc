// SPDX-License-Identifier: Apache-2.0
// plumb lint: reads scenarios, runs nothing.
#include "property-tests/mutants/tamper.h"
#include "simulator/cli/inputs.h"
#include "simulator/cli/options.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/script/lint.h"
#include "simulator/subjects/definitions.h"

namespace plumb::simulator {
namespace {

Checked<std::vector<std::string>> tamper_bases(const CommonOptions& common) {
  const auto tampers = load_tampers(rules_folder_of(common));
  if (!tampers) return std::unexpected(tampers.error());
  std::vector<std::string> bases;
  for (const auto& tamper : *tampers) bases.push_back(tamper.scenario);
  return bases;
}

/// Scenarios that cost time and show nothing that the others do not: a warning, never an error.
void warn_of_redundant(const LintReport& report, const std::vector<std::string>& bases) {
  for (const Scenario* scenario : redundant_scenarios(report.scenarios, bases)) {
    print_error(located(scenario->file, scenario->rules.front().place) +
                ": warning: triggers nothing new: other scenarios name each of its rules, and no "
                "tamper starts from it\n");
  }
}

/// Descriptions and results of scripted tools that tell the model too little: warnings as well.
void warn_of_tools(const LintReport& report) {
  for (const auto& scenario : report.scenarios) {
    for (const auto& warning : tool_warnings(scenario)) {
      print_error(error_line(warning) + " (warning)\n");
    }
  }
}

}  // namespace

int lint_command(const CommonOptions& common, const LintCommand& command) {
  const auto catalogue = find_catalogue(common);
  if (!catalogue) return refuse(catalogue.error());
  auto paths = command.paths;
  if (paths.empty()) paths.emplace_back("scenarios");
  const auto bases = tamper_bases(common);
  if (!bases) return refuse(bases.error());
  const LintReport report = lint_scenarios(paths, *catalogue, compile_definition);
  print_errors(report.errors);
  for (const auto& warning : report.warnings) {
    print_error(error_line(warning) + " (warning)\n");
  }
  if (command.looks_at_tools) warn_of_tools(report);
  warn_of_redundant(report, *bases);
  const auto passed = std::ssize(report.scenarios);
  print_out(std::to_string(passed) + " passed, " + std::to_string(report.file_count - passed) +
            " failed, 0 skipped\n");
  return report.errors.empty() ? kExitOk : kExitInput;
}

}  // namespace plumb::simulator
