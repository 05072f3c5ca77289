// SPDX-License-Identifier: Apache-2.0
// Judges the content blocks of a call.
#pragma once

#include <string>

#include "simulator/oracle/judge_call.h"

namespace plumb::simulator {

/// The blocks of `expect["content"]` against those of the call: as many, of the same kinds. What a
/// file or a command gave is compared to the letter; the engine's own sentences only by the numbers
/// that they must carry.
Differences judge_content(const Json& expect, const CallRecord& call, const std::string& path,
                          const JudgeContext& context);

}  // namespace plumb::simulator
