// SPDX-License-Identifier: Apache-2.0
#include "engine/values/line_pattern.h"

#include <algorithm>
#include <array>
#include <optional>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace plumb {
namespace {

using LineCode = std::unique_ptr<pcre2_code, void (*)(pcre2_code*)>;
using LineContext = std::unique_ptr<pcre2_match_context, void (*)(pcre2_match_context*)>;
using LineMatch = std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)>;

constexpr std::uint32_t kLineDepthMax = 1'000'000;

PCRE2_SPTR line_bytes(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());  // PCRE2 reads bytes as unsigned char.
}

std::string line_error_text(int code) {
  std::array<PCRE2_UCHAR, 256> buffer{};
  const int length = pcre2_get_error_message(code, buffer.data(), buffer.size());
  return {buffer.begin(), buffer.begin() + std::max(length, 0)};
}

Error line_pattern_error(std::size_t offset, std::string_view why) {
  return Error{
      ErrorCode::rejected, "offset " + std::to_string(offset) + ": " + std::string(why), {}};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_letter(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The length of {n}, {n,} or {n,m} at the beginning of `text`; 0 if it is something else.
std::size_t repetition_length(std::string_view text) {
  std::size_t at = 1;
  const auto skip_digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at > begin;
  };
  if (!skip_digits()) return 0;
  if (at < text.size() && text[at] == ',') {
    ++at;
    skip_digits();
  }
  return at < text.size() && text[at] == '}' ? at + 1 : 0;
}

/// Turns the syntax of search programs into PCRE2's: nearly the same. What would silently mean
/// another thing is an error.
class LineTranslator final {
 public:
  explicit LineTranslator(std::string_view source) : source_(source) {}

  Result<std::string> translate() {
    while (at_ < source_.size() && !error_) step();
    if (error_) return std::unexpected(*error_);
    return std::move(text_);
  }

 private:
  void refuse(std::string_view why) { error_ = line_pattern_error(at_, why); }
  void copy(std::size_t count) {
    text_ += source_.substr(at_, count);
    at_ += count;
  }
  std::string_view rest() const { return source_.substr(at_); }

  void step() {
    const char c = source_[at_];
    if (c == '\n') return refuse("a match lies within one line; there is no line feed in it");
    if (c == '\\') return translate_escape();
    if (in_set_) return translate_member();
    if (c == '{' || c == '*' || c == '+' || c == '?') return translate_repetition();
    may_repeat_ = true;
    if (c == '[') return begin_set();
    if (c == '(') return translate_group();
    copy(1);
  }

  /// Sets in sets and operations on sets are read as letters by PCRE2.
  void translate_member() {
    if (source_[at_] == '[') {
      const auto end = rest().starts_with("[:") ? source_.find(":]", at_) : source_.npos;
      if (end == source_.npos) return refuse("a set in a set; write \\[ for a bracket");
      return copy(end + 2 - at_);
    }
    for (const std::string_view two : {"&&", "--", "~~"}) {
      if (rest().starts_with(two)) return refuse("an operation on sets; write a \\ in between");
    }
    in_set_ = !ends_set();
    copy(1);
  }

  /// ( (?: (?P<name> (?<name> and flags; what else PCRE2 knows, search programs do not.
  void translate_group() {
    if (rest().starts_with("(*")) return refuse("nothing to repeat; write \\* for a star");
    if (!rest().starts_with("(?")) return copy(1);
    const std::size_t name = rest().starts_with("(?P<") ? 4 : rest().starts_with("(?<") ? 3 : 0;
    if (name > 0) {
      const bool is_name = at_ + name < source_.size() && is_name_letter(source_[at_ + name]);
      return is_name ? copy(name) : refuse("looking around is not possible");
    }
    const auto end = source_.find_first_not_of("imsUx-", at_ + 2);
    if (end == source_.npos || (source_[end] != ':' && source_[end] != ')')) {
      return refuse("an unknown kind of group");
    }
    copy(end - at_ + (source_[end] == ':' ? 1 : 0));
  }

  bool ends_set() const { return source_[at_] == ']' && at_ > set_begin_; }

  void begin_set() {
    in_set_ = true;
    copy(1);
    if (rest().starts_with("^")) copy(1);
    set_begin_ = at_;
  }

  /// A second + behind a repetition is a repetition of it to search programs, none to PCRE2.
  void translate_repetition() {
    const std::size_t length = source_[at_] == '{' ? repetition_length(rest()) : 1;
    if (length == 0) return refuse("{ begins a repetition such as {2,3}; write \\{ for a brace");
    if (text_.empty()) return refuse("nothing to repeat");
    if (!may_repeat_) return refuse("a repetition of a repetition; write (?:a+)+ for it");
    copy(length);
    if (rest().starts_with("?")) copy(1);
    may_repeat_ = false;
  }

  void translate_escape() {
    if (at_ + 1 == source_.size()) return refuse("a \\ at the end");
    may_repeat_ = true;
    const char c = source_[at_ + 1];
    if (c == 'n' && !in_set_) {
      return refuse("a match lies within one line; there is no line feed in it");
    }
    if (c == '<' || c == '>') return refuse("unknown escape; \\b is the edge of a word");
    if (c == 'u' || c == 'U') return translate_code_point(c == 'u' ? 4 : 8);
    if (c == 'x') return translate_byte();
    if (c == 'v') return replace_escape("\\x0B");
    const std::string_view known = in_set_ ? "nrtfadDwWsSpP" : "rtfadDwWsSpPbBAz";
    if (is_name_letter(c) && known.find(c) == known.npos) return refuse("unknown escape");
    const bool has_braces =
        (c == 'p' || c == 'P') && at_ + 2 < source_.size() && source_[at_ + 2] == '{';
    const auto close = has_braces ? source_.find('}', at_) : std::string_view::npos;
    copy(close == std::string_view::npos ? 2 : close + 1 - at_);
  }

  void replace_escape(std::string_view text) {
    text_ += text;
    at_ += 2;
  }

  /// \x41 and \x{41}; PCRE2 takes fewer digits, too.
  void translate_byte() {
    const std::string_view digits = rest().substr(2, 2);
    if (digits.starts_with("{")) {
      return copy(std::min(source_.find('}', at_), source_.size() - 1) + 1 - at_);
    }
    const bool is_hex = digits.size() == 2 && digits.find_first_not_of("0123456789abcdefABCDEF") ==
                                                  std::string_view::npos;
    return is_hex ? copy(4) : refuse("an escape with too few digits");
  }

  /// \u0041, \U00000041 and \u{41} are \x{41}.
  void translate_code_point(std::size_t digits) {
    const std::size_t begin = at_ + 2;
    if (begin < source_.size() && source_[begin] == '{') {
      text_ += "\\x";
      at_ = begin;
      return copy(std::min(source_.find('}', at_), source_.size() - 1) + 1 - at_);
    }
    if (begin + digits > source_.size()) return refuse("an escape with too few digits");
    text_ += "\\x{" + std::string(source_.substr(begin, digits)) + "}";
    at_ = begin + digits;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool in_set_ = false;
  bool may_repeat_ = true;  ///< What stands in front is no repetition.
  std::size_t set_begin_ = 0;
  std::string text_;
  std::optional<Error> error_;
};

Result<LineCode> compile_line(std::string_view pattern, const LinePatternOptions& options) {
  std::uint32_t bits = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
  bits |= options.is_literal ? PCRE2_LITERAL
                             : PCRE2_UCP | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
  if (options.ignores_case) bits |= PCRE2_CASELESS;
  int error = 0;
  PCRE2_SIZE offset = 0;
  LineCode code(pcre2_compile(line_bytes(pattern), pattern.size(), bits, &error, &offset, nullptr),
                pcre2_code_free);
  if (code == nullptr) return std::unexpected(line_pattern_error(offset, line_error_text(error)));
  // Without JIT the interpreter runs: slower, same answers.
  static_cast<void>(pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE));
  return code;
}

LineContext line_context() {
  LineContext context(pcre2_match_context_create(nullptr), pcre2_match_context_free);
  PLUMB_ASSERT(context != nullptr);
  pcre2_set_match_limit(context.get(), kLineStepsMax);
  pcre2_set_depth_limit(context.get(), kLineDepthMax);
  return context;
}

LineMatch line_match() {
  LineMatch match(pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
  PLUMB_ASSERT(match != nullptr);
  return match;
}

}  // namespace

struct LinePattern::Program {
  LineCode code{nullptr, pcre2_code_free};
  LineContext context = line_context();
  LineMatch match = line_match();

  int search(std::string_view text, std::uint32_t options) const {
    return pcre2_match(code.get(), line_bytes(text), text.size(), 0, options, match.get(),
                       context.get());
  }
  Result<bool> finds(std::string_view text) const {
    int found = search(text, 0);
    // The compiled form has a small stack of its own; the interpreter takes longer texts.
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = search(text, PCRE2_NO_JIT);
    if (found >= 0) return true;
    if (found == PCRE2_ERROR_NOMATCH) return false;
    return fail(ErrorCode::exhausted, "the pattern cannot be searched: " + line_error_text(found));
  }
};

LinePattern::LinePattern(std::unique_ptr<const Program> program) : program_(std::move(program)) {}
LinePattern::LinePattern(LinePattern&&) noexcept = default;
LinePattern& LinePattern::operator=(LinePattern&&) noexcept = default;
LinePattern::~LinePattern() = default;

Result<LinePattern> LinePattern::compile(std::string_view source,
                                         const LinePatternOptions& options) {
  Result<std::string> text = std::string(source);
  if (!options.is_literal) {
    text = LineTranslator(source).translate();
  } else if (const auto feed = source.find('\n'); feed != std::string_view::npos) {
    text = std::unexpected(line_pattern_error(feed, "a match lies within one line"));
  }
  auto code = text ? compile_line(*text, options) : std::unexpected(text.error());
  if (!code) {
    return fail(ErrorCode::rejected,
                "invalid pattern '" + std::string(source) + "': " + code.error().message);
  }
  auto program = std::make_unique<Program>();
  program->code = *std::move(code);
  return LinePattern(std::move(program));
}

Result<bool> LinePattern::is_in(std::string_view line) const {
  auto found = program_->finds(line);
  if (!found || *found || !line.ends_with('\r')) return found;
  return program_->finds(line.substr(0, line.size() - 1));
}

}  // namespace plumb
