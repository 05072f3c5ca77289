// SPDX-License-Identifier: Apache-2.0
// Unique, non-overlapping edits against the original.
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

Condition<EditCase> has_fault(EditFault fault) {
  return [fault](const EditCase& edit, const Story& story) {
    return ran_undisturbed(edit, story) && edit.fault == fault;
  };
}

bool has_any_fault(const EditCase& edit, const Story& story) {
  return ran_undisturbed(edit, story) && edit.fault != EditFault::none &&
         edit.fault != EditFault::no_edits;
}

bool has_no_fault(const EditCase& edit, const Story& story) {
  return ran_undisturbed(edit, story) && edit.fault == EditFault::none;
}

Complaint is_refused_edit(const EditCase& edit, const Story&) {
  return require(is_error(*edit.call), "the edit of " + edit.path + " was accepted",
                 edit_end_event(edit));
}

Complaint file_is_unchanged(const EditCase& edit, const Story&) {
  if (!edit.final_text) return std::nullopt;
  return differ(edit.path + " changed although the edit must be refused", Json(*edit.original),
                Json(*edit.final_text), edit_end_event(edit));
}

Complaint writes_nothing(const EditCase& edit, const Story&) {
  for (const Event* event : all(*edit.call, "file_op")) {
    if (changes_files(event->as<FileOperation>()->op)) {
      return finding("a refused edit changes a file", event);
    }
  }
  return std::nullopt;
}

Complaint names_both_edits(const EditCase& edit, const Story&) {
  const auto text = result_text(*edit.call);
  return require(says_number(text, edit.first) && says_number(text, edit.second),
                 "the error does not name edits " + std::to_string(edit.first) + " and " +
                     std::to_string(edit.second),
                 edit_end_event(edit));
}

Complaint states_the_count(const EditCase& edit, const Story&) {
  const auto number = edit.places[static_cast<std::size_t>(edit.first)].starts.size();
  return require(says_number(result_text(*edit.call), static_cast<std::int64_t>(number)),
                 "the error does not state the " + std::to_string(number) + " occurrences",
                 edit_end_event(edit));
}

// ------------------------------------------------------------------ against the original

bool is_valid_edit(const EditCase& edit, const Story& story) {
  return has_no_fault(edit, story) && edit.expected;
}

Complaint file_is_as_expected(const EditCase& edit, const Story&) {
  if (is_error(*edit.call))
    return finding("a valid edit of " + edit.path + " was refused", edit_end_event(edit));
  if (!edit.expected || !edit.final_text) return std::nullopt;
  return differ("content of " + edit.path + " after the edits", Json(*edit.expected),
                Json(*edit.final_text), edit_end_event(edit));
}

/// The missing text stands in what another edit of the call would write.
bool looks_for_new_text(const EditCase& edit, const Story& story) {
  if (!has_fault(EditFault::not_found)(edit, story)) return false;
  for (std::size_t i = 0; i < edit.changes.size(); ++i) {
    if (!edit.places[i].starts.empty()) continue;
    for (std::size_t j = 0; j < edit.changes.size(); ++j) {
      if (i != j && edit.changes[j].new_text.contains(edit.changes[i].old_text)) return true;
    }
  }
  return false;
}

/// One of the occurrences lies in the range of another edit.
bool is_repeated_under_an_edit(const EditCase& edit, const Story& story) {
  if (!has_fault(EditFault::repeated)(edit, story)) return false;
  const auto& repeated = edit.places[static_cast<std::size_t>(edit.first)];
  for (std::size_t j = 0; j < edit.places.size(); ++j) {
    if (static_cast<std::int64_t>(j) == edit.first || edit.places[j].starts.size() != 1) continue;
    const auto from = edit.places[j].starts.front();
    const auto to = from + edit.places[j].length;
    const auto lies_within = [&](std::int64_t start) {
      return start >= from && start + repeated.length <= to;
    };
    if (std::ranges::any_of(repeated.starts, lies_within)) return true;
  }
  return false;
}

bool is_nested_or_equal(const EditCase& edit, const Story& story) {
  if (!has_fault(EditFault::overlap)(edit, story)) return false;
  const auto& a = edit.places[static_cast<std::size_t>(edit.first)];
  const auto& b = edit.places[static_cast<std::size_t>(edit.second)];
  const auto a_end = a.starts.front() + a.length;
  const auto b_end = b.starts.front() + b.length;
  const bool a_holds_b = a.starts.front() <= b.starts.front() && a_end >= b_end;
  const bool b_holds_a = b.starts.front() <= a.starts.front() && b_end >= a_end;
  return a_holds_b || b_holds_a || a.starts.front() == b.starts.front();
}

bool judges_uniqueness(const EditCase& edit, const Story& story) {
  return story.is_edition("seed") && ran_undisturbed(edit, story) &&
         (edit.fault == EditFault::not_found || edit.fault == EditFault::repeated);
}

bool is_partly_wrong(const EditCase& edit, const Story& story) {
  return has_any_fault(edit, story) &&
         (edit.changes.size() >= 2 || edit.fault == EditFault::no_change);
}

std::vector<Rule> refusal_rules() {
  return {
      rule("EDIT-07", "an oldText that the original lacks is an error and leaves the file")
          .for_each_edit()
          .when(has_fault(EditFault::not_found))
          .expect(is_refused_edit)
          .expect(file_is_unchanged),
      rule("EDIT-08", "an oldText that occurs more than once is an error that states the number")
          .for_each_edit()
          .when(has_fault(EditFault::repeated))
          .expect(is_refused_edit)
          .expect(states_the_count)
          .expect(file_is_unchanged),
      rule("EDIT-11", "edits whose ranges overlap are an error that names both by index")
          .for_each_edit()
          .when(has_fault(EditFault::overlap))
          .expect(is_refused_edit)
          .expect(names_both_edits)
          .expect(file_is_unchanged),
      rule("EDIT-12", "an edit within another, with its start, or given twice, is an overlap")
          .for_each_edit()
          .when(is_nested_or_equal)
          .expect(is_refused_edit)
          .expect(file_is_unchanged),
      rule("EDIT-15",
           "a call with one edit that fails, or without any change, writes nothing at all")
          .for_each_edit()
          .when(is_partly_wrong)
          .expect(is_refused_edit)
          .expect(writes_nothing)
          .expect(file_is_unchanged),
  };
}

}  // namespace

std::vector<Rule> edit_rules() {
  std::vector<Rule> rules{
      rule("EDIT-02",
           "edits that are valid in the original are accepted, and the file holds all of them; "
           "triggered by a call whose every edit is valid there")
          .for_each_edit()
          .when(is_valid_edit)
          .expect(file_is_as_expected),
      rule("EDIT-03", "text that only another edit of the call writes is not found")
          .for_each_edit()
          .when(looks_for_new_text)
          .expect(is_refused_edit)
          .expect(file_is_unchanged),
      rule("EDIT-05", "an edit is refused unless its oldText occurs exactly once in the original")
          .for_each_edit()
          .when(judges_uniqueness)
          .expect(is_refused_edit)
          .expect(file_is_unchanged),
      rule("EDIT-06", "an oldText is ambiguous although another edit covers one of its places")
          .for_each_edit()
          .when(is_repeated_under_an_edit)
          .expect(is_refused_edit)
          .expect(file_is_unchanged),
  };
  for (auto& rule : refusal_rules()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace plumb::invariants
