// SPDX-License-Identifier: Apache-2.0
// Checks scenarios without running them.
#pragma once

#include <string>
#include <vector>

#include "simulator/script/scenario.h"

namespace plumb::simulator {

struct LintReport {
  std::vector<Scenario> scenarios;  ///< Those without an error, in order of path.
  std::vector<Error> errors;        ///< By file, then in the order of the file.
  std::vector<Error> warnings;      ///< Steps that the reference session cannot take, likewise.
  std::int64_t file_count = 0;
};

/// Reads the scenarios that `paths` name (find_scenarios) as load_scenario does. Nothing is run.
LintReport lint_scenarios(const std::vector<std::string>& paths, const Catalogue& catalogue,
                          const DefinitionCheck& compiles = {});

/// Scenarios that trigger nothing new: each rule that one names is named by another of them too,
/// and none of `bases` (paths of scenarios that tampers start from) is its file. In their order.
std::vector<const Scenario*> redundant_scenarios(const std::vector<Scenario>& scenarios,
                                                 const std::vector<std::string>& bases);

/// Scripted tools whose description leaves out one of the four points of TOOL-20 (when to call,
/// where the inputs come from, whether anything outside changes, what comes back), judged by its
/// words, and results that are a bare "done" (RESULT-08).
std::vector<Error> tool_warnings(const Scenario& scenario);

}  // namespace plumb::simulator
