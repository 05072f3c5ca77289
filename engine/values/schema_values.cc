// SPDX-License-Identifier: Apache-2.0
#include "engine/values/schema_values.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/values/canonical_json.h"
#include "engine/values/schema_program.h"

namespace plumb {

std::uint8_t types_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return kSchemaNull;
    case Json::value_t::boolean:
      return kSchemaBoolean;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return kSchemaInteger | kSchemaNumber;
    case Json::value_t::number_float: {
      const auto number = value.get<double>();
      return number == std::floor(number) ? kSchemaInteger | kSchemaNumber : kSchemaNumber;
    }
    case Json::value_t::string:
      return kSchemaString;
    case Json::value_t::array:
      return kSchemaArray;
    case Json::value_t::object:
      return kSchemaObject;
    default:
      return 0;
  }
}

// 19.99 is a multiple of 0.01 although no double says so exactly; whole numbers are compared
// exactly.
bool is_multiple(double number, double divisor) {
  const double quotient = number / divisor;
  const bool is_whole = number == std::floor(number) && divisor == std::floor(divisor);
  if (is_whole || std::isinf(quotient)) return std::fmod(number, divisor) == 0;
  const double distance = std::fabs(quotient - std::round(quotient));
  return distance <= 1e-9 * std::max(1.0, std::fabs(quotient)) && distance < 1e-6;
}

// Long lists are compared by canonical text, for comparing all pairs would take their square.
bool has_equal_elements(const Json& array) {
  std::vector<std::pair<std::string, const Json*>> elements;
  for (const Json& element : array) {
    elements.emplace_back(canonical_json(element).value_or(std::string()), &element);
  }
  const auto text = [](const auto& element) -> const std::string& { return element.first; };
  std::ranges::sort(elements, {}, text);
  const auto equal = [](const auto& left, const auto& right) {
    return left.first == right.first && equal_json(*left.second, *right.second);
  };
  return std::ranges::adjacent_find(elements, equal) != elements.end();
}

std::string type_names(std::uint8_t types) {
  constexpr std::pair<std::uint8_t, std::string_view> kNames[] = {
      {kSchemaNull, "null"},     {kSchemaBoolean, "boolean"}, {kSchemaInteger, "integer"},
      {kSchemaNumber, "number"}, {kSchemaString, "string"},   {kSchemaArray, "array"},
      {kSchemaObject, "object"}};
  std::string names;
  for (const auto& [bit, name] : kNames) {
    if ((types & bit) == 0) continue;
    names += (names.empty() ? "" : " or ") + std::string(name);
  }
  return names.empty() ? "a type that JSON does not have" : names;
}

std::string list_values(const Json& values) {
  std::string text;
  for (const Json& value : values) text += (text.empty() ? "" : ", ") + dump_json(value);
  return text;
}

}  // namespace plumb
