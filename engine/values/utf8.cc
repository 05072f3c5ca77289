// SPDX-License-Identifier: Apache-2.0
#include "engine/values/utf8.h"

#include <algorithm>
#include <cstring>

namespace plumb {

namespace {

unsigned char utf8_byte(std::string_view text, std::int64_t offset) {
  const auto index = static_cast<std::size_t>(offset);
  return index < text.size() ? static_cast<unsigned char>(text[index]) : 0;
}

std::int64_t utf8_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// The smallest value that needs `length` bytes: anything below is an overlong form.
bool is_scalar(char32_t value, std::int64_t length) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value >= kSmallest[length] && value <= 0x10FFFF && !is_surrogate;
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::int64_t offset) {
  const unsigned char first = utf8_byte(text, offset);
  const std::int64_t length = utf8_length(first);
  if (length <= 1) return {first, length};
  char32_t value = first & (0xFFU >> (length + 1));
  for (std::int64_t i = 1; i < length; ++i) {
    const unsigned char next = utf8_byte(text, offset + i);
    if ((next & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (next & 0x3FU);
  }
  return is_scalar(value, length) ? CodePoint{value, length} : CodePoint{};
}

void append_utf8(std::string& text, char32_t code_point) {
  const auto put = [&text](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) return put(code_point);
  if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
  } else {
    put(0xF0U | (code_point >> 18U));
    put(0x80U | ((code_point >> 12U) & 0x3FU));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
  }
  put(0x80U | (code_point & 0x3FU));
}

namespace {

/// So long that compilers look at many bytes of it at once.
constexpr std::int64_t kAsciiBlock = 64;

bool is_ascii_block(const char* bytes) {
  unsigned char all = 0;
  for (std::int64_t i = 0; i < kAsciiBlock; ++i) all |= static_cast<unsigned char>(bytes[i]);
  return all < 0x80;
}

/// Where whole blocks, then whole words of ASCII that begin at `offset` end.
std::int64_t skip_ascii(std::string_view text, std::int64_t offset) {
  constexpr std::int64_t kWord = sizeof(std::uint64_t);
  const std::int64_t size = std::ssize(text);
  while (offset + kAsciiBlock <= size && is_ascii_block(text.data() + offset)) {
    offset += kAsciiBlock;
  }
  for (; offset + kWord <= size; offset += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + offset, sizeof word);
    if ((word & 0x8080808080808080U) != 0) break;
  }
  return offset;
}

}  // namespace

std::int64_t find_invalid_utf8(std::string_view text) {
  const auto size = static_cast<std::int64_t>(text.size());
  std::int64_t offset = 0;
  for (offset = skip_ascii(text, offset); offset < size; offset = skip_ascii(text, offset)) {
    const std::int64_t length = decode_utf8(text, offset).length;
    if (length == 0) return offset;
    offset += length;
  }
  return -1;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::int64_t count_code_points(std::string_view text) {
  return std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; });
}

}  // namespace plumb
