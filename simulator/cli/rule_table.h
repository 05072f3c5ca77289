// SPDX-License-Identifier: Apache-2.0
// What is known of every rule: whether it is judged, by which scenarios, and which wrong engines it
// catches.
#pragma once

#include <string>
#include <vector>

#include "property-tests/mutants/mutant.h"
#include "simulator/cli/inputs.h"
#include "simulator/script/catalogue.h"

namespace plumb::simulator {

/// One rule and what keeps it.
struct RuleRow {
  const RuleEntry* rule = nullptr;
  RuleStanding standing;
  std::vector<std::string> scenarios;
  std::vector<MutantOutcome> mutants;
};

/// In the order of the catalogue, which outlives the rows. Rows of rules without a mutant have
/// none; `outcomes` may be empty.
std::vector<RuleRow> rule_rows(const Catalogue& catalogue, const std::vector<Scenario>& scenarios,
                               const std::vector<MutantOutcome>& outcomes);

/// Runs every mutant and tamper over the scenarios. Errors: tamper files that cannot be read or
/// applied.
Checked<std::vector<MutantOutcome>> run_all_mutants(const std::vector<Scenario>& scenarios,
                                                    const Catalogue& catalogue,
                                                    const std::string& rules_folder);

/// The array that `plumb rules --json` prints.
Json rules_json(const std::vector<RuleRow>& rows);

}  // namespace plumb::simulator
