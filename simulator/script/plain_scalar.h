// SPDX-License-Identifier: Apache-2.0
// The core schema of YAML 1.2 for scalars without quotes.
#pragma once

#include <string_view>

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb::simulator {

/// null, true, false, a number, or else the text itself. Integers beyond 64 bits become doubles.
/// Errors: invalid, for .inf and .nan and a number beyond double, which JSON does not have.
Result<Json> resolve_plain_scalar(std::string_view text);

}  // namespace plumb::simulator
