// SPDX-License-Identifier: Apache-2.0
#include "property-tests/repository_suite.h"

#include <gtest/gtest.h>

#include "simulator/explore/case_run.h"
#include "simulator/script/source.h"

namespace plumb::simulator {
namespace {

void show(const std::vector<Error>& errors) {
  for (const auto& error : errors) ADD_FAILURE() << error_line(error);
}

RepositorySuite read_suite() {
  RepositorySuite suite;
  auto catalogue = load_catalogue("scenarios/rules");
  if (!catalogue) {
    show(catalogue.error());
    return suite;
  }
  suite.catalogue = *std::move(catalogue);
  suite.facts = facts_of(suite.catalogue);
  const auto files = find_scenarios({"scenarios"});
  if (!files) {
    show(files.error());
    return suite;
  }
  for (const auto& file : *files) {
    auto scenario = load_scenario(file, suite.catalogue);
    if (scenario) {
      suite.scenarios.push_back(*std::move(scenario));
    } else {
      show(scenario.error());
    }
  }
  return suite;
}

}  // namespace

const RepositorySuite& repository_suite() {
  static const RepositorySuite kSuite = read_suite();
  return kSuite;
}

}  // namespace plumb::simulator
