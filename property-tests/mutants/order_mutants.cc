// SPDX-License-Identifier: Apache-2.0
// Mutants of the order of things: EVENT, BATCH, ABORT, EXT.
#include <utility>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

std::vector<Mutant> order_mutants() {
  std::vector<Mutant> list;
  list.push_back(policy_mutant("batch-any-terminate-stops", "BATCH-12",
                               "one terminating result is enough", [](engine::Policies& policies) {
                                 policies.batch_terminates =
                                     [](std::span<const engine::FinishedCall> calls) {
                                       for (const auto& call : calls) {
                                         if (call.result.terminate) return true;
                                       }
                                       return false;
                                     };
                               }));
  return list;
}

}  // namespace plumb::simulator
