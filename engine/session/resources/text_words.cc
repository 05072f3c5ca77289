// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/text_words.h"

#include <algorithm>

#include "engine/values/utf8.h"

namespace plumb::engine {
namespace {

struct Step {
  std::int64_t bytes = 1;
  std::int64_t units = 1;
};

Step step_at(std::string_view text, std::int64_t offset) {
  const CodePoint point = decode_utf8(text, offset);
  return {std::max<std::int64_t>(point.length, 1), point.value > 0xFFFF ? 2 : 1};
}

}  // namespace

bool is_white_space(char32_t letter) {
  const bool is_ascii = letter == ' ' || (letter >= '\t' && letter <= '\r');
  const bool is_run = letter >= 0x2000 && letter <= 0x200A;
  return is_ascii || is_run || letter == 0xA0 || letter == 0x1680 || letter == 0x2028 ||
         letter == 0x2029 || letter == 0x202F || letter == 0x205F || letter == 0x3000 ||
         letter == 0xFEFF;
}

std::int64_t white_space_at(std::string_view text, std::int64_t offset) {
  if (offset >= std::ssize(text)) return 0;
  const CodePoint point = decode_utf8(text, offset);
  return point.length > 0 && is_white_space(point.value) ? point.length : 0;
}

std::string trimmed_words(std::string_view text) {
  std::int64_t begin = 0;
  while (const auto blank = white_space_at(text, begin)) begin += blank;
  std::int64_t end = begin;
  for (std::int64_t at = begin; at < std::ssize(text);) {
    const auto blank = white_space_at(text, at);
    at += blank > 0 ? blank : step_at(text, at).bytes;
    if (blank == 0) end = at;
  }
  return std::string(
      text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
}

std::int64_t utf16_length(std::string_view text) {
  std::int64_t units = 0;
  for (std::int64_t at = 0; at < std::ssize(text);) {
    const Step step = step_at(text, at);
    units += step.units;
    at += step.bytes;
  }
  return units;
}

std::string_view utf16_prefix(std::string_view text, std::int64_t units) {
  std::int64_t at = 0;
  while (at < std::ssize(text)) {
    const Step step = step_at(text, at);
    units -= step.units;
    if (units < 0) break;
    at += step.bytes;
  }
  return text.substr(0, static_cast<std::size_t>(at));
}

}  // namespace plumb::engine
