// SPDX-License-Identifier: Apache-2.0
// References in a script's values: "$NAME" or "$NAME/pointer" as a whole text stands for a JSON
// value, "${NAME/pointer}" inside a text for its text; "$$" at the beginning is a dollar sign.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb::engine {

/// The value of a name: args, input, event, call, active, tools, last, flags,
/// signal.aborted, ctx.model, ctx.cwd, ctx.has_ui, ctx.is_idle, ctx.system_prompt,
/// ctx.entries.
using ReferenceLookup = std::function<Json(std::string_view name)>;

/// `value` with all references replaced. What a pointer does not find is null.
Json resolve_value(const Json& value, const ReferenceLookup& lookup);

/// Whether a text in the value may hold a reference: without one it resolves to itself.
bool may_refer(const Json& value);

/// Errors: invalid, with the pointer of the place, for a reference to an unknown name.
Result<void> check_references(const Json& value, const std::string& at);

/// Writes `value` at a JSON pointer, in place; missing objects on the way are made.
/// Errors: rejected, when the way leads through something else.
Result<void> set_at_pointer(Json& root, std::string_view pointer, Json value);
/// Removes the value at a pointer, if there is one.
void unset_at_pointer(Json& root, std::string_view pointer);

}  // namespace plumb::engine
