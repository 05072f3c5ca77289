// SPDX-License-Identifier: Apache-2.0
// Mutants of tools, the registry and the active set: TOOL, REG, ACTIVE.
#include <utility>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

std::vector<Mutant> tool_mutants() {
  std::vector<Mutant> list;
  list.push_back(policy_mutant(
      "registry-last-extension-wins", "REG-02", "the last extension that registers a name wins",
      [](engine::Policies& policies) {
        policies.extension_winner = [](std::span<const engine::RegisteredToolPtr> rivals) {
          return rivals.size() - 1;
        };
      }));
  return list;
}

}  // namespace plumb::simulator
