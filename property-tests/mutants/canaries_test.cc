// SPDX-License-Identifier: Apache-2.0
#include "property-tests/mutants/canaries.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "engine/values/json.h"
#include "property-tests/mutants/mutant.h"
#include "property-tests/repository_suite.h"

namespace plumb::simulator {
namespace {

Json failures() {
  std::vector<const Scenario*> scenarios;
  for (const auto& scenario : repository_suite().scenarios) scenarios.push_back(&scenario);
  Json lists;
  for (const auto& canary : canaries()) {
    lists[canary.name] = failing_rules(canary.alterations, scenarios, repository_suite().facts);
  }
  return lists;
}

TEST(Canaries, FailExactlyTheirRules) {
  const std::string path = "fixtures/canaries.json";
  const auto text = dump_json_pretty(failures()) + "\n";
  if (std::getenv("PLUMB_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;

  std::stringstream stored;
  stored << std::ifstream(path).rdbuf();

  EXPECT_EQ(stored.str(), text) << "a check or the engine changed; review, then renew with "
                                   "PLUMB_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace plumb::simulator
