// SPDX-License-Identifier: Apache-2.0
// Differences of two texts line by line, as a unified patch and as text for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::engine {

/// One run of lines: kept, or replaced. Line numbers from 0, half-open.
struct LineChange {
  std::int64_t old_begin = 0;
  std::int64_t old_end = 0;
  std::int64_t new_begin = 0;
  std::int64_t new_end = 0;
  bool operator==(const LineChange&) const = default;
};

/// The changed runs in order; what lies between is equal. A shortest edit script up to a cost
/// limit, beyond it a valid but coarser one. Thread-safe.
std::vector<LineChange> diff_lines(std::string_view before, std::string_view after);

/// A unified patch with 4 context lines; both header lines name `path` (EDIT-40). Empty when the
/// texts are equal.
std::string unified_patch(std::string_view path, std::string_view before, std::string_view after);

/// Mark, padded line number, text; longer gaps are one line of dots (EDIT-41).
std::string display_diff(std::string_view before, std::string_view after);

/// 1-based line of the first change in the new text, 0 when equal (EDIT-42).
std::int64_t first_changed_line(std::string_view before, std::string_view after);

/// All three at the cost of one comparison.
struct ChangeText {
  std::string patch;
  std::string display;
  std::int64_t first_line = 0;
};
ChangeText describe_change(std::string_view path, std::string_view before, std::string_view after);

}  // namespace plumb::engine
