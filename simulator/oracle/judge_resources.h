// SPDX-License-Identifier: Apache-2.0
// Judges what a step about resources gave against what the row expects of it.
#pragma once

#include <string>

#include "engine/values/json.h"
#include "simulator/oracle/placeholders.h"
#include "simulator/oracle/verdict.h"

namespace plumb::simulator {

/// `expect` is null where the step must only succeed. Words of errors and diagnostics are not
/// judged: of those their kinds, paths and number.
Differences judge_resources(const Json& expect, const Result<Json>& actual, const std::string& path,
                            const Placeholders& places);

}  // namespace plumb::simulator
