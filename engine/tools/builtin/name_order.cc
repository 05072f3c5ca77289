// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/name_order.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <utility>

#include <utf8proc.h>

#include "engine/values/utf8.h"

namespace plumb::engine {
namespace {

// The signs of ASCII in the order of the Unicode collation.
constexpr std::string_view kSigns = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// Lower case without composed characters; the bytes themselves if they are not UTF-8.
std::string plain_form(std::string_view name) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD);
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
                                   static_cast<utf8proc_ssize_t>(name.size()), &mapped, options);
  if (length < 0) return std::string(name);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  return std::string(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
}

bool is_mark(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME;
}

bool is_letter_or_digit(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
         (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO);
}

/// Signs of ASCII, other signs, digits and letters.
std::pair<int, char32_t> weight_of(char32_t c) {
  if (c < 0x80) {
    const auto sign = kSigns.find(static_cast<char>(c));
    if (sign != std::string_view::npos) return {0, static_cast<char32_t>(sign)};
  }
  return {is_letter_or_digit(c) ? 2 : 1, c};
}

struct NameKey {
  std::vector<std::pair<int, char32_t>> weights;
  std::u32string marks;
  std::string name;
};

NameKey key_of(std::string name) {
  NameKey key;
  const std::string plain = plain_form(name);
  for (std::int64_t at = 0; at < std::ssize(plain);) {
    const CodePoint point = decode_utf8(plain, at);
    const auto byte = static_cast<unsigned char>(plain[static_cast<std::size_t>(at)]);
    const char32_t c = point.length == 0 ? byte : point.value;
    if (is_mark(c)) {
      key.marks += static_cast<char32_t>(key.weights.size());
      key.marks += c;
    } else {
      key.weights.push_back(weight_of(c));
    }
    at += std::max<std::int64_t>(point.length, 1);
  }
  key.name = std::move(name);
  return key;
}

bool key_comes_before(const NameKey& left, const NameKey& right) {
  return std::tie(left.weights, left.marks, left.name) <
         std::tie(right.weights, right.marks, right.name);
}

}  // namespace

std::vector<std::string> in_name_order(std::vector<std::string> names) {
  std::vector<NameKey> keys;
  keys.reserve(names.size());
  for (auto& name : names) keys.push_back(key_of(std::move(name)));
  std::ranges::sort(keys, key_comes_before);
  std::vector<std::string> ordered;
  ordered.reserve(keys.size());
  for (auto& key : keys) ordered.push_back(std::move(key.name));
  return ordered;
}

}  // namespace plumb::engine
