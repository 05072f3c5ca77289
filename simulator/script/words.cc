// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/words.h"

#include <cstdint>

#include "engine/values/suggest.h"

namespace plumb::simulator {
namespace {

constexpr std::int64_t kListedWordsMax = 14;
/// A longer text would bury the message that it stands in.
constexpr std::size_t kQuotedBytesMax = 200;

}  // namespace

std::string on_one_line(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      shown += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      shown += {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 0xFU]};
    } else {
      shown += c;
    }
  }
  return shown;
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= kQuotedBytesMax) return "'" + on_one_line(text) + "'";
  std::size_t end = kQuotedBytesMax;
  // Not within a character.
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return "'" + on_one_line(text.substr(0, end)) + "...'";
}

std::string joined(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    text += words[i];
  }
  return text;
}

std::string advice(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string close = did_you_mean(word, views);
  if (!close.empty()) return "; did you mean " + in_quotes(close) + "?";
  if (known.empty() || std::ssize(known) > kListedWordsMax) return "";
  return ", expected " + joined(known, "or");
}

}  // namespace plumb::simulator
