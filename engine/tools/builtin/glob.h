// SPDX-License-Identifier: Apache-2.0
// Shell patterns over paths with "/": * ? [a-z] ** and, where asked for, {a,b}. One matcher for the
// patterns of grep and find (GREP-08, FIND-02) and for the lines of ignore files (GREP-03).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/result.h"

namespace plumb::engine {

struct GlobOptions {
  /// {a,b} is a choice; else braces are letters, as git reads them.
  bool has_choices = true;
  bool ignores_case = false;
  /// ? and [..] take one byte, as git does, else one character.
  bool is_bytewise = false;
};

/// How many patterns the choices of one may stand for.
inline constexpr std::int64_t kGlobChoicesMax = 1000;
/// Characters of a pattern that may have choices: each is a copy of most of it.
inline constexpr std::int64_t kGlobChoiceLettersMax = 10'000;

/// Whether `text` has a letter that lower case would change.
bool has_upper_case(std::string_view text);

/// A compiled pattern. Immutable; thread-safe. * and ? and [..] never match "/"; ** as a whole
/// part of a path matches any number of parts; elsewhere it is a *.
class Glob final {
 public:
  /// Errors: rejected, for an open [ or {, a range the wrong way round, a \ at the end, more than
  /// kGlobChoicesMax choices, and more than kGlobChoiceLettersMax characters with choices.
  static Result<Glob> compile(std::string_view pattern, const GlobOptions& options = GlobOptions());

  /// Whether the pattern matches the whole of `path`.
  bool matches(std::string_view path) const;

 private:
  enum class Kind : std::uint8_t { letter, any, set, star, folders, rest };
  struct Token {
    Kind kind = Kind::letter;
    char32_t letter = 0;
    bool is_negated = false;
    std::vector<std::pair<char32_t, char32_t>> ranges;
  };
  using Tokens = std::vector<Token>;
  class Parser;
  class Match;

  std::u32string letters_of(std::string_view text) const;

  GlobOptions options_;
  std::vector<Tokens> choices_;
};

}  // namespace plumb::engine
