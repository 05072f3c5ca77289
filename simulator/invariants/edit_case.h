// SPDX-License-Identifier: Apache-2.0
// The edit calls of a trace beside what the rules say they must do. The expectation is made from
// the file as it was and the call's arguments alone, in the original text, exactly as written
// (EDIT-02, EDIT-05); it shares nothing with any engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// One replacement that a call asks for.
struct TextChange {
  std::string old_text;
  std::string new_text;
};

/// The places of an old text in the original, as half-open byte ranges of its normal form (no BOM,
/// line ends as LF).
struct Occurrences {
  std::vector<std::int64_t> starts;
  std::int64_t length = 0;
};

enum class EditFault : std::uint8_t { none, no_edits, not_found, repeated, overlap, no_change };

/// What must become of one edit call. `original`: the file's bytes, nothing when the trace does not
/// tell them. `fault`: why it must be refused; `first`, `second`: the edits concerned. `expected`:
/// the bytes after success, nothing for mixed line ends, where only `kept_ranges` is certain.
struct EditCase {
  const Call* call = nullptr;
  std::string path;
  std::vector<TextChange> changes;
  std::optional<std::string> original;
  std::vector<Occurrences> places;
  EditFault fault = EditFault::none;
  std::int64_t first = -1;
  std::int64_t second = -1;
  std::optional<std::string> expected;
  std::optional<std::string> final_text;  ///< When nothing changed the file after this call.
  bool is_decidable = false;  ///< The edition matches exactly here, and the file is known.
};

/// All calls of the tool edit, in the order in which they settled.
std::vector<EditCase> edit_cases(const Story& story);

/// The edits of a call as they are meant: a list, a list as text (EDIT-46), the old pair last
/// (EDIT-44). Nothing if they are none of these.
std::optional<std::vector<TextChange>> changes_in(const Json& arguments);

/// The normal form: no BOM, LF only.
std::string normal_text(std::string_view bytes);

}  // namespace plumb::invariants
