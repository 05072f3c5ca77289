// SPDX-License-Identifier: Apache-2.0
// Where in a line of JSON a value or a key stands, for errors that point at it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::simulator {

/// The column (code points, from 1) of the value at `pointer` (RFC 6901) in `json`, which is valid
/// JSON; `at_key`: of the key in front of it. The column of the deepest part that is there if the
/// whole is not.
std::int64_t json_column(std::string_view json, std::string_view pointer, bool at_key);

}  // namespace plumb::simulator
