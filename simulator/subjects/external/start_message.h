// SPDX-License-Identifier: Apache-2.0
// What an adapter is told of a scenario, and what it must be able to do for it.
#pragma once

#include <string>
#include <vector>

#include "engine/values/json.h"
#include "simulator/script/scenario.h"
#include "simulator/subjects/external/adapter_message.h"

namespace plumb::simulator {

/// The scenario's own settings in the words of scenario.schema.json, without those that are at
/// their default and without the model.
Json settings_json(const Settings& settings);

/// {active?, allow?, exclude?, sdk?}.
Json tools_json(const ToolSettings& tools);

/// {type: step, step, ...} of a step that the adapter carries out, without its id; null for the
/// harness's own (write, wait, crash) and for replies of the model.
Json step_json(const Step& step);

/// The parts of `start` that the scenario states: "settings.system", "tools.sdk", "extensions".
std::vector<std::string> parts_of(const Scenario& scenario);

/// What a real clock, real files and real processes cannot give: the reason why the scenario says
/// nothing of a live subject, or "".
std::string reason_against_live(const Scenario& scenario);

/// Why this subject cannot be asked to play the scenario, or "".
std::string reason_against_subject(const Scenario& scenario, const AdapterHello& hello);

}  // namespace plumb::simulator
