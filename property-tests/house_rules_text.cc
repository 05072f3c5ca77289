// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "property-tests/house_rules.h"

namespace plumb {
namespace {

/// Walks over C++ text and blanks what is not code.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text), code_(text) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(code_);
  }

 private:
  void step() {
    if (starts("//")) return blank_until("\n");
    if (starts("/*")) return blank_until("*/");
    if (starts("R\"") && !after_word()) return raw_string();
    if (text_[at_] == '"') return literal('"');
    if (text_[at_] == '\'' && !after_word()) return literal('\'');
    ++at_;
  }

  bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  // A quote between digits separates them, and `R"` may end a longer prefix.
  bool after_word() const {
    return at_ > 0 && (std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0);
  }

  void blank() {
    if (text_[at_] != '\n') code_[at_] = ' ';
    ++at_;
  }

  void blank_until(std::string_view end) {
    const std::size_t found = text_.find(end, at_ + 1);
    const std::size_t stop = found == std::string_view::npos ? text_.size() : found + end.size();
    while (at_ < stop) blank();
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return blank_until("\n");
    blank_until(")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"");
  }

  void literal(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) blank();
      blank();
    }
    if (at_ < text_.size()) ++at_;
  }

  std::string_view text_;
  std::string code_;
  std::size_t at_ = 0;
};

// Longer paths first, for they win.
constexpr std::array<std::string_view, 23> kRooms = {"engine/extensions/hosted",
                                                     "engine/session/tree",
                                                     "engine/kernel",
                                                     "engine/values",
                                                     "engine/trace",
                                                     "engine/model",
                                                     "engine/tools",
                                                     "engine/extensions",
                                                     "engine/session",
                                                     "engine/lazy",
                                                     "engine/approval",
                                                     "engine/durable",
                                                     "simulator/llm/wire",
                                                     "simulator/llm",
                                                     "simulator/script",
                                                     "simulator/subjects",
                                                     "simulator/invariants",
                                                     "simulator/explore",
                                                     "simulator/cli",
                                                     "reports",
                                                     "property-tests",
                                                     "bench",
                                                     "simulator/cache_model"};

}  // namespace

std::string code_only(std::string_view text) {
  return Blanker(text).run();
}

std::string_view room_of(std::string_view path) {
  for (const std::string_view room : kRooms) {
    if (path.starts_with(room) && path.substr(room.size()).starts_with('/')) return room;
  }
  return {};
}

bool is_cpp(std::string_view path) {
  return path.ends_with(".h") || path.ends_with(".cc");
}

bool is_test(std::string_view path) {
  return path.ends_with("_test.cc") || path.ends_with("_fixture.h") ||
         path.ends_with("_fixture.cc") || path.starts_with("property-tests/");
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace plumb
