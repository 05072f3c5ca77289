// SPDX-License-Identifier: Apache-2.0
// JSON text and JSON values. One value type for the whole project, with member order kept, because
// the order of members on the wire decides what a provider's prompt cache can reuse. The reader is
// strict: what two readers could understand differently (duplicate keys, broken Unicode) is
// refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "engine/kernel/result.h"

namespace plumb {

/// A JSON value whose objects keep the order of their members.
/// `==` of objects counts that order; `equal_json` does not.
using Json = nlohmann::ordered_json;

/// Arrays and objects may be nested this deep, in every reader and every walk.
inline constexpr std::int64_t kJsonDepthMax = 512;

/// Reads one JSON value (RFC 8259) that fills `text`; `first_line` is the line on which `text`
/// begins. Integers that fit 64 bits stay exact; others become doubles. Errors: invalid, for text
/// that is not JSON, a key that occurs twice in an object, an unpaired surrogate, bytes that are
/// not UTF-8 or a number beyond double; exhausted, for nesting beyond kJsonDepthMax. `where` is
/// "file:line:col" ("line:col" without a file), columns in code points from 1.
Result<Json> parse_json(std::string_view text, std::string_view file = {},
                        std::int64_t first_line = 1);

/// Compact text, members in their order. Bytes that are not UTF-8 become U+FFFD; never throws.
std::string dump_json(const Json& value);

/// Text indented by two spaces. Bytes that are not UTF-8 become U+FFFD; never throws.
std::string dump_json_pretty(const Json& value);

/// Equality as JSON Schema means it: numbers by value (1 equals 1.0), objects whatever their order.
bool equal_json(const Json& left, const Json& right);

/// One token of a JSON Pointer (RFC 6901): `~` becomes `~0`, `/` becomes `~1`.
std::string pointer_escape(std::string_view token);

/// The value at a JSON Pointer: borrowed from `root`, null when there is none. "" is the root
/// itself.
const Json* find_pointer(const Json& root, std::string_view pointer);

}  // namespace plumb
