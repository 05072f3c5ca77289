// SPDX-License-Identifier: Apache-2.0
// Steps about texts alone: templates, the list of skills, the sections of a prompt.
#pragma once

#include <string_view>

#include "engine/values/json.h"

namespace plumb::simulator {

/// What skills.prompt, prompt.sections and template.* give. Errors: those of the function;
/// protocol, for another operation.
Result<Json> run_plain_text(std::string_view op, const Json& args);

}  // namespace plumb::simulator
