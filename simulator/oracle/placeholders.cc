// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/placeholders.h"

#include <algorithm>
#include <utility>

namespace plumb::simulator {
namespace {

constexpr std::string_view kHex16 = "<HEX16>";
constexpr std::size_t kHexDigits = 16;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); !from.empty() && at != text.npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Takes "NAME-" of the engine's choice and 16 hex digits off `actual`.
bool take_random_name(std::string_view& actual) {
  std::size_t at = 0;
  while (at < actual.size() && actual[at] != '/' && actual[at] != '\n') {
    const auto digits = actual.substr(at, kHexDigits);
    if (digits.size() == kHexDigits && std::ranges::all_of(digits, is_hex)) {
      actual.remove_prefix(at + kHexDigits);
      return true;
    }
    ++at;
  }
  return false;
}

}  // namespace

std::string filled(std::string text, const Placeholders& places) {
  replace_all(text, "<ROOT>", places.root);
  replace_all(text, "<CWD>", places.cwd);
  replace_all(text, "<TMP>", places.scratch);
  return text;
}

Json filled(Json value, const Placeholders& places) {
  if (value.is_string()) return filled(value.get<std::string>(), places);
  if (value.is_structured()) {
    for (auto& part : value) part = filled(std::move(part), places);
  }
  return value;
}

std::string with_names(std::string text, const Placeholders& places) {
  replace_all(text, places.cwd, "<CWD>");
  replace_all(text, places.root, "<ROOT>");
  replace_all(text, places.scratch, "<TMP>");
  return text;
}

bool matches_text(std::string_view expected, std::string_view actual, const Placeholders& places) {
  const std::string wanted = filled(std::string(expected), places);
  std::string_view left = wanted;
  for (auto at = left.find(kHex16); at != left.npos; at = left.find(kHex16)) {
    const auto name = left.substr(0, at);
    const auto literal = name.substr(0, name.rfind('/') + 1);
    if (!actual.starts_with(literal)) return false;
    actual.remove_prefix(literal.size());
    if (!take_random_name(actual)) return false;
    left.remove_prefix(at + kHex16.size());
  }
  return actual == left;
}

}  // namespace plumb::simulator
