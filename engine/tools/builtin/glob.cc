// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/glob.h"

#include <algorithm>
#include <array>
#include <optional>

#include <utf8proc.h>

#include "engine/values/utf8.h"

namespace plumb::engine {
namespace {

char32_t lower_of(char32_t c) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

char32_t upper_of(char32_t c) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
}

Error glob_error(std::string_view pattern, std::string_view why) {
  return Error{
      ErrorCode::rejected, "invalid glob '" + std::string(pattern) + "': " + std::string(why), {}};
}

using Ranges = std::vector<std::pair<char32_t, char32_t>>;

struct NamedClass {
  std::u32string_view name;
  std::array<std::pair<char32_t, char32_t>, 4> ranges;
  std::size_t count;
};

// Of ASCII alone, as in the C locale.
constexpr std::array<NamedClass, 12> kNamedClasses{{
    {U"alpha", {{{'a', 'z'}, {'A', 'Z'}}}, 2},
    {U"digit", {{{'0', '9'}}}, 1},
    {U"alnum", {{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}}}, 3},
    {U"upper", {{{'A', 'Z'}}}, 1},
    {U"lower", {{{'a', 'z'}}}, 1},
    {U"space", {{{' ', ' '}, {'\t', '\r'}}}, 2},
    {U"blank", {{{' ', ' '}, {'\t', '\t'}}}, 2},
    {U"punct", {{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}}, 4},
    {U"print", {{{' ', '~'}}}, 1},
    {U"graph", {{{'!', '~'}}}, 1},
    {U"cntrl", {{{0, 31}, {127, 127}}}, 2},
    {U"xdigit", {{{'0', '9'}, {'a', 'f'}, {'A', 'F'}}}, 3},
}};

bool add_named_class(std::u32string_view name, Ranges& ranges) {
  const auto* const found = std::ranges::find(kNamedClasses, name, &NamedClass::name);
  if (found == kNamedClasses.end()) return false;
  for (std::size_t i = 0; i < found->count; ++i) ranges.push_back(found->ranges[i]);
  return true;
}

/// What stands between [ and its ]. `end`: the place of the ].
struct LetterSet {
  bool is_negated = false;
  Ranges ranges;
  std::size_t end = 0;
  std::string error;
};

/// Reads a set as git does: a class such as [:alpha:] ends at the next ], a range may have any
/// letter as its end, and its first one counts whatever the range is.
class SetReader final {
 public:
  SetReader(std::u32string_view text, std::size_t open, bool takes_empty_ranges)
      : text_(text), at_(open + 1), takes_empty_ranges_(takes_empty_ranges) {}

  /// Nothing if no ] ends it.
  std::optional<LetterSet> read() {
    if (at_ < text_.size() && (text_[at_] == '!' || text_[at_] == '^')) {
      set_.is_negated = true;
      ++at_;
    }
    for (bool is_first = true; at_ < text_.size(); is_first = false) {
      if (text_[at_] == ']' && !is_first) {
        set_.end = at_;
        return std::move(set_);
      }
      if (!read_class() && !read_range()) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool read_class() {
    if (!text_.substr(at_).starts_with(U"[:")) return false;
    const auto close = text_.find(U']', at_ + 2);
    if (close == std::u32string_view::npos || close == at_ + 2 || text_[close - 1] != ':') {
      return false;
    }
    const auto name = text_.substr(at_ + 2, close - 1 - (at_ + 2));
    if (!add_named_class(name, set_.ranges)) set_.error = "an unknown class in [ ]";
    at_ = close + 1;
    return true;
  }

  std::optional<char32_t> read_member() {
    if (at_ < text_.size() && text_[at_] == '\\') ++at_;
    if (at_ >= text_.size()) return std::nullopt;
    return text_[at_++];
  }

  bool read_range() {
    const auto first = read_member();
    if (!first) return false;
    set_.ranges.emplace_back(*first, *first);
    if (at_ + 1 >= text_.size() || text_[at_] != '-' || text_[at_ + 1] == ']') return true;
    ++at_;
    const auto last = read_member();
    if (!last) return false;
    if (*last < *first && !takes_empty_ranges_) set_.error = "a range the wrong way round";
    set_.ranges.emplace_back(*first, *last);
    return true;
  }

  std::u32string_view text_;
  std::size_t at_;
  bool takes_empty_ranges_;
  LetterSet set_;
};

/// The outermost choice of a pattern: {first,second}.
struct Braces {
  std::size_t open = 0;
  std::size_t close = 0;
  std::vector<std::size_t> commas;
};

/// Nothing without braces; an error for braces that nothing closes.
Result<std::optional<Braces>> find_braces(std::u32string_view text) {
  std::optional<Braces> braces;
  std::int64_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '[') {
      if (const auto set = SetReader(text, at, true).read()) at = set->end;
    } else if (text[at] == '{' && depth++ == 0) {
      braces = Braces{at, 0, {}};
    } else if (text[at] == ',' && depth == 1) {
      braces->commas.push_back(at);
    } else if (text[at] == '}' && depth > 0 && --depth == 0) {
      braces->close = at;
      return braces;
    }
  }
  if (depth > 0) return fail(ErrorCode::rejected, "a { without its }");
  return std::optional<Braces>();
}

/// All patterns without braces that `text` stands for.
Result<std::vector<std::u32string>> without_braces(std::u32string text) {
  std::vector<std::u32string> done;
  std::vector<std::u32string> open{std::move(text)};
  while (!open.empty()) {
    const std::u32string next = std::move(open.back());
    open.pop_back();
    PLUMB_TRY(const auto braces, find_braces(next));
    if (!braces) {
      done.push_back(next);
      continue;
    }
    std::vector<std::size_t> ends = braces->commas;
    ends.push_back(braces->close);
    if (std::ssize(done) + std::ssize(open) + std::ssize(ends) > kGlobChoicesMax) {
      return fail(ErrorCode::rejected, "more than " + std::to_string(kGlobChoicesMax) + " choices");
    }
    std::size_t begin = braces->open + 1;
    for (const auto end : ends) {
      open.push_back(next.substr(0, braces->open) + next.substr(begin, end - begin) +
                     next.substr(braces->close + 1));
      begin = end + 1;
    }
  }
  return done;
}

}  // namespace

bool has_upper_case(std::string_view text) {
  for (std::int64_t at = 0; at < std::ssize(text);) {
    const CodePoint point = decode_utf8(text, at);
    if (point.length > 0 && lower_of(point.value) != point.value) return true;
    at += std::max<std::int64_t>(point.length, 1);
  }
  return false;
}

/// Reads one pattern without choices.
class Glob::Parser final {
 public:
  Parser(std::u32string_view text, const GlobOptions& options) : text_(text), options_(options) {}

  Result<Tokens> parse() {
    while (at_ < text_.size() && error_.empty()) {
      const char32_t c = text_[at_];
      if (c == '*') {
        read_stars();
      } else if (c == '?') {
        add(Kind::any);
        ++at_;
      } else if (c == '[') {
        read_set();
      } else {
        read_letter();
      }
    }
    if (!error_.empty()) return fail(ErrorCode::rejected, error_);
    return std::move(tokens_);
  }

 private:
  void add(Kind kind, char32_t letter = 0) { tokens_.push_back(Token{kind, letter, false, {}}); }

  /// ** is any number of folders as a whole part, everything at the end; else it is a *.
  void read_stars() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] == '*') ++at_;
    // Git takes the letters in front of the first special one away before it looks.
    const bool is_behind_letters =
        options_.is_bytewise && text_.substr(0, begin).find_first_of(U"*?[\\") == text_.npos;
    const bool is_part_start = begin == 0 || text_[begin - 1] == '/' || is_behind_letters;
    const bool is_part = at_ - begin > 1 && is_part_start;
    if (is_part && at_ == text_.size()) return add(Kind::rest);
    if (!is_part || text_[at_] != '/') return add(Kind::star);
    ++at_;
    add(Kind::folders);
  }

  void read_letter() {
    if (text_[at_] == '\\' && ++at_ == text_.size()) {
      error_ = "a \\ at the end";
      return;
    }
    const char32_t c = text_[at_++];
    add(Kind::letter, options_.ignores_case ? lower_of(c) : c);
  }

  void read_set() {
    auto set = SetReader(text_, at_, options_.is_bytewise).read();
    if (!set) {
      error_ = "a [ without its ]";
      return;
    }
    if (!set->error.empty()) error_ = set->error;
    at_ = set->end + 1;
    tokens_.push_back(Token{Kind::set, 0, set->is_negated, std::move(set->ranges)});
  }

  std::u32string_view text_;
  const GlobOptions& options_;
  std::size_t at_ = 0;
  Tokens tokens_;
  std::string error_;
};

/// Goes back to the last * within a part, and else to the last **: an earlier one could not match
/// more than it.
class Glob::Match final {
 public:
  Match(const Tokens& tokens, std::u32string_view text, bool ignores_case)
      : tokens_(tokens), text_(text), ignores_case_(ignores_case) {}

  bool run() {
    while (token_ < tokens_.size() || at_ < text_.size()) {
      if (token_ < tokens_.size() && step()) continue;
      if (!go_back()) return false;
    }
    return true;
  }

 private:
  /// One token, as short as possible; false if it does not match here.
  bool step() {
    const Token& token = tokens_[token_];
    switch (token.kind) {
      case Kind::star:
        star_ = Mark{token_ + 1, at_};
        ++token_;
        return true;
      case Kind::folders:
        deep_ = Mark{token_ + 1, at_};
        star_.reset();
        ++token_;
        return true;
      case Kind::rest:
        at_ = text_.size();
        ++token_;
        return true;
      default:
        break;
    }
    if (at_ == text_.size() || !takes(token, text_[at_])) return false;
    ++token_;
    ++at_;
    return true;
  }

  bool takes(const Token& token, char32_t c) const {
    if (token.kind == Kind::letter) return (ignores_case_ ? lower_of(c) : c) == token.letter;
    if (c == '/') return false;
    if (token.kind == Kind::any) return true;
    const auto holds = [&](char32_t one) {
      return std::ranges::any_of(token.ranges, [one](const auto& range) {
        return range.first <= one && one <= range.second;
      });
    };
    const bool is_in = holds(c) || (ignores_case_ && (holds(lower_of(c)) || holds(upper_of(c))));
    return is_in != token.is_negated;
  }

  bool go_back() {
    if (star_ && star_->at < text_.size() && text_[star_->at] != '/') {
      token_ = star_->token;
      at_ = ++star_->at;
      return true;
    }
    star_.reset();
    if (!deep_) return false;
    const auto slash = text_.find('/', deep_->at);
    if (slash == std::u32string_view::npos) return false;
    deep_->at = slash + 1;
    token_ = deep_->token;
    at_ = deep_->at;
    return true;
  }

  struct Mark {
    std::size_t token;
    std::size_t at;
  };

  const Tokens& tokens_;
  std::u32string_view text_;
  bool ignores_case_;
  std::size_t token_ = 0;
  std::size_t at_ = 0;
  std::optional<Mark> star_;
  std::optional<Mark> deep_;
};

Result<Glob> Glob::compile(std::string_view pattern, const GlobOptions& options) {
  Glob glob;
  glob.options_ = options;
  std::vector<std::u32string> texts{glob.letters_of(pattern)};
  if (options.has_choices) {
    if (std::ssize(texts[0]) > kGlobChoiceLettersMax) {
      return std::unexpected(glob_error(
          pattern, "longer than " + std::to_string(kGlobChoiceLettersMax) + " characters"));
    }
    auto chosen = without_braces(std::move(texts[0]));
    if (!chosen) return std::unexpected(glob_error(pattern, chosen.error().message));
    texts = *std::move(chosen);
  }
  for (const auto& text : texts) {
    auto tokens = Parser(text, glob.options_).parse();
    if (!tokens) return std::unexpected(glob_error(pattern, tokens.error().message));
    glob.choices_.push_back(*std::move(tokens));
  }
  return glob;
}

bool Glob::matches(std::string_view path) const {
  const std::u32string text = letters_of(path);
  return std::ranges::any_of(choices_, [&](const Tokens& tokens) {
    return Match(tokens, text, options_.ignores_case).run();
  });
}

/// Bytes that are no UTF-8 are each a letter of their own, outside of Unicode.
std::u32string Glob::letters_of(std::string_view text) const {
  constexpr char32_t kBrokenByte = 0x110000;
  std::u32string letters;
  for (std::int64_t at = 0; at < std::ssize(text);) {
    const auto byte = static_cast<unsigned char>(text[static_cast<std::size_t>(at)]);
    const CodePoint point = options_.is_bytewise ? CodePoint{byte, 1} : decode_utf8(text, at);
    letters += point.length == 0 ? kBrokenByte + byte : point.value;
    at += std::max<std::int64_t>(point.length, 1);
  }
  return letters;
}

}  // namespace plumb::engine
