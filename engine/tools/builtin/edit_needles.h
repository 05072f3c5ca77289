// SPDX-License-Identifier: Apache-2.0
// The texts that the edits of one call look for, and where they are: what the planners of all
// editions share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tools/builtin/edit_planner.h"

namespace plumb::engine {

/// One edit in LF and where it was found.
struct Needle {
  std::string old_text;
  std::string new_text;
  std::int64_t count = 0;
  ByteRange range;
  std::string_view line_end = "\n";  ///< For the line breaks of `new_text` (EDIT-28).

  /// Counts a hit that does not overlap the last one (EDIT-10).
  void hit(std::int64_t at) {
    if (count > 0 && at < next) return;
    if (count == 0) range = ByteRange{at, at + std::ssize(old_text)};
    next = at + std::ssize(old_text);
    ++count;
  }
  std::int64_t next = 0;
};

/// One needle for each edit, its texts in LF (EDIT-25).
std::vector<Needle> needles_of(std::span<const TextEdit> edits);
/// Finds and counts one needle; an empty one is nowhere (EDIT-66).
void find_needle(std::string_view text, Needle& needle);
/// Finds and counts all of them in one pass; none is empty.
void find_needles(std::string_view text, std::vector<Needle>& needles);

EditPlan refused_plan(EditProblem problem, std::int64_t edit, std::int64_t other = -1);
/// Refuses the first edit in list order whose oldText is empty (EDIT-32).
EditPlan check_texts(std::span<const TextEdit> edits);
/// Refuses the first needle in list order that does not occur exactly once (EDIT-05, EDIT-36).
EditPlan check_counts(const std::vector<Needle>& needles);
/// Indexes of the needles in the order of the file.
std::vector<std::int64_t> file_order(const std::vector<Needle>& needles);
/// Refuses ranges that overlap (EDIT-11); `order` as file_order() gives it.
EditPlan check_overlaps(const std::vector<Needle>& needles, const std::vector<std::int64_t>& order);

}  // namespace plumb::engine
