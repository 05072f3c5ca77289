// SPDX-License-Identifier: Apache-2.0
// Numbers as people type them on the command line: one reading for every option.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace plumb::simulator {

/// The value of decimal digits and nothing else: no sign, no blank, no prefix of a base, no zero in
/// front. None for any other text, and for what 64 bits do not hold.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// The value of "2", "1.25": decimal digits with at most one point between them, so no sign, no
/// exponent, no word. None for any other text.
std::optional<double> decimal_number(std::string_view text);

}  // namespace plumb::simulator
