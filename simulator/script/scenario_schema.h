// SPDX-License-Identifier: Apache-2.0
// The published schemas of scenarios and rules (scenarios/*.schema.json), built into the program.
#pragma once

#include "engine/values/json.h"

namespace plumb::simulator {

const Json& scenario_schema();
const Json& rules_schema();

}  // namespace plumb::simulator
