// SPDX-License-Identifier: Apache-2.0
#include "engine/values/json.h"

#include <algorithm>
#include <optional>

namespace plumb {

namespace {

using Members = Json::object_t;

/// Mostly they stand in the same order.
bool equal_members(const Members& left, const Members& right) {
  auto expected = right.begin();
  for (const auto& [key, value] : left) {
    auto found = expected++;
    if (found->first != key) found = std::ranges::find(right, key, &Members::value_type::first);
    if (found == right.end() || !equal_json(value, found->second)) return false;
  }
  return true;
}

std::string pointer_unescape(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    out += is_escape ? (token[++i] == '1' ? '/' : '~') : token[i];
  }
  return out;
}

// RFC 6901: digits only, no leading zero.
std::optional<std::size_t> pointer_index(std::string_view token) {
  if (token.empty() || token.size() > 18 || (token.size() > 1 && token[0] == '0')) return {};
  std::size_t index = 0;
  for (const char c : token) {
    if (c < '0' || c > '9') return {};
    index = index * 10 + static_cast<std::size_t>(c - '0');
  }
  return index;
}

const Json* pointer_step(const Json& value, std::string_view token) {
  if (value.is_object()) {
    const auto found = value.find(pointer_unescape(token));
    return found == value.end() ? nullptr : &*found;
  }
  if (!value.is_array()) return nullptr;
  const auto index = pointer_index(token);
  return index && *index < value.size() ? &value[*index] : nullptr;
}

}  // namespace

std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string dump_json_pretty(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace);
}

bool equal_json(const Json& left, const Json& right) {
  if (left.is_number() && right.is_number()) return left == right;
  if (left.type() != right.type()) return false;
  if (const auto* text = left.get_ptr<const std::string*>()) {
    return *text == right.get_ref<const std::string&>();
  }
  if (const auto* members = left.get_ptr<const Members*>()) {
    const auto& others = right.get_ref<const Members&>();
    return members->size() == others.size() && equal_members(*members, others);
  }
  if (const auto* values = left.get_ptr<const Json::array_t*>()) {
    return std::ranges::equal(*values, right.get_ref<const Json::array_t&>(), equal_json);
  }
  return left == right;
}

std::string pointer_escape(std::string_view token) {
  std::string out;
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

const Json* find_pointer(const Json& root, std::string_view pointer) {
  const Json* value = &root;
  while (value != nullptr && !pointer.empty()) {
    if (pointer.front() != '/') return nullptr;
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    value = pointer_step(*value, token);
    pointer.remove_prefix(token.size());
  }
  return value;
}

}  // namespace plumb
