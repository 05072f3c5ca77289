// SPDX-License-Identifier: Apache-2.0
// What grep shows of the files that it is given one after the other: matches and the lines around
// them, up to a number of matches (GREP-02, GREP-05..07, GREP-10).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/tools/builtin/shown_list.h"
#include "engine/values/line_pattern.h"

namespace plumb::engine {

struct GrepLimits {
  std::int64_t matches = 100;
  std::int64_t context = 0;  ///< Lines before and after a match.
};

/// A file's bytes as grep reads them: without a byte order mark, from UTF-16 where one says so.
std::string searched_text(std::string bytes);

/// How much of a text found in a folder is searched: nothing of a binary file, which has a NUL
/// within its first 64 KiB, else the lines before a NUL.
std::string_view searched_part(std::string_view text);

/// One loop. Lines of one file at a time; the text outlives its scan.
class GrepScan final {
 public:
  GrepScan(const LinePattern& pattern, GrepLimits limits, ShownList& list)
      : pattern_(pattern), limits_(limits), list_(list) {}

  void begin_file(std::string shown_path, std::string_view text);
  /// Scans up to about `bytes_max` bytes. False when the file or the whole search is at its end.
  /// Errors: exhausted, for a pattern that takes too many steps.
  Result<bool> scan(std::int64_t bytes_max);

  /// Nothing more can be shown.
  bool is_done() const { return is_done_; }
  /// There are more matches than may be shown.
  bool has_more() const { return has_more_; }
  bool has_cut_lines() const { return has_cut_lines_; }

 private:
  void take_line(std::string_view line, bool is_match);
  void show_before();
  void show(std::int64_t number, std::string_view line, bool is_match);

  const LinePattern& pattern_;
  GrepLimits limits_;
  ShownList& list_;

  std::string path_;
  std::string_view text_;
  std::int64_t at_ = 0;
  std::int64_t number_ = 0;        ///< Of the line that ends before `at_`, counted from 1.
  std::int64_t shown_number_ = 0;  ///< The last line of this file that is shown.
  std::int64_t context_end_ = 0;   ///< The last line of the context of a match.
  std::int64_t line_begin_ = 0;
  std::int64_t match_count_ = 0;
  bool is_full_ = false;
  bool has_more_ = false;
  bool has_cut_lines_ = false;
  bool is_done_ = false;
};

}  // namespace plumb::engine
