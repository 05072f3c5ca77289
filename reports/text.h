// SPDX-License-Identifier: Apache-2.0
// Text as a person or a parser will see it: UTF-8 taken apart, what cannot be shown made visible,
// lines wrapped by display columns. Messages come from engines under test and may hold any bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::reports {

/// One character of UTF-8 text. A byte that begins no valid sequence is invalid, of length 1.
struct Character {
  char32_t value = 0;
  std::int64_t length = 1;  ///< Bytes.
  bool is_valid = true;
};

/// The character at `offset`, which lies within `text`. Surrogates and overlong forms are invalid.
Character character_at(std::string_view text, std::int64_t offset);

/// 0 for marks that combine, 2 for wide East Asian characters and emoji, else 1.
std::int64_t columns_of(char32_t character);
std::int64_t columns_of(std::string_view text);

/// Controls, direction overrides, unassigned specials and bad bytes as `\x1b`, `\u202e`, `\xff`.
/// Line feeds stay. Without `unicode` everything beyond ASCII is shown as an escape.
std::string visible(std::string_view text, bool unicode = true);

/// `visible`, with line feeds as `\n`.
std::string visible_line(std::string_view text, bool unicode = true);

/// `visible_line`, cut to `columns` with an ellipsis at the end.
std::string clipped(std::string_view text, std::int64_t columns, bool unicode = true);

/// Lines of at most `columns`, broken at spaces where possible; at most `lines_max`, the last one
/// then ends in an ellipsis. Line feeds break lines. The text is made visible first.
std::vector<std::string> wrapped(std::string_view text, std::int64_t columns,
                                 std::int64_t lines_max, bool unicode = true);

/// One shell command over several lines of at most `columns`: broken at unquoted spaces, each line
/// but the last ending in a backslash, so that it can be pasted. A word longer than a line stays
/// whole.
std::vector<std::string> wrapped_command(std::string_view command, std::int64_t columns);

std::vector<std::string> split_lines(std::string_view text);

/// Every `from` in `text` as `to`.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);

}  // namespace plumb::reports
