// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/base64.h"

#include <cstdint>

namespace plumb::simulator {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Four characters to one to three bytes; false when they are no base64.
bool decode_group(std::string_view group, std::string& bytes) {
  const std::size_t digits = group.find_last_not_of('=') + 1;
  if (digits < 2) return false;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t value = i < digits ? kAlphabet.find(group[i]) : 0;
    if (value == std::string_view::npos) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
  }
  for (std::size_t i = 0; i + 1 < digits; ++i) {
    bytes += static_cast<char>(bits >> (16 - 8 * i) & 0xff);
  }
  return true;
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '\n' && c != ' ') digits += c;
  }
  if (digits.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t at = 0; at < digits.size(); at += 4) {
    const std::string_view group = std::string_view(digits).substr(at, 4);
    const bool may_be_padded = at + 4 == digits.size();
    if (!may_be_padded && group.contains('=')) return std::nullopt;
    if (!decode_group(group, bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace plumb::simulator
