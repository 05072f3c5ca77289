// SPDX-License-Identifier: Apache-2.0
// ECMAScript regular expressions with the u flag, as JSON Schema's `pattern` means them. They are
// translated to PCRE2, token by token; what PCRE2 cannot do (lookbehind of unbounded length) is
// refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"

namespace plumb {

/// Steps that one search may take; `(a+)+$` reaches it on thirty letters within milliseconds.
inline constexpr std::uint32_t kPatternStepsMax = 2'000'000;

/// A pattern in PCRE2's syntax, with the source offset that each translated token came from.
struct TranslatedPattern {
  struct Token {
    std::int64_t translated_offset = 0;
    std::int64_t source_offset = 0;
  };
  std::string text;
  std::vector<Token> tokens;  ///< In ascending order.
};

/// Errors: rejected, for what ECMAScript refuses under the u flag; the message names the byte
/// offset.
Result<TranslatedPattern> translate_pattern(std::string_view source);

/// A compiled pattern. Immutable, thread-safe.
class EcmaPattern final {
 public:
  /// Errors: rejected, as "invalid pattern 'x': offset N: why".
  static Result<EcmaPattern> compile(std::string_view source);

  EcmaPattern(EcmaPattern&&) noexcept;
  EcmaPattern& operator=(EcmaPattern&&) noexcept;
  ~EcmaPattern();

  /// Whether the pattern matches anywhere in `text`.
  /// Errors: exhausted, when kPatternStepsMax is reached; invalid, when `text` is not UTF-8.
  Result<bool> search(std::string_view text) const;

  const std::string& source() const;

 private:
  struct Program;
  explicit EcmaPattern(std::unique_ptr<const Program> program);
  std::unique_ptr<const Program> program_;
};

}  // namespace plumb
