// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/values/json.h"

namespace plumb::simulator {

/// JSON pointer of the first member in which two values differ, member order counted; "" when they
/// differ as a whole. An object whose keys differ, or stand in another order, is named itself.
std::string first_difference(const Json& left, const Json& right);

}  // namespace plumb::simulator
