// SPDX-License-Identifier: Apache-2.0
// What a scenario itself expects (`expect:`), checked on the trace alone, as the rules are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/trace/trace.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// An expectation that the trace does not meet. `place`: of the expectation in the scenario;
/// `event_seq`: the event that shows it, or -1.
struct Unmet {
  Place place;
  std::string message;
  std::string expected;
  std::string actual;
  std::int64_t event_seq = -1;
  bool operator==(const Unmet&) const = default;
};

/// All expectations that fail, of those that the trace could show at all (`emits`), in the order:
/// files, results, requests, events, errors of the fake model, the end of the run.
std::vector<Unmet> unmet_expectations(const Scenario& stated, const Trace& trace);

}  // namespace plumb::simulator
