// SPDX-License-Identifier: Apache-2.0
// Inside of the JSON Schema validator: questions about values, and how messages name them.
#pragma once

#include <cstdint>
#include <string>

#include "engine/values/json.h"

namespace plumb {

/// The types of a value as a set of bits (kSchemaNull, ...); an integer, 1.0 included, has two.
std::uint8_t types_of(const Json& value);

/// Whether `number` is a multiple of `divisor`: exactly for whole numbers, else within rounding,
/// for no double says exactly that 19.99 is a multiple of 0.01.
bool is_multiple(double number, double divisor);

bool has_equal_elements(const Json& array);

/// "string or null" for a set of such bits.
std::string type_names(std::uint8_t types);

/// The elements of an array as JSON, separated by commas.
std::string list_values(const Json& values);

}  // namespace plumb
