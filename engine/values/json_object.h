// SPDX-License-Identifier: Apache-2.0
// Objects made in place. An initializer list of pairs builds an array for every pair first, four
// times the cost: too much for what is made for every message and event.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "engine/values/json.h"

namespace plumb {

inline void add_members(Json::object_t& /*object*/) {}

template <class Value, class... Rest>
void add_members(Json::object_t& object, const char* key, Value&& value, Rest&&... rest) {
  object.emplace_back(key, std::forward<Value>(value));
  add_members(object, std::forward<Rest>(rest)...);
}

/// An empty object to which so many members can be added without moving the others.
inline Json object_with_room(std::size_t member_count) {
  Json json(Json::value_t::object);
  json.get_ref<Json::object_t&>().reserve(member_count);
  return json;
}

/// `json_object("type", "text", "text", text)`: keys and values in turn, the keys all different.
template <class... KeysAndValues>
Json json_object(KeysAndValues&&... members) {
  static_assert(sizeof...(members) % 2 == 0, "a key without a value");
  Json json = object_with_room(sizeof...(members) / 2);
  add_members(json.get_ref<Json::object_t&>(), std::forward<KeysAndValues>(members)...);
  return json;
}

}  // namespace plumb
