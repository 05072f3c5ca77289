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
  bool operator==(const Truncation&) const = default;
};

/// The beginning of `text`, whole lines only (TRUNC-06, TRUNC-08, TRUNC-10).
Truncation truncate_head(std::string_view text);
/// The end of `text`; part of a line only if the last one is too long (TRUNC-07).
Truncation truncate_tail(std::string_view text);
Json to_json(const Truncation& truncation);

/// Lines of `text`; a final line break starts no other line (TRUNC-05).
std::int64_t count_lines(std::string_view text);
/// nB, n.nKB, n.nMB (TRUNC-11).
std::string format_size(std::int64_t bytes);

}  // namespace plumb::engine
