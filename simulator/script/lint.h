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
  std::int64_t file_count = 0;
};

/// Reads the scenarios that `paths` name (find_scenarios). Nothing is run.
LintReport lint_scenarios(const std::vector<std::string>& paths, const Catalogue& catalogue);

}  // namespace plumb::simulator
