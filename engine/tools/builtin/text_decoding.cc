// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/text_decoding.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/values/utf8.h"

namespace plumb::engine {
namespace {

/// Whether `next` may follow `lead` as the second byte of a character.
bool is_second_byte(unsigned char lead, unsigned char next) {
  if (lead == 0xE0) return next >= 0xA0 && next <= 0xBF;
  if (lead == 0xED) return next >= 0x80 && next <= 0x9F;
  if (lead == 0xF0) return next >= 0x90 && next <= 0xBF;
  if (lead == 0xF4) return next >= 0x80 && next <= 0x8F;
  return lead >= 0xE1 && lead <= 0xF3 && (next & 0xC0U) == 0x80U;
}

/// How many bytes at `at`, which begin no character, one U+FFFD stands for: the beginning of a
/// character as far as it goes, as web decoders count.
std::int64_t broken_length(std::string_view bytes, std::int64_t at) {
  const auto byte = [&](std::int64_t i) {
    return i < std::ssize(bytes) ? static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)])
                                 : static_cast<unsigned char>(0);
  };
  if (!is_second_byte(byte(at), byte(at + 1))) return 1;
  const bool has_third = byte(at) >= 0xF0 && (byte(at + 2) & 0xC0U) == 0x80U;
  return has_third ? 3 : 2;
}

/// How many bytes at the end of `bytes` begin a character that is not complete.
std::int64_t unfinished_length(std::string_view bytes) {
  const std::int64_t size = std::ssize(bytes);
  for (std::int64_t length = 1; length <= std::min<std::int64_t>(size, 3); ++length) {
    const auto byte = static_cast<unsigned char>(bytes[static_cast<std::size_t>(size - length)]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::int64_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    if (byte > 0xF4 || whole <= length) return 0;
    const bool may_go_on = length == 1 || broken_length(bytes, size - length) == length;
    return may_go_on ? length : 0;
  }
  return 0;
}

}  // namespace

std::string decode_text(std::string bytes) {
  if (find_invalid_utf8(bytes) < 0) return bytes;
  std::string text;
  for (std::int64_t at = 0; at < std::ssize(bytes);) {
    std::int64_t length = decode_utf8(bytes, at).length;
    if (length == 0) {
      text += "\xEF\xBF\xBD";
      length = broken_length(bytes, at);
    } else {
      text.append(bytes, static_cast<std::size_t>(at), static_cast<std::size_t>(length));
    }
    at += length;
  }
  return text;
}

std::string TextDecoder::feed(std::string_view bytes) {
  std::string all = std::exchange(unfinished_, std::string());
  all += bytes;
  const auto left = static_cast<std::size_t>(unfinished_length(all));
  unfinished_ = all.substr(all.size() - left);
  all.erase(all.size() - left);
  return decode_text(std::move(all));
}

std::string TextDecoder::finish() {
  return decode_text(std::exchange(unfinished_, std::string()));
}

}  // namespace plumb::engine
