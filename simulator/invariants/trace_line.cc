// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/trace_line.h"

#include <utility>

namespace plumb::invariants {
namespace {

/// What a bracket does to the nesting.
std::int64_t depth_change(char c) {
  if (c == '{' || c == '[') return 1;
  return c == '}' || c == ']' ? -1 : 0;
}

Json value_of(const std::string& text) {
  auto parsed = parse_json(text);
  return parsed ? std::move(*parsed) : Json(text);
}

bool is_pair(const std::string& word) {
  const auto equals = word.find('=');
  const auto other = word.find_first_of("{[\"");
  return equals != std::string::npos && equals > 0 && equals < other;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  std::int64_t depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && (i == 0 || line[i - 1] != '\\')) is_quoted = !is_quoted;
    if (!is_quoted) depth += depth_change(c);
    if (c == ' ' && depth == 0 && !is_quoted) {
      if (!word.empty()) words.push_back(std::exchange(word, ""));
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

std::string label_of(std::string_view line) {
  const auto colon = line.find(':');
  const auto blank = line.find(' ');
  if (colon == std::string_view::npos || blank < colon) return "";
  return std::string(line.substr(0, colon));
}

Line parse_line(std::string_view text) {
  Line line;
  const auto label = label_of(text);
  if (!label.empty()) text.remove_prefix(label.size() + 1);
  for (const auto& word : words_of(text)) {
    if (line.kind.empty())
      line.kind = word;
    else if (is_pair(word))
      line.fields[word.substr(0, word.find('='))] = value_of(word.substr(word.find('=') + 1));
    else
      line.words.push_back(word);
  }
  return line;
}

}  // namespace plumb::invariants
