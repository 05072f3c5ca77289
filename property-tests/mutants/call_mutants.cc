// SPDX-License-Identifier: Apache-2.0
// Mutants of one call's way: PIPE, HOOK, RESULT.
#include <utility>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

std::vector<Mutant> call_mutants() {
  std::vector<Mutant> list;
  list.push_back(policy_mutant("pipe-no-validation", "PIPE-03", "arguments are not validated",
                               [](engine::Policies& policies) {
                                 policies.validate = [](const engine::RegisteredTool&,
                                                        Json prepared) {
                                   return engine::ValidatedArguments{std::move(prepared), {}};
                                 };
                               }));
  return list;
}

}  // namespace plumb::simulator
