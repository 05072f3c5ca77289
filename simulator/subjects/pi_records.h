// SPDX-License-Identifier: Apache-2.0
// What the records of pi's RPC output must hold. A stream that was damaged or is of something else
// is refused where it goes wrong, before a rule can blame an engine for it.
#pragma once

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb::simulator {

/// Errors: invalid, without a place: no object with 'type', a type that pi does not have (with the
/// nearest one), a member that is missing or of the wrong type.
Result<void> check_pi_record(const Json& record);

}  // namespace plumb::simulator
