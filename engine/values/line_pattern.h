// SPDX-License-Identifier: Apache-2.0
// What grep looks for in a line: a regular expression as search programs know it, or plain text.
// Searched by PCRE2; a pattern that would mean something else to a search program is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/kernel/result.h"

namespace plumb {

struct LinePatternOptions {
  bool is_literal = false;
  bool ignores_case = false;
};

/// Steps that one search may take; a line with a carriage return at its end is searched twice.
inline constexpr std::uint32_t kLineStepsMax = 10'000'000;

/// A compiled pattern. One thread.
class LinePattern final {
 public:
  /// Errors: rejected, as "invalid pattern 'x': offset N: why". Also for a line feed: a match lies
  /// within one line.
  static Result<LinePattern> compile(std::string_view source, const LinePatternOptions& options);

  LinePattern(LinePattern&&) noexcept;
  LinePattern& operator=(LinePattern&&) noexcept;
  ~LinePattern();

  /// Whether the pattern matches in `line`, which has no line feed; a carriage return at its end
  /// may count or not. Bytes that are no UTF-8 match nothing. Errors: exhausted, when kLineStepsMax
  /// is reached.
  Result<bool> is_in(std::string_view line) const;

 private:
  struct Program;
  explicit LinePattern(std::unique_ptr<const Program> program);
  std::unique_ptr<const Program> program_;
};

}  // namespace plumb
