// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/json_place.h"

#include <charconv>

#include "engine/values/json.h"
#include "engine/values/utf8.h"

namespace plumb::simulator {
namespace {

/// Walks over text that a reader has found to be JSON.
class JsonWalk final {
 public:
  explicit JsonWalk(std::string_view text) : text_(text) { skip_blanks(); }

  std::size_t offset() const { return at_; }
  std::size_t key_offset() const { return key_at_; }

  /// Goes to the member or element that `token` names; stays when there is none.
  bool enter(const std::string& token) {
    const std::size_t here = at_;
    if (peek() == '{' ? enter_member(token) : peek() == '[' && enter_element(token)) return true;
    at_ = here;
    return false;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }

  void step() {
    ++at_;
    skip_blanks();
  }

  std::string take_string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
    ++at_;
    const auto value = parse_json(text_.substr(begin, at_ - begin));
    skip_blanks();
    return value && value->is_string() ? value->get<std::string>() : std::string();
  }

  /// Past the value at this place, and the comma after it. False at the end of the container.
  bool skip_value() {
    std::int64_t depth = 0;
    while (at_ < text_.size()) {
      const char c = peek();
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
      if (c == '"') {
        take_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      step();
    }
    if (peek() != ',') return false;
    step();
    return true;
  }

  bool enter_member(const std::string& name) {
    step();
    while (peek() == '"') {
      const std::size_t key_at = at_;
      const std::string key = take_string();
      if (peek() == ':') step();
      if (key == name) {
        key_at_ = key_at;
        return true;
      }
      if (!skip_value()) return false;
    }
    return false;
  }

  bool enter_element(const std::string& token) {
    std::int64_t index = -1;
    std::from_chars(token.data(), token.data() + token.size(), index);
    step();
    for (; index > 0; --index) {
      if (peek() == ']' || !skip_value()) return false;
    }
    key_at_ = at_;
    return index == 0 && peek() != ']';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t key_at_ = 0;
};

std::string unescaped(std::string_view token) {
  std::string plain;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    plain += !is_escape ? token[i] : token[i + 1] == '1' ? '/' : '~';
    i += is_escape ? 1U : 0U;
  }
  return plain;
}

}  // namespace

std::int64_t json_column(std::string_view json, std::string_view pointer, bool at_key) {
  JsonWalk walk(json);
  bool is_there = true;
  while (is_there && pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    is_there = walk.enter(unescaped(pointer.substr(0, end)));
    pointer.remove_prefix(end);
  }
  const std::size_t offset = at_key && is_there ? walk.key_offset() : walk.offset();
  return count_code_points(json.substr(0, offset)) + 1;
}

}  // namespace plumb::simulator
