// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/compare.h"

#include "simulator/oracle/texts.h"

namespace plumb::simulator {
namespace {

bool is_equal_leaf(const Json& expected, const Json& actual, const Placeholders& places) {
  if (expected == "number" && actual.is_number()) return true;
  if (expected.is_string() && actual.is_string()) {
    return matches_text(expected.get_ref<const std::string&>(),
                        actual.get_ref<const std::string&>(), places);
  }
  return equal_json(expected, actual);
}

Differences compare_members(const Json& expected, const Json& actual, const std::string& path,
                            const Placeholders& places) {
  Differences found;
  for (const auto& [key, value] : expected.items()) {
    const auto member = actual.find(key);
    const std::string place = path + "/" + pointer_escape(key);
    if (member == actual.end()) {
      found.push_back({place, shown(value), "nothing"});
    } else {
      append(found, compare_partly(value, *member, place, places));
    }
  }
  return found;
}

}  // namespace

bool is_digest(const Json& value) {
  return value.is_object() && value.value("long", Json()) == Json(true);
}

Differences compare_partly(const Json& expected, const Json& actual, const std::string& path,
                           const Placeholders& places) {
  Differences found;
  if (is_digest(expected) && actual.is_string()) {
    return compare_digest(expected, actual.get_ref<const std::string&>(), path);
  }
  if (expected.is_object() && actual.is_object()) {
    return compare_members(expected, actual, path, places);
  }
  const bool is_list = expected.is_array() && actual.is_array();
  if (is_list && expected.size() == actual.size()) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      append(found, compare_partly(expected[i], actual[i], path + "/" + std::to_string(i), places));
    }
  } else if (!is_equal_leaf(expected, actual, places)) {
    found.push_back({path, shown(expected), shown(actual)});
  }
  return found;
}

}  // namespace plumb::simulator
