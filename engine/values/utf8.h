// SPDX-License-Identifier: Apache-2.0
// UTF-8, one code point at a time, strictly: no overlong forms, no surrogates, nothing above
// U+10FFFF.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb {

/// One decoded code point; `length` is its bytes, 0 when the bytes are not UTF-8.
struct CodePoint {
  char32_t value = 0;
  std::int64_t length = 0;
};

/// The code point that begins at byte `offset`, which lies within `text`.
CodePoint decode_utf8(std::string_view text, std::int64_t offset);

/// Appends a Unicode scalar value.
void append_utf8(std::string& text, char32_t code_point);

/// The offset of the first byte that is not part of valid UTF-8, or -1.
std::int64_t find_invalid_utf8(std::string_view text);

/// ASCII letters as small ones; nothing else changes.
std::string lower_case(std::string_view text);

/// Code points in `text`; each byte that is no continuation byte counts as one.
std::int64_t count_code_points(std::string_view text);

}  // namespace plumb
