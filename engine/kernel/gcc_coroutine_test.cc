// SPDX-License-Identifier: Apache-2.0
// GCC 12 miscompiles some coroutines (an aggregate braced inside a co_await is freed twice), and
// others are traps in any compiler. No source of ours contains such a form.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

/// Comments and literals as blanks, so that what is left is code; line breaks stay.
class CodeOnly {
 public:
  explicit CodeOnly(std::string text) : text_(std::move(text)) {
    while (at_ < text_.size()) step();
  }
  std::string take() { return std::move(text_); }

 private:
  void step() {
    if (starts("//")) return blank_until("\n", 0);
    if (starts("/*")) return blank_until("*/", 2);
    if (starts("R\"")) return blank_raw();
    const char c = text_[at_];
    const bool is_digit_separator =
        c == '\'' && at_ > 0 && std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0;
    if (c == '"' || (c == '\'' && !is_digit_separator)) return blank_literal(c);
    ++at_;
  }
  bool starts(std::string_view word) const {
    return std::string_view(text_).substr(at_).starts_with(word);
  }
  void blank_to(std::size_t end) {
    for (; at_ < std::min(end, text_.size()); ++at_) {
      if (text_[at_] != '\n') text_[at_] = ' ';
    }
  }
  void blank_until(std::string_view end, std::size_t extra) {
    const auto found = text_.find(end, at_ + 2);
    blank_to(found == std::string::npos ? text_.size() : found + extra);
  }
  void blank_raw() {
    const auto open = text_.find('(', at_);
    const std::string close = ")" + text_.substr(at_ + 2, open - at_ - 2) + "\"";
    blank_until(close, close.size());
  }
  void blank_literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2U : 1U;
    blank_to(end + 1);
  }

  std::string text_;
  std::size_t at_ = 0;
};

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::vector<std::size_t> words_at(const std::string& code, const std::string& word) {
  std::vector<std::size_t> found;
  for (auto at = code.find(word); at != std::string::npos; at = code.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word_char(code[at - 1]);
    const bool ends = at + word.size() >= code.size() || !is_word_char(code[at + word.size()]);
    if (begins && ends) found.push_back(at);
  }
  return found;
}

/// The place after the bracket that closes the one at `open`.
std::size_t after_group(const std::string& code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (std::string_view("({[").contains(code[i])) ++depth;
    if (std::string_view(")}]").contains(code[i]) && --depth == 0) return i + 1;
  }
  return code.size();
}

std::size_t next_solid(const std::string& code, std::size_t at) {
  while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])) != 0) ++at;
  return at;
}

/// The end of the expression that a co_await stands in: its semicolon, or the bracket around it.
bool has_brace_in_await(const std::string& code, std::size_t at) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    const char c = code[at];
    if (c == '{' && depth >= 0) return true;
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && --depth < 0) return false;
    if (c == ';') return false;
  }
  return false;
}

bool has_await_in_catch(const std::string& code, std::size_t at) {
  const std::size_t parameters = next_solid(code, at + 5);
  const std::size_t body = next_solid(code, after_group(code, parameters));
  return code.substr(body, after_group(code, body) - body).contains("co_await");
}

/// `[x](...) -> Task<...> {...}`: the captures die with the lambda, before the coroutine ends.
bool is_capturing_coroutine(const std::string& code, std::size_t open) {
  const std::size_t close = after_group(code, open);
  if (next_solid(code, open + 1) + 1 == close) return false;
  std::size_t at = next_solid(code, close);
  if (at >= code.size() || code[at] != '(') return false;
  at = next_solid(code, after_group(code, at));
  const std::size_t body = code.find('{', at);
  if (body == std::string::npos || code.substr(at, body - at).contains(';')) return false;
  const std::string inside = code.substr(body, after_group(code, body) - body);
  return !words_at(inside, "co_await").empty() || !words_at(inside, "co_return").empty();
}

struct Trap {
  std::size_t at;
  std::string what;
};

std::vector<Trap> traps_in(const std::string& code) {
  std::vector<Trap> traps;
  for (const auto at : words_at(code, "co_await")) {
    if (has_brace_in_await(code, at)) traps.push_back({at, "a brace inside a co_await"});
  }
  for (const auto at : words_at(code, "catch")) {
    if (has_await_in_catch(code, at)) traps.push_back({at, "a co_await inside a catch block"});
  }
  for (auto at = code.find('['); at != std::string::npos; at = code.find('[', at + 1)) {
    const bool is_index = at > 0 && (is_word_char(code[at - 1]) || code[at - 1] == ')');
    if (!is_index && is_capturing_coroutine(code, at)) {
      traps.push_back({at, "a coroutine lambda with captures"});
    }
  }
  return traps;
}

std::string kinds_of_traps(std::string source) {
  std::string kinds;
  const std::string code = CodeOnly(std::move(source)).take();
  for (const auto& trap : traps_in(code)) kinds += trap.what + "\n";
  return kinds;
}

TEST(GccCoroutine, FindsEachForm) {
  EXPECT_EQ(kinds_of_traps("co_await f(CallId{s});"), "a brace inside a co_await\n");
  EXPECT_EQ(kinds_of_traps("catch (const E& e) { if (x) { co_await f(); } }"),
            "a co_await inside a catch block\n");
  EXPECT_EQ(kinds_of_traps("auto t = [&x](int y) -> Task<int> { co_return x + y; };"),
            "a coroutine lambda with captures\n");
}

TEST(GccCoroutine, LeavesGoodFormsAlone) {
  EXPECT_EQ(kinds_of_traps("if (co_await f(id)) { g(); }"), "");
  EXPECT_EQ(kinds_of_traps("// co_await f({})\nconst char* s = \"co_await {\"; co_await g('{');"),
            "");
  EXPECT_EQ(kinds_of_traps("auto t = [](int y) -> Task<int> { co_return y; };"), "");
  EXPECT_EQ(kinds_of_traps("catch (...) { failed = true; } co_await f();"), "");
}

std::vector<std::filesystem::path> sources() {
  std::vector<std::filesystem::path> found;
  for (const char* room : {"engine", "simulator", "reports", "bench", "property-tests"}) {
    if (!std::filesystem::exists(room)) continue;
    for (auto at = std::filesystem::recursive_directory_iterator(room);
         at != std::filesystem::recursive_directory_iterator(); ++at) {
      if (at->path().filename() == "node_modules") at.disable_recursion_pending();
      const auto extension = at->path().extension();
      if (extension == ".cc" || extension == ".h") found.push_back(at->path());
    }
  }
  std::ranges::sort(found);
  return found;
}

TEST(GccCoroutine, NoSourceContainsAForm) {
  const auto files = sources();
  ASSERT_FALSE(files.empty()) << "run from the root of the repository";

  for (const auto& path : files) {
    std::ifstream stream(path, std::ios::binary);
    const std::string code =
        CodeOnly(std::string(std::istreambuf_iterator<char>(stream), {})).take();
    for (const auto& trap : traps_in(code)) {
      const auto end = code.begin() + static_cast<std::ptrdiff_t>(trap.at);
      ADD_FAILURE() << path.string() << ":" << std::count(code.begin(), end, '\n') + 1 << ": "
                    << trap.what;
    }
  }
}

}  // namespace
}  // namespace plumb::engine
