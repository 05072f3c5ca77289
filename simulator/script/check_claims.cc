// SPDX-License-Identifier: Apache-2.0
// Patterns of calls that the model never makes, and expectations that hold whatever happens.
#include <variant>

#include "simulator/script/parse.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// Every event pattern of the scenario.
std::vector<const Trigger*> patterns_of(const Scenario& scenario) {
  std::vector<const Trigger*> patterns;
  const auto add = [&patterns](const Trigger& trigger) {
    if (!trigger.text.empty()) patterns.push_back(&trigger);
  };
  for (const auto& fault : scenario.faults) add(fault.until);
  for (const auto& step : scenario.steps) {
    std::visit(
        [&add](const auto& action) {
          if constexpr (requires { action.when; }) add(action.when);
          if constexpr (requires { action.until; }) add(action.until);
        },
        step.action);
  }
  if (scenario.variants) {
    for (const auto& pattern : scenario.variants->crash_at) add(pattern);
  }
  for (const auto& expected : scenario.expect.events) {
    for (const auto& pattern : expected.patterns) add(pattern);
  }
  return patterns;
}

void check_calls_of_patterns(const Scenario& scenario, const NamedPlaces& calls,
                             ErrorList& errors) {
  for (const Trigger* trigger : patterns_of(scenario)) {
    for (const auto& field : trigger->pattern.fields) {
      if (field.path != "call" || calls.contains(outermost(field.text))) continue;
      errors.add(trigger->place, "event of unknown call " + in_quotes(field.text) +
                                     advice(field.text, names_of(calls)));
    }
  }
}

/// Neither a skill nor a tool can block a call (EXT-21): where there is no extension, nobody does.
void check_gates(const Scenario& scenario, ErrorList& errors) {
  if (scenario.engine != "session" || !scenario.extensions.empty()) return;
  for (const auto& result : scenario.expect.results) {
    if (result.cause != "blocked") continue;
    errors.add(result.place, "call " + in_quotes(result.call) +
                                 " is expected to be blocked, which only an extension can do");
  }
}

}  // namespace

void check_claims(const Scenario& scenario, const NamedPlaces& calls, ErrorList& errors) {
  check_calls_of_patterns(scenario, calls, errors);
  check_gates(scenario, errors);
}

}  // namespace plumb::simulator
