// SPDX-License-Identifier: Apache-2.0
// Canonical JSON (RFC 8785, JCS): one text for each value, so that a hash of it names the value.
#pragma once

#include <cstdint>
#include <string>

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb {

/// What happens to an integer beyond 2^53-1 in magnitude, which shares its canonical text with
/// others.
enum class LargeIntegers : std::uint8_t {
  as_double,  ///< As RFC 8785 reads it: the nearest double.
  refuse,     ///< For approval hashes (APPR-23).
};

/// The canonical text: no white space, members sorted by UTF-16 code units, ECMAScript numbers.
/// A number that was written with a fraction or an exponent, or that has more than 64 bits, is a
/// double already and is never refused for its size. Errors: rejected, for NaN, infinities, text
/// that is not UTF-8, a key that occurs twice and, if asked, large integers; exhausted, for nesting
/// beyond kJsonDepthMax. `where` is the JSON Pointer of the value. Source: APPR-22, APPR-23,
/// APPR-24.
Result<std::string> canonical_json(const Json& value,
                                   LargeIntegers large_integers = LargeIntegers::as_double);

/// A finite double as ECMAScript's Number::toString prints it: the shortest text that reads back
/// equal.
std::string ecmascript_number(double value);

}  // namespace plumb
