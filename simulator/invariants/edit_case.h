// SPDX-License-Identifier: Apache-2.0
// The edit calls of a trace beside what the rules say they must do. The expectation is made from
// the file as it was and the call's arguments alone, in the original text, exactly as written
// (EDIT-02, EDIT-05), or as pi-1.6.0 matches (EDIT-58..63); it shares nothing with any engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/invariants/finding.h"
#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// One replacement that a call asks for.
struct TextChange {
  std::string old_text;
  std::string new_text;
};

/// The places of an old text in the original, as half-open byte ranges of its normal form (no BOM,
/// line ends as LF); see bytes_of_places().
struct Occurrences {
  std::vector<std::int64_t> starts;
  std::int64_t length = 0;
};

enum class EditFault : std::uint8_t {
  none,
  no_edits,
  empty_old_text,
  not_found,
  repeated,
  overlap,
  no_change,
};

/// What must become of one edit call. `original`: the file's bytes, nothing when the trace does not
/// tell them. `fault`: why it must be refused; `first`, `second`: the edits concerned. `expected`:
/// the bytes after success, nothing where the rules leave a line break open (EDIT-28).
struct EditCase {
  const Call* call = nullptr;
  std::string path;
  std::string file;  ///< What `path` led to, as far as the trace tells it.
  std::vector<TextChange> changes;
  std::optional<std::string> original;
  std::vector<Occurrences> places;
  EditFault fault = EditFault::none;
  std::int64_t first = -1;
  std::int64_t second = -1;
  std::optional<std::string> expected;
  bool is_mixed = false;  ///< The original has line ends of several kinds, or lone CRs.
  std::optional<std::string> final_text;  ///< When nothing changed the file after this call.
  const Json* final_state = nullptr;      ///< Likewise: its entry in the listing, text or not.
  bool is_decidable = false;  ///< The edition says what is found, and the file is known.
  /// pi-1.6.0, when all edits were found in normalised text: the bytes they are made in (EDIT-62).
  std::optional<std::string> partly_normalised;
};

/// All calls of the tool edit whose results no handler touched, in the order in which they settled.
std::vector<EditCase> edit_cases(const Story& story);

/// The edits of a call as they are meant: a list, a list as text (EDIT-46), the old pair last
/// (EDIT-44). Nothing if they are none of these.
std::optional<std::vector<TextChange>> changes_in(const Json& arguments);

/// The bytes in whose normal form the places of a call without a fault lie.
std::string_view bytes_of_places(const EditCase& edit);

/// The normal form: no BOM, LF only.
std::string normal_text(std::string_view bytes);

// ------------------------------------------------------------------ what rules ask

/// The end event of the call.
const Event* edit_end_event(const EditCase& edit);
/// The call ran on a file that is known; neither an abort nor a failing file ended it early.
bool ran_undisturbed(const EditCase& edit, const Story& story);
/// It did, and it must succeed, or fail for `fault`.
bool ran_with(const EditCase& edit, EditFault fault, const Story& story);
/// The call is an error and the file is what it was.
Complaint refused_and_unchanged(const EditCase& edit, const Story& story);
/// The call succeeded and the file has the bytes that are expected.
Complaint bytes_as_expected(const EditCase& edit, const Story& story);

}  // namespace plumb::invariants
