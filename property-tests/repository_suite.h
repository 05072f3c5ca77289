// SPDX-License-Identifier: Apache-2.0
// The repository's own scenarios and rules, read once for the tests that run them all.
#pragma once

#include <vector>

#include "simulator/invariants/judge.h"
#include "simulator/script/catalogue.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

struct RepositorySuite {
  Catalogue catalogue;
  invariants::Catalogue facts;  ///< What the checks must know of it.
  std::vector<Scenario> scenarios;
};

/// Read from the current folder, which tests set to the repository's root. Fails the test that asks
/// when something cannot be read.
const RepositorySuite& repository_suite();

}  // namespace plumb::simulator
