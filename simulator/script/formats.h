// SPDX-License-Identifier: Apache-2.0
// The text formats that the schemas name.
#pragma once

#include <string>
#include <string_view>

#include "simulator/script/catalogue.h"

namespace plumb::simulator {

/// What is wrong with a text of `format`, or "". `catalogue` may be null: rule ids are then not
/// looked up. A format that this project does not define is a bug.
std::string check_format(std::string_view format, const std::string& text,
                         const Catalogue* catalogue);

}  // namespace plumb::simulator
