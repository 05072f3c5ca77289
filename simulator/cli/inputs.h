// SPDX-License-Identifier: Apache-2.0
// What commands read before they work: the rule catalogue and the scenarios, with every error that
// was found.
#pragma once

#include <string>
#include <vector>

#include "simulator/cli/expected_verdicts.h"
#include "simulator/cli/options.h"
#include "simulator/script/catalogue.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// The catalogue of `common.rules_folder`; if that is empty, of scenarios/rules below the current
/// folder or beside the program.
Checked<Catalogue> find_catalogue(const CommonOptions& common);
/// The folder that it reads.
std::string rules_folder_of(const CommonOptions& common);
/// The scenarios that belong to it: the folder above.
std::string scenarios_folder_of(const CommonOptions& common);

/// Scenarios that could be read, in the order of their files, and the errors of the others.
struct LoadedScenarios {
  std::vector<Scenario> scenarios;
  std::vector<Error> errors;
};

/// `paths` empty: the folder scenarios.
LoadedScenarios load_scenarios(std::vector<std::string> paths, const Catalogue& catalogue);

/// The entries of an expectations file; none when `path` is empty. Read by today's date; they may
/// name any scenario when `loaded` is null. `api`: as ExpectationScope says.
Checked<std::vector<ExpectedVerdict>> load_expected(const std::string& path,
                                                    const LoadedScenarios* loaded,
                                                    const Catalogue& catalogue,
                                                    std::string_view api = "");

/// Errors: invalid, for the first that the catalogue does not have.
Result<void> check_rules(const std::vector<std::string>& rules, const Catalogue& catalogue);

/// Prints each on a line of its own on standard error.
void print_errors(const std::vector<Error>& errors);

/// Prints errors that end a command before it began, and its last line. Returns the exit code.
int refuse(const std::vector<Error>& errors);
/// The same for a subject that cannot be judged: what is wrong with the words is the user's; a
/// subject that does not do its part is not.
int refuse_subject(const Error& error);

}  // namespace plumb::simulator
