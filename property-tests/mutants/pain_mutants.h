// SPDX-License-Identifier: Apache-2.0
// The pains that scenarios are tagged with, as wrong engines: what people reported is put into the
// reference engine, and the tagged scenarios have to notice.
#pragma once

#include <string>
#include <vector>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

/// Wrong engines as they were reported, beside those of the other families.
std::vector<Mutant> pain_mutants();
/// Names of the wrong engines of any family that show a pain; none when it has no scenario.
std::vector<std::string> mutants_of_pain(const std::string& pain);

}  // namespace plumb::simulator
