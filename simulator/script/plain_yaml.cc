// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/plain_yaml.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

namespace plumb::simulator {
namespace {

/// Deeper text goes the long way, where it is refused.
constexpr std::int64_t kPlainDepthMax = 30;

/// The library takes no keys of more than 1024 characters.
constexpr std::size_t kKeyBytesMax = 1000;

constexpr std::string_view kPlainTag = "?";
constexpr std::string_view kQuotedTag = "!";

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// What a text without quotes may begin with, and nothing else could.
bool may_begin_text(char c) {
  return is_word_character(c) || std::string_view("/$(.<=").contains(c);
}

/// Letters, digits and what may stand between them.
std::size_t word_end(std::string_view line, std::size_t at) {
  if (at >= line.size() || !is_word_character(line[at])) return at;
  while (at < line.size() && (is_word_character(line[at]) || line[at] == '.' || line[at] == '-')) {
    ++at;
  }
  return at;
}

bool is_null_word(std::string_view text) {
  constexpr std::array<std::string_view, 3> kNulls = {"null", "Null", "NULL"};
  return std::ranges::find(kNulls, text) != kNulls.end();
}

class PlainYamlReader final {
 public:
  PlainYamlReader(std::string_view text, YAML::EventHandler& events) : events_(events) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }

  bool read() {
    skip_empty();
    if (is_at_end() || indent() != 0) return false;
    events_.OnDocumentStart(YAML::Mark());
    if (!read_block(0) || !is_at_end()) return false;
    events_.OnDocumentEnd();
    return true;
  }

 private:
  bool is_at_end() const { return line_ == lines_.size(); }
  std::string_view line() const { return lines_[line_]; }
  std::size_t indent() const { return std::min(line().find_first_not_of(' '), line().size()); }
  bool is_item_at(std::size_t column) const {
    return line().size() > column + 1 && line()[column] == '-' && line()[column + 1] == ' ';
  }

  YAML::Mark mark(std::size_t column) const {
    YAML::Mark place;
    place.line = static_cast<int>(line_);
    place.column = static_cast<int>(column);
    return place;
  }

  /// To the next line with content.
  void skip_empty() {
    while (!is_at_end() && (indent() == line().size() || line()[indent()] == '#')) ++line_;
  }
  void next_line() {
    ++line_;
    skip_empty();
  }

  void tell(std::string_view tag, std::size_t column, std::string_view text) {
    if (tag == kPlainTag && is_null_word(text)) return events_.OnNull(mark(column), 0);
    events_.OnScalar(mark(column), std::string(tag), 0, std::string(text));
  }

  /// A map or list that begins at this column of this line.
  bool read_block(std::size_t column) {
    if (++depth_ > kPlainDepthMax) return false;
    const bool is_read = is_item_at(column) ? read_list(column) : read_map(column);
    --depth_;
    return is_read;
  }

  bool read_list(std::size_t column) {
    events_.OnSequenceStart(mark(column), std::string(kPlainTag), 0, YAML::EmitterStyle::Block);
    do {
      const std::size_t at = line().find_first_not_of(' ', column + 1);
      if (at == line().npos) return false;
      const bool is_block = is_item_at(at) || is_key_at(at);
      if (!(is_block ? read_block(at) : read_value(at, column))) return false;
    } while (!is_at_end() && indent() == column && is_item_at(column));
    events_.OnSequenceEnd();
    return is_at_end() || indent() <= column;
  }

  bool is_key_at(std::size_t column) const {
    const std::size_t end = word_end(line(), column);
    if (end == column || end >= line().size() || line()[end] != ':') return false;
    if (end - column > kKeyBytesMax) return false;
    return end + 1 == line().size() || line()[end + 1] == ' ';
  }

  bool read_map(std::size_t column) {
    events_.OnMapStart(mark(column), std::string(kPlainTag), 0, YAML::EmitterStyle::Block);
    std::size_t key = column;
    do {
      if (!is_key_at(key)) return false;
      const std::size_t end = word_end(line(), key);
      const std::string_view name = line().substr(key, end - key);
      tell(kPlainTag, key, name);
      const std::size_t value = line().find_first_not_of(' ', end + 1);
      if (!(value == line().npos ? read_below(column) : read_value(value, column))) return false;
    } while (!is_at_end() && indent() == column && !is_item_at(column));
    events_.OnMapEnd();
    return is_at_end() || indent() <= column;
  }

  /// The value of a key with nothing behind it.
  bool read_below(std::size_t column) {
    next_line();
    if (is_at_end()) return false;
    const std::size_t at = indent();
    return (at > column || (at == column && is_item_at(at))) && read_block(at);
  }

  /// A value from this column to the end of its line, or a block scalar. `parent`: the column of
  /// the map or list that it is in.
  bool read_value(std::size_t column, std::size_t parent) {
    const char first = line()[column];
    if (first == '>' || first == '|') return read_block_scalar(column, parent);
    const bool is_closed = first == '"' || first == '\'' || first == '[' || first == '{';
    std::size_t end = column;
    if (!is_closed && !read_plain(column)) return false;
    if (is_closed && (!read_flow(end) || end != line().size())) return false;
    next_line();
    // A line further in would go on with the value.
    return is_at_end() || indent() <= parent;
  }

  /// A text in quotes; moves `at` behind it.
  bool read_quoted(std::size_t& at) {
    const char quote = line()[at];
    const std::size_t begin = at;
    std::string text;
    for (++at; at < line().size() && line()[at] != quote; ++at) {
      const bool is_escape = quote == '"' && line()[at] == '\\';
      const char next = is_escape && at + 1 < line().size() ? line()[at + 1] : '\0';
      if (is_escape && next != 'n' && next != '"' && next != '\\') return false;
      if (is_escape) ++at;
      text += !is_escape ? line()[at] : next == 'n' ? '\n' : next;
    }
    // Two single quotes in a row are one within the text.
    if (at >= line().size() || (quote == '\'' && line().substr(at).starts_with("''"))) return false;
    ++at;
    tell(kQuotedTag, begin, text);
    return true;
  }

  /// A value between brackets; moves `at` behind it.
  bool read_flow(std::size_t& at) {
    if (at >= line().size() || ++depth_ > kPlainDepthMax) return false;
    const char first = line()[at];
    const bool is_read = first == '['                    ? read_flow_list(at)
                         : first == '{'                  ? read_flow_map(at)
                         : first == '"' || first == '\'' ? read_quoted(at)
                                                         : read_flow_word(at);
    --depth_;
    return is_read;
  }

  bool read_flow_word(std::size_t& at) {
    const std::size_t end = line().find_first_of(",[]{}:#\"'&*!|>%@`\\", at);
    if (end == line().npos || !may_begin_text(line()[at]) || line()[end - 1] == ' ') return false;
    const std::string_view text = line().substr(at, end - at);
    tell(kPlainTag, at, text);
    at = end;
    return true;
  }

  /// Whether another entry follows; `at` is then at its begin, else behind the bracket.
  bool goes_on(std::size_t& at, char bracket, bool& is_sound) {
    is_sound = at < line().size() && (line()[at] == bracket || line().substr(at).starts_with(", "));
    const bool is_more = is_sound && line()[at] == ',';
    at += is_more ? 2 : 1;
    return is_more;
  }

  bool read_flow_list(std::size_t& at) {
    events_.OnSequenceStart(mark(at), std::string(kPlainTag), 0, YAML::EmitterStyle::Flow);
    bool is_sound = true;
    if (line().substr(++at).starts_with(']')) {
      ++at;
    } else {
      do {
        if (!read_flow(at)) return false;
      } while (goes_on(at, ']', is_sound));
    }
    events_.OnSequenceEnd();
    return is_sound;
  }

  bool read_flow_map(std::size_t& at) {
    events_.OnMapStart(mark(at), std::string(kPlainTag), 0, YAML::EmitterStyle::Flow);
    bool is_sound = true;
    ++at;
    do {
      const std::size_t end = word_end(line(), at);
      if (end == at || end - at > kKeyBytesMax) return false;
      if (!line().substr(end).starts_with(": ")) return false;
      const std::string_view name = line().substr(at, end - at);
      tell(kPlainTag, at, name);
      at = end + 2;
      if (!read_flow(at)) return false;
    } while (goes_on(at, '}', is_sound));
    events_.OnMapEnd();
    return is_sound;
  }

  bool read_plain(std::size_t column) {
    const std::string_view text = line().substr(column);
    const bool is_odd = !may_begin_text(text.front()) || text.back() == ' ' || text.back() == ':' ||
                        text.contains(": ") || text.contains(" #");
    if (is_odd) return false;
    tell(kPlainTag, column, text);
    return true;
  }

  /// Lines of one indentation, folded or as they are.
  bool read_block_scalar(std::size_t column, std::size_t parent) {
    const std::string_view header = line().substr(column);
    const bool is_folded = header.front() == '>';
    const bool is_stripped = header.size() == 2 && header[1] == '-';
    if (header.size() > 1 && !is_stripped) return false;
    const YAML::Mark begin = mark(column);
    ++line_;
    const std::size_t inner = is_at_end() ? 0 : indent();
    if (inner <= parent) return false;
    std::string text;
    for (; !is_at_end() && indent() >= inner; ++line_) {
      const std::string_view part = line().substr(inner);
      if (part.empty() || part.front() == ' ' || part.back() == ' ') return false;
      if (!text.empty()) text += is_folded ? ' ' : '\n';
      text += part;
    }
    const std::size_t end = line_;
    skip_empty();
    // After an empty line the scalar may go on.
    if (!is_at_end() && (indent() > parent || (end != line_ && !lines_[end].empty()))) return false;
    if (!is_stripped) text += '\n';
    events_.OnScalar(begin, std::string(kQuotedTag), 0, text);
    return true;
  }

  std::vector<std::string_view> lines_;
  std::size_t line_ = 0;
  std::int64_t depth_ = 0;
  YAML::EventHandler& events_;
};

}  // namespace

bool read_plain_yaml(std::string_view text, YAML::EventHandler& events) {
  if (!text.ends_with('\n') || text.find_first_of("\r\t") != text.npos) return false;
  // What could be no content but the marks of documents and directives.
  if (text.starts_with('%') || text.contains("\n%")) return false;
  return PlainYamlReader(text, events).read();
}

}  // namespace plumb::simulator
