// SPDX-License-Identifier: Apache-2.0
// The variants of a scenario: further runs whose traces a relation rule compares (EDIT-04: every
// order of the edits).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// Orders of a list beyond this number are not tried; the first ones in lexical order are.
inline constexpr std::int64_t kPermutationsMax = 24;

/// One run of a scenario. `name` is empty for the scenario as it is written; else "permute: edits 2
/// 0 1", "seed: 3", ... `relation`: what the variants have in common, "permute: edits".
struct Variant {
  std::string name;
  std::string relation;
  Scenario scenario;
  std::uint64_t seed = 0;
};

/// The scenario itself first, then its variants. Without `variants:` only the scenario.
std::vector<Variant> variants_of(const Scenario& scenario, std::uint64_t seed);

}  // namespace plumb::simulator
