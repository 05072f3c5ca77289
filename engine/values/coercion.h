// SPDX-License-Identifier: Apache-2.0
// Coercion of a model's arguments before they are checked, in the seed edition: only where the
// meaning stays the same. Models write "10" for 10 and null for "not given"; turning null into the
// text "null" instead has destroyed files.
#pragma once

#include <cstdint>

#include "engine/values/json.h"
#include "engine/values/json_schema.h"

namespace plumb {

/// Schemas that one coercion may look into; beyond it the rest of the value stays as it is.
inline constexpr std::int64_t kCoercionStepsMax = 10'000;

/// A copy of `arguments`, changed only where it does not fit `schema`: a numeric string becomes a
/// number, "true" and "false" a boolean, a single value (not null) a one-element array, and null of
/// an optional property is dropped. Nothing ever becomes a string. The result may still not fit.
/// Numeric strings are those of JSON's number grammar; an integer must be whole. In a union the
/// first alternative that fits after coercion decides. Source: PIPE-30.
Json coerce_arguments(const Json& arguments, const JsonSchema& schema);

/// The same for a schema that is not compiled; an unusable schema changes nothing.
Json coerce_arguments(const Json& arguments, const Json& schema);

}  // namespace plumb
