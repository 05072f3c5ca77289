// SPDX-License-Identifier: Apache-2.0
// Tampers: edits of a green trace that break one rule. They prove that a check can fail, and are
// its failing example.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/trace/pattern.h"
#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

/// One edit: drop, duplicate (right behind), move (before or after another event) or set a field of
/// the event that `what` names.
struct TamperEdit {
  enum class Action : std::uint8_t { drop, duplicate, move, set };
  Action action = Action::drop;
  EventPattern what;
  EventPattern where;  ///< move only.
  bool is_before = false;
  std::string field;  ///< set only: JSON Pointer into the event's JSON form.
  Json value;
};

/// A file of scenarios/rules/DOMAIN/: {rule, scenario, tamper: [...], also?: [rules]}.
struct Tamper {
  std::string rule;
  std::string scenario;  ///< Path of the scenario file.
  std::vector<TamperEdit> edits;
  std::vector<std::string> also;
  std::string file;
};

Checked<Tamper> parse_tamper(std::string_view text, const std::string& file);
/// Every *.yaml in the folders of `rules_folder`, sorted by path. Errors: all that were found.
Checked<std::vector<Tamper>> load_tampers(const std::string& rules_folder);

/// Edits a copy; seq, cause and base follow the events that they name. Errors: not_found, for an
/// event that is not in the trace; invalid, for a field that cannot hold the value.
Result<Trace> apply_tamper(const Trace& trace, const Tamper& tamper);

/// Plays the tamper's scenario, edits its trace and judges it. Errors: the scenario is not among
/// `scenarios`, or apply_tamper's.
Result<MutantOutcome> run_tamper(const Tamper& tamper, std::span<const Scenario> scenarios,
                                 const invariants::Catalogue& facts);

}  // namespace plumb::simulator
