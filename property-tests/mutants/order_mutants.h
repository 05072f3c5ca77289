// SPDX-License-Identifier: Apache-2.0
// The parts of order_mutants().
#pragma once

#include <map>
#include <string>
#include <vector>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

/// Gives each mutant that is named in the table the other rules that it breaks too.
void name_also(std::vector<Mutant>& mutants,
               const std::map<std::string, std::vector<std::string>>& rules);

std::vector<Mutant> event_mutants();
std::vector<Mutant> extension_mutants();
std::vector<Mutant> batch_mutants();
std::vector<Mutant> abort_mutants();
/// What tools, gates and hosts owe on their own side.
std::vector<Mutant> guard_mutants();

}  // namespace plumb::simulator
