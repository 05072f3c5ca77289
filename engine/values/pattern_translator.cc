// SPDX-License-Identifier: Apache-2.0
// The translator behind translate_pattern. It knows ECMAScript's grammar under the u flag well
// enough to refuse what ECMAScript refuses, so that nothing reaches PCRE2 with another meaning
// there.
#include <array>
#include <charconv>
#include <optional>

#include "engine/values/ecma_pattern.h"
#include "engine/values/pattern_property.h"
#include "engine/values/utf8.h"

namespace plumb {

namespace {

// White space and line ends of ECMA-262, and all the others, as the inside of a PCRE2 class.
constexpr std::string_view kSpaceSet =
    "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}"
    "\\x{3000}\\x{feff}";
constexpr std::string_view kNotSpaceSet =
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{"
    "2027}"
    "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{"
    "10ffff}";
constexpr std::string_view kDigitSet = "0-9";
constexpr std::string_view kNotDigitSet = "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}";
constexpr std::string_view kWordSet = "0-9A-Z_a-z";
constexpr std::string_view kNotWordSet =
    "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}";

constexpr std::string_view kAnything = "[\\x{0}-\\x{10ffff}]";
constexpr std::string_view kNothing = "[^\\x{0}-\\x{10ffff}]";
constexpr std::string_view kNotLineEnd = "[^\\n\\r\\x{2028}\\x{2029}]";
constexpr std::string_view kSyntaxCharacters = "^$\\.*+?()[]{}|/";

std::string_view set_of_letter(char letter) {
  switch (letter) {
    case 'd':
      return kDigitSet;
    case 'D':
      return kNotDigitSet;
    case 'w':
      return kWordSet;
    case 'W':
      return kNotWordSet;
    case 's':
      return kSpaceSet;
    case 'S':
      return kNotSpaceSet;
    default:
      return {};
  }
}

std::optional<char32_t> control_of_letter(char letter) {
  switch (letter) {
    case 'f':
      return U'\f';
    case 'n':
      return U'\n';
    case 'r':
      return U'\r';
    case 't':
      return U'\t';
    case 'v':
      return U'\v';
    default:
      return {};
  }
}

bool is_pattern_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_pattern_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_lone_surrogate(char32_t value) {
  return value >= 0xD800 && value <= 0xDFFF;
}

std::string hex_escape(char32_t value) {
  std::array<char, 16> buffer{};
  const auto end = std::to_chars(buffer.begin(), buffer.end(), std::uint32_t{value}, 16);
  return "\\x{" + std::string(buffer.begin(), end.ptr) + '}';
}

/// One character or one set of characters; the building block inside and outside of classes.
struct PatternAtom {
  char32_t value = 0;
  std::string set;  ///< The inside of a PCRE2 class; empty for a single character.
};

/// One translation. `false` from a member function means that `error_` is set.
class PatternTranslator final {
 public:
  explicit PatternTranslator(std::string_view source) : source_(source) {}

  Result<TranslatedPattern> translate() {
    if (const std::int64_t offset = find_invalid_utf8(source_); offset >= 0) {
      at_ = static_cast<std::size_t>(offset);
      refuse("bytes that are not UTF-8");
      return std::unexpected(error_);
    }
    while (at_ < source_.size()) {
      result_.tokens.push_back(
          {static_cast<std::int64_t>(result_.text.size()), static_cast<std::int64_t>(at_)});
      if (!translate_token()) return std::unexpected(error_);
    }
    if (!groups_.empty()) {
      refuse("group without its ')'");
      return std::unexpected(error_);
    }
    return std::move(result_);
  }

 private:
  bool refuse(std::string_view why) { return refuse_at(at_, why); }

  bool refuse_at(std::size_t offset, std::string_view why) {
    error_.code = ErrorCode::rejected;
    error_.message = "offset " + std::to_string(offset) + ": " + std::string(why);
    return false;
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool is_end() const { return at_ == source_.size(); }
  bool starts_with(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  bool take(std::string_view text) {
    if (!starts_with(text)) return false;
    at_ += text.size();
    return true;
  }

  bool emit(std::string_view text, bool is_repeatable) {
    result_.text += text;
    is_repeatable_ = is_repeatable;
    return true;
  }

  bool translate_token() {
    switch (peek()) {
      case '\\':
        return translate_escape();
      case '[':
        return translate_class();
      case '(':
        return open_group();
      case ')':
        return close_group();
      case '*':
      case '+':
      case '?':
      case '{':
        return translate_quantifier();
      case '}':
      case ']':
        return refuse("a bracket that closes nothing; expected it escaped");
      case '.':
        ++at_;
        return emit(kNotLineEnd, true);
      case '^':
      case '$':
      case '|':
        return emit(source_.substr(at_++, 1), false);
      default:
        return emit_character(take_code_point());
    }
  }

  char32_t take_code_point() {
    const CodePoint next = decode_utf8(source_, static_cast<std::int64_t>(at_));
    at_ += static_cast<std::size_t>(next.length);
    return next.value;
  }

  // A lone surrogate matches nothing, for it cannot stand in UTF-8.
  bool emit_character(char32_t value) {
    return emit(is_lone_surrogate(value) ? std::string(kNothing) : hex_escape(value), true);
  }

  bool open_group() {
    const bool is_lookahead = starts_with("(?=") || starts_with("(?!");
    const bool is_lookbehind = starts_with("(?<=") || starts_with("(?<!");
    const bool is_named = starts_with("(?<") && !is_lookbehind;
    if (is_named) return open_named_group();
    if (starts_with("(?") && !is_lookahead && !is_lookbehind && !starts_with("(?:")) {
      return refuse("unknown kind of group");
    }
    groups_.push_back(!is_lookahead && !is_lookbehind);
    const std::size_t length = is_lookbehind ? 4 : (starts_with("(?") ? 3 : 1);
    const std::string_view opening = source_.substr(at_, length);
    at_ += length;
    return emit(opening, false);
  }

  bool open_named_group() {
    const std::size_t begin = at_;
    at_ += 3;
    const auto name = take_group_name();
    if (!name) return refuse_at(begin, "group name that is not an identifier closed by '>'");
    groups_.push_back(true);
    return emit("(?<" + *name + '>', false);
  }

  std::optional<std::string> take_group_name() {
    const std::size_t begin = at_;
    while (is_pattern_letter(peek()) || peek() == '_' ||
           (at_ > begin && is_pattern_digit(peek()))) {
      ++at_;
    }
    if (at_ == begin || peek() != '>') return {};
    return std::string(source_.substr(begin, at_++ - begin));
  }

  bool close_group() {
    if (groups_.empty()) return refuse("')' that closes nothing");
    const bool is_repeatable = groups_.back();
    groups_.pop_back();
    ++at_;
    return emit(")", is_repeatable);
  }

  bool translate_quantifier() {
    const std::size_t begin = at_;
    if (peek() == '{' && !skip_counts()) return refuse_at(begin, "expected {n}, {n,} or {n,m}");
    if (!is_repeatable_) return refuse_at(begin, "nothing to repeat");
    if (at_ == begin) ++at_;
    take("?");
    return emit(source_.substr(begin, at_ - begin), false);
  }

  bool skip_counts() {
    const std::size_t begin = at_++;
    const bool has_count = skip_pattern_digits();
    if (take(",")) skip_pattern_digits();
    if (has_count && take("}")) return true;
    at_ = begin;
    return false;
  }

  bool skip_pattern_digits() {
    const std::size_t begin = at_;
    while (is_pattern_digit(peek())) ++at_;
    return at_ > begin;
  }

  bool translate_escape() {
    const std::size_t begin = at_;
    const char letter = peek(1);
    if (letter == 'b' || letter == 'B') {
      at_ += 2;
      return emit(source_.substr(begin, 2), false);
    }
    if (letter == 'k') return translate_named_reference();
    if (letter >= '1' && letter <= '9') {
      ++at_;
      const std::size_t digits = at_;
      skip_pattern_digits();
      return emit("\\g{" + std::string(source_.substr(digits, at_ - digits)) + '}', true);
    }
    PatternAtom atom;
    if (!take_escape(atom)) return false;
    return atom.set.empty() ? emit_character(atom.value) : emit('[' + atom.set + ']', true);
  }

  bool translate_named_reference() {
    const std::size_t begin = at_;
    if (!take("\\k<")) return refuse("expected a group name after \\k");
    const auto name = take_group_name();
    if (!name) return refuse_at(begin, "group name that is not an identifier closed by '>'");
    return emit("\\k<" + *name + '>', true);
  }

  // An escape that may stand in a class and outside; `at_` is at the backslash.
  bool take_escape(PatternAtom& atom) {
    const std::size_t begin = at_++;
    if (is_end()) return refuse_at(begin, "backslash at the end");
    const char letter = source_[at_++];
    if (const std::string_view set = set_of_letter(letter); !set.empty()) {
      atom.set = set;
      return true;
    }
    if (const auto control = control_of_letter(letter)) {
      atom.value = *control;
      return true;
    }
    if (kSyntaxCharacters.contains(letter)) {
      atom.value = static_cast<unsigned char>(letter);
      return true;
    }
    return take_coded_escape(letter, atom) || refuse_at(begin, "unknown escape");
  }

  bool take_coded_escape(char letter, PatternAtom& atom) {
    switch (letter) {
      case '0':
        return !is_pattern_digit(peek());
      case 'c':
        if (!is_pattern_letter(peek())) return false;
        atom.value = static_cast<unsigned char>(source_[at_++]) & 0x1FU;
        return true;
      case 'x':
        return take_hex(2, atom.value);
      case 'u':
        return take_unicode(atom.value);
      case 'p':
      case 'P':
        return take_property(letter == 'P', atom);
      default:
        return false;
    }
  }

  bool take_hex(std::size_t digits, char32_t& value) {
    const std::string_view text = source_.substr(at_, digits);
    std::uint32_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (text.size() != digits || digits == 0 || result.ec != std::errc() ||
        result.ptr != text.data() + digits) {
      return false;
    }
    at_ += digits;
    value = number;
    return true;
  }

  bool take_unicode(char32_t& value) {
    if (take("{")) {
      const std::size_t end = source_.find('}', at_);
      if (end == std::string_view::npos || !take_hex(end - at_, value)) return false;
      return take("}") && value <= 0x10FFFF;
    }
    if (!take_hex(4, value)) return false;
    if (value < 0xD800 || value > 0xDBFF || !starts_with("\\u")) return true;
    const std::size_t before = at_;
    at_ += 2;
    char32_t low = 0;
    if (take_hex(4, low) && low >= 0xDC00 && low <= 0xDFFF) {
      value = 0x10000 + ((value - 0xD800) << 10U) + (low - 0xDC00);
    } else {
      at_ = before;
    }
    return true;
  }

  bool take_property(bool is_negated, PatternAtom& atom) {
    if (!take("{")) return false;
    const std::size_t end = source_.find('}', at_);
    if (end == std::string_view::npos) return false;
    auto property = translate_property(source_.substr(at_, end - at_), is_negated);
    if (!property) return false;
    at_ = end + 1;
    atom.set = *std::move(property);
    return true;
  }

  bool translate_class() {
    const std::size_t begin = at_++;
    const bool is_negated = take("^");
    std::string set;
    while (peek() != ']' || is_end()) {
      if (is_end()) return refuse_at(begin, "class without its ']'");
      if (!translate_range(set)) return false;
    }
    ++at_;
    if (set.empty()) return emit(is_negated ? kAnything : kNothing, true);
    return emit((is_negated ? "[^" : "[") + set + ']', true);
  }

  bool translate_range(std::string& set) {
    const std::size_t begin = at_;
    PatternAtom first;
    if (!take_class_atom(first)) return false;
    const bool is_range = peek() == '-' && at_ + 1 < source_.size() && peek(1) != ']';
    if (!is_range) {
      append_range(set, first, first.value);
      return true;
    }
    ++at_;
    PatternAtom last;
    if (!take_class_atom(last)) return false;
    if (!first.set.empty() || !last.set.empty()) {
      return refuse_at(begin, "range whose end is a set of characters");
    }
    if (last.value < first.value) return refuse_at(begin, "range out of order");
    append_range(set, first, last.value);
    return true;
  }

  bool take_class_atom(PatternAtom& atom) {
    if (peek() != '\\') {
      atom.value = take_code_point();
      return true;
    }
    if (peek(1) != 'b' && peek(1) != '-') return take_escape(atom);
    atom.value = peek(1) == 'b' ? U'\b' : U'-';
    at_ += 2;
    return true;
  }

  // Ends within the surrogates are moved out of them, for PCRE2 refuses them there.
  static void append_range(std::string& set, const PatternAtom& first, char32_t last) {
    if (!first.set.empty()) {
      set += first.set;
      return;
    }
    const char32_t low = is_lone_surrogate(first.value) ? 0xE000 : first.value;
    const char32_t high = is_lone_surrogate(last) ? 0xD7FF : last;
    if (low > high) return;
    set += hex_escape(low);
    if (high > low) set += '-' + hex_escape(high);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool is_repeatable_ = false;
  std::vector<bool> groups_;  ///< For each open group, whether it may be repeated once closed.
  TranslatedPattern result_;
  Error error_;
};

}  // namespace

Result<TranslatedPattern> translate_pattern(std::string_view source) {
  return PatternTranslator(source).translate();
}

}  // namespace plumb
