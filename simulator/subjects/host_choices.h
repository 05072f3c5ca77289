// SPDX-License-Identifier: Apache-2.0
// What the host decided before a session starts, as the checks need it.
#pragma once

#include "engine/values/json.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// {workspace, settings, tools, prompt, subscriptions}: the data of the step `start`.
Json host_choices(const Scenario& scenario);

}  // namespace plumb::simulator
