// SPDX-License-Identifier: Apache-2.0
// Mutants of what happens to files and of what is sent to the model: EDIT, READ, WRITE, QUEUE,
// CACHE.
#include <utility>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

std::vector<Mutant> file_mutants() {
  std::vector<Mutant> list;
  list.push_back(policy_mutant("queue-one-key-for-all", "QUEUE-03", "one lock for all files",
                               [](engine::Policies& policies) {
                                 policies.existing_key = [](const std::string&) {
                                   return std::string("everything");
                                 };
                               }));
  return list;
}

}  // namespace plumb::simulator
