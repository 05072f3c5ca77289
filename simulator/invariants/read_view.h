// SPDX-License-Identifier: Apache-2.0
// What a call of the built-in read has to show of a text file. Worked out from the file as it was
// at the start, for files that nothing changes in the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulator/invariants/story.h"

namespace plumb::invariants {

inline constexpr std::int64_t kLinesMax = 2000;
inline constexpr std::int64_t kBytesMax = 51200;

/// The lines [first, last] of a text, counted from 1, that a call has to show.
struct Window {
  std::string shown;
  std::int64_t first = 1;
  std::int64_t last = 0;   ///< first - 1 when even the first line is beyond the cap.
  std::int64_t total = 0;  ///< Lines of the file.
  std::string next;        ///< The line after it.
  bool is_cut = false;     ///< By the caps, not by the call's own limit.
  bool is_cut_by_bytes = false;
  bool hides_final_break = false;  ///< Everything fits but the last line break.
  bool is_beyond_end = false;      ///< The offset is greater than the number of lines.
};

const Event* read_end(const Call& call);
/// Whether it is a call of the built-in read that ran on the workspace's files (not on the host's
/// own, READ-31) and that no abort touched.
bool is_builtin_read(const Call& call, const Story& story);
/// One whose file operations did not fail either.
bool is_undisturbed_read(const Call& call, const Story& story);
/// The file's text if the trace tells it and nothing writes to it; else null. Null too for a read
/// that was disturbed.
const std::string* text_of_read(const Call& call, const Story& story);
/// A number among the arguments, as it was given.
std::optional<double> number_given(const Call& call, const char* key);
/// The text must be known.
Window window_of(const Call& call, const Story& story);
/// What stands behind the shown lines; nothing if the result does not begin with them.
std::optional<std::string> notice_after(const Window& window, const Call& call);
/// The whole numbers of a text, in order.
std::vector<std::int64_t> numbers_in(const std::string& text);

}  // namespace plumb::invariants
