// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/placeholders.h"

#include <functional>

namespace plumb::simulator {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

/// Whether the text at [at, at + size) begins and ends as a path does.
bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
  const bool begins = at == 0 || text.substr(0, at).ends_with("file://") ||
                      (!is_name_character(text[at - 1]) && text[at - 1] != '/');
  const std::size_t end = at + size;
  return begins && (end == text.size() || !is_name_character(text[end]));
}

using Fits = std::function<bool(std::string_view text, std::size_t at, std::size_t size)>;

std::string replaced(std::string_view text, std::string_view from, std::string_view to,
                     const Fits& fits) {
  std::string result;
  std::size_t done = 0;
  for (auto at = text.find(from); at != std::string_view::npos;
       at = text.find(from, at + from.size())) {
    if (!fits(text, at, from.size())) continue;
    result += text.substr(done, at - done);
    result += to;
    done = at + from.size();
  }
  result += text.substr(done);
  return result;
}

using Change = std::function<std::string(std::string_view)>;

Json changed(const Json& value, const Change& change) {
  if (value.is_string()) return change(value.get_ref<const std::string&>());
  if (value.is_array()) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(changed(item, change));
    return list;
  }
  if (!value.is_object()) return value;
  Json object = Json::object();
  for (const auto& [name, member] : value.items()) object[change(name)] = changed(member, change);
  return object;
}

}  // namespace

std::string LivePlaceholders::shown(std::string_view text) const {
  std::string result(text);
  const Fits anywhere = [](std::string_view, std::size_t, std::size_t) { return true; };
  for (const auto& [real_path, placeholder] : pairs_) {
    if (result.contains(real_path)) result = replaced(result, real_path, placeholder, anywhere);
  }
  return result;
}

Json LivePlaceholders::shown_json(const Json& value) const {
  return changed(value, [this](std::string_view text) { return shown(text); });
}

std::string LivePlaceholders::real(std::string_view text) const {
  std::string result(text);
  for (const auto& [real_path, placeholder] : pairs_) {
    if (result.contains(placeholder)) {
      result = replaced(result, placeholder, real_path, stands_alone);
    }
  }
  return result;
}

Json LivePlaceholders::real_json(const Json& value) const {
  return changed(value, [this](std::string_view text) { return real(text); });
}

}  // namespace plumb::simulator
