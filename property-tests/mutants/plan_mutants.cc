// SPDX-License-Identifier: Apache-2.0
#include "property-tests/mutants/plan_mutants.h"

#include <span>
#include <utility>

namespace plumb::simulator {

Mutant planner_mutant(std::string name, std::string rule, std::string change, Planner planner) {
  return policy_mutant(std::move(name), std::move(rule), std::move(change),
                       [planner](engine::Policies& policies) {
                         policies.plan_edits = [planner](std::string_view original,
                                                         std::span<const engine::TextEdit> edits) {
                           return planner(original, PlannedEdits(edits.begin(), edits.end()));
                         };
                       });
}

engine::EditPlan plan_of(std::string_view original, std::string changed) {
  engine::EditPlan plan;
  plan.before = original;
  plan.after = changed;
  plan.bytes = std::move(changed);
  return plan;
}

}  // namespace plumb::simulator
