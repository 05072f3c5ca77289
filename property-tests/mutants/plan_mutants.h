// SPDX-License-Identifier: Apache-2.0
// Mutants of the decision how edits are planned.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tools/builtin/edit_planner.h"
#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

using PlannedEdits = std::vector<engine::TextEdit>;
using Planner = std::function<engine::EditPlan(std::string_view original, PlannedEdits edits)>;

/// A mutant whose edits are planned by `planner`.
Mutant planner_mutant(std::string name, std::string rule, std::string change, Planner planner);

/// The plan that makes `changed` of `original`.
engine::EditPlan plan_of(std::string_view original, std::string changed);

}  // namespace plumb::simulator
