// SPDX-License-Identifier: Apache-2.0
// Where the edits of one call go in a file, and the file's new bytes. Pure; works on the bytes that
// were read, so that untouched text keeps every byte (EDIT-27, EDIT-67).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::engine {

struct TextEdit {
  std::string old_text;
  std::string new_text;
  bool operator==(const TextEdit&) const = default;
};

/// Half-open range of bytes.
struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool operator==(const ByteRange&) const = default;
};

/// Why a plan was refused (builtins.yaml edit.error_classes).
enum class EditProblem : std::uint8_t {
  none,
  empty_old_text,
  not_found,
  not_unique,
  overlap,
  no_change,
};

/// Spelled as its error class.
std::string_view to_string(EditProblem problem);

/// `edit`, `other`: indexes into the list (for an overlap the one that starts first in the file
/// first, EDIT-37); `count`: occurrences, for not_unique. `bytes`: the new file with BOM and line
/// ends; `before`, `after`: the texts in LF without BOM, for diffs (EDIT-40). Only `none` has them.
struct EditPlan {
  EditProblem problem = EditProblem::none;
  std::int64_t edit = -1;
  std::int64_t other = -1;
  std::int64_t count = 0;
  std::string bytes;
  std::string before;
  std::string after;
  bool operator==(const EditPlan&) const = default;
};

/// Plans all edits against `original` (EDIT-02..15, EDIT-22..35, EDIT-64..69). Literal search in
/// the text with one leading BOM removed and CRLF and CR read as LF. `edits` is not empty.
/// One pass over the file, however many edits. Thread-safe.
EditPlan plan_edits(std::string_view original, std::span<const TextEdit> edits);

/// A refused plan in words for the model; `path` as given. `edit_count`: an index is named when
/// there are several (EDIT-08, EDIT-09, EDIT-11, EDIT-37).
std::string describe_problem(const EditPlan& plan, std::string_view path, std::int64_t edit_count);

}  // namespace plumb::engine
