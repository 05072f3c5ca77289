// SPDX-License-Identifier: Apache-2.0
// Mutants of how pi-1.6.0 finds the texts of an edit: EDIT-58 to EDIT-63.
#pragma once

#include <vector>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

/// Part of edit's: text_mutants() returns them as well.
std::vector<Mutant> fuzzy_mutants();

}  // namespace plumb::simulator
