// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/normalised_text.h"

#include <cstdint>

#include "engine/values/nfkc.h"
#include "engine/values/utf8.h"

namespace plumb::engine {
namespace {

bool lies_between(char32_t character, char32_t first, char32_t last) {
  return character >= first && character <= last;
}

/// The ASCII character that stands for it, or itself.
char32_t plain_character(char32_t character) {
  if (lies_between(character, 0x2018, 0x201B)) return U'\'';
  if (lies_between(character, 0x201C, 0x201F)) return U'"';
  if (lies_between(character, 0x2010, 0x2015) || character == 0x2212) return U'-';
  const bool is_blank = character == 0x00A0 || lies_between(character, 0x2002, 0x200A) ||
                        character == 0x202F || character == 0x205F || character == 0x3000;
  return is_blank ? U' ' : character;
}

/// What trimEnd of JavaScript takes off.
bool is_white_space(char32_t character) {
  return lies_between(character, 0x09, 0x0D) || character == 0x20 || character == 0xA0 ||
         character == 0x1680 || lies_between(character, 0x2000, 0x200A) || character == 0x2028 ||
         character == 0x2029 || character == 0x202F || character == 0x205F || character == 0x3000 ||
         character == 0xFEFF;
}

/// Where the last character of `text` begins; a byte that is not UTF-8 counts as one.
std::size_t start_of_last(std::string_view text) {
  std::size_t start = text.size() - 1;
  while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
  return start;
}

}  // namespace

std::string normalised_characters(std::string_view text) {
  const std::string form = nfkc(text);
  std::string plain;
  plain.reserve(form.size());
  for (std::int64_t at = 0; at < std::ssize(form);) {
    const CodePoint character = decode_utf8(form, at);
    if (character.length == 0) {
      plain += form[static_cast<std::size_t>(at)];
      ++at;
      continue;
    }
    append_utf8(plain, plain_character(character.value));
    at += character.length;
  }
  return plain;
}

std::string_view without_end_blanks(std::string_view text) {
  while (!text.empty()) {
    const std::size_t start = start_of_last(text);
    const CodePoint last = decode_utf8(text, static_cast<std::int64_t>(start));
    const bool is_whole = start + static_cast<std::size_t>(last.length) == text.size();
    if (!is_whole || !is_white_space(last.value)) return text;
    text.remove_suffix(static_cast<std::size_t>(last.length));
  }
  return text;
}

std::string normalised_text(std::string_view text) {
  const std::string plain = normalised_characters(text);
  std::string trimmed;
  trimmed.reserve(plain.size());
  std::string_view rest = plain;
  for (auto line_feed = rest.find('\n'); line_feed != rest.npos; line_feed = rest.find('\n')) {
    trimmed += without_end_blanks(rest.substr(0, line_feed));
    trimmed += '\n';
    rest.remove_prefix(line_feed + 1);
  }
  trimmed += without_end_blanks(rest);
  return trimmed;
}

}  // namespace plumb::engine
