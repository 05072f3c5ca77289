// SPDX-License-Identifier: Apache-2.0
// The plain functions of the tools that rows call by name.
#pragma once

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb::simulator {

/// The value of truncateHead, truncateTail, truncateLine or formatSize. Errors: invalid, for
/// content or options of another type.
Result<Json> call_plain_function(const Json& args);

}  // namespace plumb::simulator
