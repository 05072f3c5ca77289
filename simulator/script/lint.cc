// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/lint.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "simulator/script/source.h"

namespace plumb::simulator {
namespace {

/// Each id once, however often the scenario repeats it.
std::set<std::string> rules_of(const Scenario& scenario) {
  std::set<std::string> ids;
  for (const auto& rule : scenario.rules) ids.insert(rule.id);
  return ids;
}

/// `base` is written from the repository's root, a scenario's file as the user named it.
bool is_file(const std::string& file, const std::string& base) {
  return file == base || file.ends_with("/" + base);
}

/// Steps that need a kept file or a registry, which the reference session has not.
bool is_beyond_reference(const Step& step) {
  return std::holds_alternative<ResumeStep>(step.action) ||
         std::holds_alternative<InstallStep>(step.action) ||
         std::holds_alternative<UninstallStep>(step.action);
}

bool is_for_reference(const Scenario& scenario) {
  const auto& subjects = scenario.subjects;
  return scenario.engine == "session" &&
         (subjects.empty() || std::ranges::find(subjects, "session") != subjects.end());
}

void warn(const Scenario& scenario, std::vector<Error>& warnings) {
  if (!is_for_reference(scenario)) return;
  for (const Step& step : scenario.steps) {
    if (!is_beyond_reference(step)) continue;
    warnings.push_back({ErrorCode::rejected,
                        "step '" + std::string(name_of(step)) +
                            "' cannot be taken by the reference session; name other 'subjects'",
                        located(scenario.file, step.place)});
  }
}

}  // namespace

LintReport lint_scenarios(const std::vector<std::string>& paths, const Catalogue& catalogue,
                          const DefinitionCheck& compiles) {
  LintReport report;
  const auto files = find_scenarios(paths);
  if (!files) {
    report.errors = files.error();
    return report;
  }
  report.file_count = std::ssize(*files);
  for (const std::string& file : *files) {
    auto scenario = load_scenario(file, catalogue, compiles);
    if (scenario) {
      warn(*scenario, report.warnings);
      report.scenarios.push_back(*std::move(scenario));
    } else {
      report.errors.insert(report.errors.end(), scenario.error().begin(), scenario.error().end());
    }
  }
  return report;
}

std::vector<const Scenario*> redundant_scenarios(const std::vector<Scenario>& scenarios,
                                                 const std::vector<std::string>& bases) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& scenario : scenarios) {
    for (const auto& id : rules_of(scenario)) ++counts[id];
  }
  std::vector<const Scenario*> redundant;
  for (const auto& scenario : scenarios) {
    const auto is_shared = [&](const std::string& id) { return counts[id] > 1; };
    const auto is_base = [&](const std::string& base) { return is_file(scenario.file, base); };
    const auto ids = rules_of(scenario);
    if (!scenario.pains.empty()) continue;  // It stands for what people met, not for a rule.
    if (ids.empty() || !std::ranges::all_of(ids, is_shared)) continue;
    if (std::ranges::none_of(bases, is_base)) redundant.push_back(&scenario);
  }
  return redundant;
}

}  // namespace plumb::simulator
