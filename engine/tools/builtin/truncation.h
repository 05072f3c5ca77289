// SPDX-License-Identifier: Apache-2.0
// The caps on what a built-in tool shows the model (TRUNC-01..11).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/values/json.h"

namespace plumb::engine {

inline constexpr std::int64_t kShownLinesMax = 2000;
inline constexpr std::int64_t kShownBytesMax = 51200;

/// The caps of a cut: both hold (TRUNC-02).
struct ShownMax {
  std::int64_t lines = kShownLinesMax;
  std::int64_t bytes = kShownBytesMax;
  bool operator==(const ShownMax&) const = default;
};

/// Fields of TRUNC-09. `truncated_by`: lines, bytes, or empty.
struct Truncation {
  std::string content;
  bool is_truncated = false;
  std::string truncated_by;
  std::int64_t total_lines = 0;
  std::int64_t total_bytes = 0;
  std::int64_t output_lines = 0;
  std::int64_t output_bytes = 0;
  bool last_line_partial = false;
  bool first_line_exceeds_limit = false;
  ShownMax max;
  bool operator==(const Truncation&) const = default;
};

/// The beginning of `text`, whole lines only (TRUNC-06, TRUNC-08, TRUNC-10).
Truncation truncate_head(std::string_view text, ShownMax max = ShownMax());
/// The end of `text`; part of a line only if the last one is too long (TRUNC-07).
Truncation truncate_tail(std::string_view text, ShownMax max = ShownMax());
Json to_json(const Truncation& truncation);

/// Lines of `text`; a final line break starts no other line (TRUNC-05).
std::int64_t count_lines(std::string_view text);
/// One line, for lists of matches.
struct ShownLine {
  std::string text;
  bool is_truncated = false;
  bool operator==(const ShownLine&) const = default;
};
inline constexpr std::int64_t kLineUnitsMax = 500;
/// The first `units_max` UTF-16 units of `line` and a mark; never half a character (TRUNC-12).
ShownLine truncate_line(std::string_view line, std::int64_t units_max = kLineUnitsMax);

/// nB, n.nKB, n.nMB (TRUNC-11).
std::string format_size(std::int64_t bytes);

}  // namespace plumb::engine
