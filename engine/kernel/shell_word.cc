// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/shell_word.h"

#include <algorithm>

namespace plumb::engine {
namespace {

bool is_plain_character(char character) {
  const bool is_letter =
      (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
  const bool is_digit = character >= '0' && character <= '9';
  return is_letter || is_digit || std::string_view("_./+,%-").contains(character);
}

}  // namespace

bool is_plain_shell_word(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, is_plain_character);
}

std::string shell_word(std::string_view text) {
  if (is_plain_shell_word(text)) return std::string(text);
  std::string word = "'";
  for (const char character : text) {
    if (character == '\'') {
      word += "'\\''";
    } else {
      word += character;
    }
  }
  return word + "'";
}

}  // namespace plumb::engine
