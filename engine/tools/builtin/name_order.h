// SPDX-License-Identifier: Apache-2.0
// The order in which people look for names (LS-01).
#pragma once

#include <string>
#include <vector>

namespace plumb::engine {

/// Signs, then digits, then letters, without regard to case; marks on letters count where all
/// else is equal. Names that are then still equal stand in the order of their bytes.
std::vector<std::string> in_name_order(std::vector<std::string> names);

}  // namespace plumb::engine
