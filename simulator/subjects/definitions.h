// SPDX-License-Identifier: Apache-2.0
// Scripted tools and extensions, compiled without a run: what a run would refuse is refused when a
// scenario is read.
#pragma once

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb::simulator {

/// A DefinitionCheck. Errors: those of the interpreter, `where` as a JSON Pointer.
Result<void> compile_definition(const Json& definition, bool is_tool);

}  // namespace plumb::simulator
