// SPDX-License-Identifier: Apache-2.0
// Mutants of the order of things: EVENT, BATCH, ABORT, EXT.
#include "property-tests/mutants/order_mutants.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace plumb::simulator {

void name_also(std::vector<Mutant>& mutants,
               const std::map<std::string, std::vector<std::string>>& rules) {
  for (auto& mutant : mutants) {
    const auto found = rules.find(mutant.name);
    if (found != rules.end()) mutant.also = found->second;
  }
}

std::vector<Mutant> order_mutants() {
  std::vector<Mutant> list = event_mutants();
  std::ranges::move(batch_mutants(), std::back_inserter(list));
  std::ranges::move(abort_mutants(), std::back_inserter(list));
  std::ranges::move(guard_mutants(), std::back_inserter(list));
  std::ranges::move(extension_mutants(), std::back_inserter(list));
  return list;
}

}  // namespace plumb::simulator
