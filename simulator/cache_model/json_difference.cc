// SPDX-License-Identifier: Apache-2.0
#include "simulator/cache_model/json_difference.h"

#include <algorithm>
#include <cstddef>

namespace plumb::simulator {
namespace {

bool have_equal_keys(const Json& left, const Json& right) {
  const auto& a = left.get_ref<const Json::object_t&>();
  const auto& b = right.get_ref<const Json::object_t&>();
  return std::ranges::equal(
      a, b, {}, [](const auto& one) { return one.first; },
      [](const auto& one) { return one.first; });
}

std::string in_member(const Json& left, const Json& right) {
  if (!have_equal_keys(left, right)) return "";
  for (auto a = left.begin(), b = right.begin(); a != left.end(); ++a, ++b) {
    if (*a == *b) continue;
    return "/" + pointer_escape(a.key()) + first_difference(*a, *b);
  }
  return "";
}

std::string in_element(const Json& left, const Json& right) {
  const std::size_t shared = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (left[i] != right[i]) return "/" + std::to_string(i) + first_difference(left[i], right[i]);
  }
  return left.size() == right.size() ? "" : "/" + std::to_string(shared);
}

}  // namespace

std::string first_difference(const Json& left, const Json& right) {
  if (left.is_object() && right.is_object()) return in_member(left, right);
  if (left.is_array() && right.is_array()) return in_element(left, right);
  return "";
}

}  // namespace plumb::simulator
