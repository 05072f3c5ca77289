// SPDX-License-Identifier: Apache-2.0
// Inside of the pattern translator: `\p{...}` in ECMAScript's strict spelling.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumb {

/// The PCRE2 escape for `\p{expression}` (or `\P` if `is_negated`), nothing when ECMAScript knows
/// no such property. Script names are left to PCRE2.
std::optional<std::string> translate_property(std::string_view expression, bool is_negated);

}  // namespace plumb
