// SPDX-License-Identifier: Apache-2.0
// Reading members of JSON that somebody else wrote: what is missing or of another type is null or
// empty, never an exception. And a comparison to the letter.
#pragma once

#include <string>
#include <string_view>

#include "engine/values/json.h"

namespace plumb {

/// The member of that name; null when there is none or `object` is no object.
const Json& at(const Json& object, std::string_view key);

/// The text of a member; "" when there is none or it is no string.
std::string text_at(const Json& object, std::string_view key);

/// As text_at, without a copy: lives as long as the member does.
std::string_view view_at(const Json& object, std::string_view key);

/// Whether both have the same text: unlike equal_json, types of numbers and the order of members
/// count.
bool is_same_json(const Json& left, const Json& right);

}  // namespace plumb
