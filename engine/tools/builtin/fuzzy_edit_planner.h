// SPDX-License-Identifier: Apache-2.0
// The plan of edits in edition pi-1.6.0 (profile pi-fuzzy): a text that does not occur as it is
// written may occur in normalised form.
#pragma once

#include <span>
#include <string_view>

#include "engine/tools/builtin/edit_planner.h"

namespace plumb::engine {

/// As plan_edits, with the second search of EDIT-58..62 and the count of EDIT-63. Thread-safe.
EditPlan plan_edits_pi(std::string_view original, std::span<const TextEdit> edits);

}  // namespace plumb::engine
