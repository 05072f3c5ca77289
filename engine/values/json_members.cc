// SPDX-License-Identifier: Apache-2.0
#include "engine/values/json_members.h"

#include <algorithm>

namespace plumb {
namespace {

const Json& none() {
  static const Json kNone;
  return kNone;
}

}  // namespace

/// Straight through the members: the library's iterators take several times as long, and checks
/// ask for members all the time.
const Json& at(const Json& object, std::string_view key) {
  const auto* members = object.get_ptr<const Json::object_t*>();
  if (members == nullptr) return none();
  for (const auto& [name, value] : *members) {
    if (name == key) return value;
  }
  return none();
}

std::string text_at(const Json& object, std::string_view key) {
  return std::string(view_at(object, key));
}

std::string_view view_at(const Json& object, std::string_view key) {
  const auto* text = at(object, key).get_ptr<const std::string*>();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

bool is_same_json(const Json& left, const Json& right) {
  if (left.type() != right.type()) return false;
  if (const auto* members = left.get_ptr<const Json::object_t*>()) {
    return std::ranges::equal(
        *members, right.get_ref<const Json::object_t&>(), [](const auto& one, const auto& other) {
          return one.first == other.first && is_same_json(one.second, other.second);
        });
  }
  if (const auto* values = left.get_ptr<const Json::array_t*>()) {
    return std::ranges::equal(*values, right.get_ref<const Json::array_t&>(), is_same_json);
  }
  // Of floating-point numbers, zeros and others that are equal may be written differently.
  return left.is_number_float() ? dump_json(left) == dump_json(right) : left == right;
}

}  // namespace plumb
