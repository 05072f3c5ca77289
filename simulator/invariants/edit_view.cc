// SPDX-License-Identifier: Apache-2.0
// What the rules of edit ask about a call.
#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
const Event* edit_end_event(const EditCase& edit) {
  return first(*edit.call, "tool_execution_end");
}

bool ran_undisturbed(const EditCase& edit, const Story& story) {
  return edit.is_decidable && has_executed(*edit.call) && is_undisturbed(*edit.call, story);
}

bool ran_with(const EditCase& edit, EditFault fault, const Story& story) {
  return edit.fault == fault && ran_undisturbed(edit, story);
}

Complaint refused_and_unchanged(const EditCase& edit, const Story&) {
  if (!is_error(*edit.call)) {
    return finding("the edit of " + edit.path + " was accepted", edit_end_event(edit));
  }
  if (!edit.final_text) return std::nullopt;
  return differ(edit.path + " changed although the edit must be refused", Json(*edit.original),
                Json(*edit.final_text), edit_end_event(edit));
}

Complaint bytes_as_expected(const EditCase& edit, const Story&) {
  if (is_error(*edit.call)) return finding("a valid edit was refused", edit_end_event(edit));
  if (!edit.expected || edit.final_state == nullptr) return std::nullopt;
  if (!edit.final_text) return finding(edit.path + " is no text any more", edit_end_event(edit));
  return differ("bytes of " + edit.path, Json(*edit.expected), Json(*edit.final_text),
                edit_end_event(edit));
}

}  // namespace plumb::invariants
