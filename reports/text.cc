// SPDX-License-Identifier: Apache-2.0
#include "reports/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace plumb::reports {
namespace {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

constexpr std::array kCombining{
    CharacterRange{0x0300, 0x036F}, CharacterRange{0x0483, 0x0489}, CharacterRange{0x0591, 0x05BD},
    CharacterRange{0x0610, 0x061A}, CharacterRange{0x064B, 0x065F}, CharacterRange{0x1AB0, 0x1AFF},
    CharacterRange{0x1DC0, 0x1DFF}, CharacterRange{0x20D0, 0x20FF}, CharacterRange{0xFE00, 0xFE0F},
    CharacterRange{0xFE20, 0xFE2F},
};
constexpr std::array kWide{
    CharacterRange{0x1100, 0x115F},   CharacterRange{0x2E80, 0x303E},
    CharacterRange{0x3041, 0x33FF},   CharacterRange{0x3400, 0x4DBF},
    CharacterRange{0x4E00, 0x9FFF},   CharacterRange{0xA000, 0xA4CF},
    CharacterRange{0xAC00, 0xD7A3},   CharacterRange{0xF900, 0xFAFF},
    CharacterRange{0xFE30, 0xFE6F},   CharacterRange{0xFF00, 0xFF60},
    CharacterRange{0xFFE0, 0xFFE6},   CharacterRange{0x1F300, 0x1F64F},
    CharacterRange{0x1F900, 0x1F9FF}, CharacterRange{0x20000, 0x3FFFD},
};
/// Controls, zero-width and direction characters, line and paragraph separators, byte order mark.
constexpr std::array kHidden{
    CharacterRange{0x0000, 0x001F}, CharacterRange{0x007F, 0x009F}, CharacterRange{0x00AD, 0x00AD},
    CharacterRange{0x200B, 0x200F}, CharacterRange{0x2028, 0x202E}, CharacterRange{0x2060, 0x206F},
    CharacterRange{0xFEFF, 0xFEFF}, CharacterRange{0xFFF9, 0xFFFB}, CharacterRange{0xFFFE, 0xFFFF},
};

template <class Ranges>
bool is_within(const Ranges& ranges, char32_t character) {
  return std::ranges::any_of(ranges, [character](const CharacterRange& range) {
    return range.first <= character && character <= range.last;
  });
}

unsigned byte_at(std::string_view text, std::size_t offset) {
  return static_cast<unsigned char>(text[offset]);
}

/// The length that the first byte announces and the smallest value allowed for it; 0 for a bad
/// byte.
std::pair<std::size_t, char32_t> sequence_of(unsigned lead) {
  if (lead < 0x80) return {1, 0};
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80};
  if (lead >= 0xE0 && lead <= 0xEF) return {3, 0x800};
  if (lead >= 0xF0 && lead <= 0xF4) return {4, 0x10000};
  return {0, 0};
}

std::string hex_of(char32_t value, int digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4)
    text += kDigits[(value >> shift) & 0xF];
  return text;
}

std::string escape_of(const Character& character) {
  if (character.value == U'\n') return "\\n";
  if (character.value == U'\r') return "\\r";
  if (character.value == U'\t') return "\\t";
  if (!character.is_valid || character.value < 0x80) return "\\x" + hex_of(character.value, 2);
  if (character.value <= 0xFFFF) return "\\u" + hex_of(character.value, 4);
  return "\\u{" + hex_of(character.value, 6) + "}";
}

bool is_shown(const Character& character, bool unicode) {
  if (!character.is_valid || is_within(kHidden, character.value)) return false;
  return unicode || character.value < 0x80;
}

std::string visible_with(std::string_view text, bool unicode, bool keeps_line_feeds) {
  std::string shown;
  for (std::int64_t at = 0; at < std::ssize(text);) {
    const Character character = character_at(text, at);
    const bool is_kept = character.value == U'\n' && keeps_line_feeds;
    if (is_kept || is_shown(character, unicode)) {
      shown +=
          text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(character.length));
    } else {
      shown += escape_of(character);
    }
    at += character.length;
  }
  return shown;
}

/// How many bytes of `text` fit into `columns`; at least one character.
std::size_t bytes_that_fit(std::string_view text, std::int64_t columns) {
  std::int64_t at = 0;
  std::int64_t used = 0;
  while (at < std::ssize(text)) {
    const Character character = character_at(text, at);
    used += columns_of(character.value);
    if (used > columns && at > 0) break;
    at += character.length;
  }
  return static_cast<std::size_t>(at);
}

/// Where to break a line that is too long: after the last space that fits, else where it is full.
std::size_t break_of(std::string_view line, std::int64_t columns) {
  const std::size_t full = bytes_that_fit(line, columns);
  if (full == line.size() || line[full] == ' ') return full;
  const std::size_t space = line.substr(0, full).rfind(' ');
  return space == std::string_view::npos || space == 0 ? full : space;
}

void append_wrapped(std::vector<std::string>& lines, std::string_view line, std::int64_t columns) {
  do {
    const std::size_t end = break_of(line, columns);
    lines.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
    if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  } while (!line.empty());
}

std::string with_ellipsis(std::string_view line, std::int64_t columns, bool unicode) {
  const std::string_view mark = unicode ? "…" : "...";
  const std::size_t kept =
      bytes_that_fit(line, std::max<std::int64_t>(columns - columns_of(mark), 1));
  return std::string(line.substr(0, kept)) + std::string(mark);
}

/// The words of a shell command, quotes and escapes kept inside their word.
std::vector<std::string> shell_words(std::string_view command) {
  std::vector<std::string> words(1);
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == ' ' && quote == '\0') {
      words.emplace_back();
      continue;
    }
    words.back() += c;
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) words.back() += command[++i];
    if ((c == '\'' || c == '"') && (quote == '\0' || quote == c)) quote = quote == '\0' ? c : '\0';
  }
  return words;
}

}  // namespace

Character character_at(std::string_view text, std::int64_t offset) {
  const auto at = static_cast<std::size_t>(offset);
  const unsigned lead = byte_at(text, at);
  const Character bad{lead, 1, false};
  const auto [length, smallest] = sequence_of(lead);
  if (length == 1) return {lead, 1, true};
  if (length == 0 || at + length > text.size()) return bad;
  char32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & 0xC0U) != 0x80U) return bad;
    value = (value << 6U) | (next & 0x3FU);
  }
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || value > 0x10FFFF || is_surrogate) return bad;
  return {value, static_cast<std::int64_t>(length), true};
}

std::int64_t columns_of(char32_t character) {
  if (is_within(kCombining, character)) return 0;
  return is_within(kWide, character) ? 2 : 1;
}

std::int64_t columns_of(std::string_view text) {
  std::int64_t columns = 0;
  for (std::int64_t at = 0; at < std::ssize(text);) {
    const Character character = character_at(text, at);
    columns += columns_of(character.value);
    at += character.length;
  }
  return columns;
}

std::string visible(std::string_view text, bool unicode) {
  return visible_with(text, unicode, true);
}

std::string visible_line(std::string_view text, bool unicode) {
  return visible_with(text, unicode, false);
}

std::string clipped(std::string_view text, std::int64_t columns, bool unicode) {
  std::string line = visible_line(text, unicode);
  return columns_of(line) <= columns ? line : with_ellipsis(line, columns, unicode);
}

std::vector<std::string> wrapped(std::string_view text, std::int64_t columns,
                                 std::int64_t lines_max, bool unicode) {
  std::vector<std::string> lines;
  for (const std::string& line : split_lines(visible(text, unicode))) {
    append_wrapped(lines, line, columns);
  }
  if (std::ssize(lines) > lines_max) {
    lines.resize(static_cast<std::size_t>(lines_max));
    const bool has_room = columns_of(lines.back()) + 3 <= columns;
    lines.back() = has_room ? lines.back() + (unicode ? " …" : "...")
                            : with_ellipsis(lines.back(), columns, unicode);
  }
  return lines;
}

std::vector<std::string> wrapped_command(std::string_view command, std::int64_t columns) {
  std::vector<std::string> lines(1);
  for (const std::string& word : shell_words(command)) {
    std::string& line = lines.back();
    const bool fits = columns_of(line) + 1 + columns_of(word) + 2 <= columns;
    if (line.empty()) {
      line = word;
    } else if (fits) {
      line += " " + word;
    } else {
      line += " \\";
      lines.push_back(word);
    }
  }
  return lines;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  while (true) {
    const std::size_t at = text.find(from);
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    result += to;
    text.remove_prefix(at + from.size());
  }
}

}  // namespace plumb::reports
