// SPDX-License-Identifier: Apache-2.0
#include "engine/values/json_members.h"

namespace plumb {

const Json& at(const Json& object, std::string_view key) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}

std::string text_at(const Json& object, std::string_view key) {
  return std::string(view_at(object, key));
}

std::string_view view_at(const Json& object, std::string_view key) {
  const Json& value = at(object, key);
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>())
                           : std::string_view();
}

}  // namespace plumb
