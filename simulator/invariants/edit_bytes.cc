// SPDX-License-Identifier: Apache-2.0
// Which bytes an edit leaves, case by case: what counts as a match, what becomes of line ends and
// characters. The expected bytes are those of the edit case; each rule here is a reason to look.
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/edit_match.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using ChangeTest = bool (*)(const TextChange& change);

bool is_good(const EditCase& edit, const Story& story) {
  return ran_with(edit, EditFault::none, story) && edit.expected.has_value();
}

/// A valid edit with a change like this.
Condition<EditCase> change_like(ChangeTest test) {
  return [test](const EditCase& edit, const Story& story) {
    return is_good(edit, story) && std::ranges::any_of(edit.changes, test);
  };
}

bool has_carriage_return(const TextChange& change) {
  return change.old_text.contains('\r') || change.new_text.contains('\r');
}

bool is_deletion(const TextChange& change) {
  return change.new_text.empty();
}

bool changes_nothing(const TextChange& change) {
  return normal_text(change.old_text) == normal_text(change.new_text);
}

bool has_replacement_signs(const TextChange& change) {
  return change.new_text.contains('$') || change.new_text.contains('\\') ||
         change.new_text.contains('&');
}

bool is_beyond_ascii(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool has_wide_characters(const TextChange& change) {
  return is_beyond_ascii(change.old_text);
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool ends_in_blanks(const TextChange& change) {
  return !change.old_text.empty() && is_blank(change.old_text.back());
}

/// It occurs again at a place that overlaps the one before.
bool overlaps_itself(const EditCase& edit, const Story& story) {
  if (!ran_undisturbed(edit, story) || !edit.original) return false;
  const std::string text = normal_text(bytes_of_places(edit));
  for (std::size_t i = 0; i < edit.places.size(); ++i) {
    const std::string wanted = normal_text(edit.changes[i].old_text);
    for (const auto start : edit.places[i].starts) {
      const auto again = text.find(wanted, static_cast<std::size_t>(start) + 1);
      if (again < static_cast<std::size_t>(start + edit.places[i].length)) return true;
    }
  }
  return false;
}

/// Success or refusal, as the number of places says.
Complaint ends_as_counted(const EditCase& edit, const Story& story) {
  return edit.fault == EditFault::none ? bytes_as_expected(edit, story)
                                       : refused_and_unchanged(edit, story);
}

bool has_touching_edits(const EditCase& edit, const Story& story) {
  if (!is_good(edit, story)) return false;
  return std::ranges::any_of(edit.places, [&](const Occurrences& one) {
    return std::ranges::any_of(edit.places, [&](const Occurrences& other) {
      return &one != &other && one.starts.front() + one.length == other.starts.front();
    });
  });
}

constexpr std::string_view kFeff = "\xEF\xBB\xBF";

/// U+FEFF that is content, or a file that is left with nothing but its mark.
bool has_inner_mark(const EditCase& edit, const Story& story) {
  if (!ran_undisturbed(edit, story) || !edit.original) return false;
  const auto in_arguments = [](const TextChange& change) {
    return change.old_text.contains(kFeff);
  };
  return edit.original->find(kFeff, 1) != std::string::npos || edit.expected == kFeff ||
         std::ranges::any_of(edit.changes, in_arguments);
}

bool breaks_lines_of_a_mixed_file(const EditCase& edit, const Story& story) {
  const auto has_break = [](const TextChange& change) { return change.new_text.contains('\n'); };
  return is_good(edit, story) && edit.is_mixed && std::ranges::any_of(edit.changes, has_break);
}

/// A replaced range has a line break of a file with carriage returns.
bool covers_a_break(const EditCase& edit, const Story& story) {
  const auto has_break = [](const TextChange& change) {
    return normal_text(change.old_text).contains('\n');
  };
  return is_good(edit, story) && edit.original->contains('\r') &&
         std::ranges::any_of(edit.changes, has_break);
}

/// No edit covers the final line break or writes one at the end.
bool leaves_the_end(const EditCase& edit, const Story& story) {
  if (!is_good(edit, story)) return false;
  const auto end = std::ssize(normal_text(bytes_of_places(edit)));
  for (std::size_t i = 0; i < edit.places.size(); ++i) {
    const auto& place = edit.places[i];
    if (place.starts.front() + place.length != end) continue;
    const auto& [old_text, new_text] = edit.changes[i];
    if (old_text.ends_with('\n') || new_text.ends_with('\n') || new_text.empty()) return false;
  }
  return true;
}

Complaint keeps_the_last_break(const EditCase& edit, const Story&) {
  if (is_error(*edit.call) || !edit.final_text) return std::nullopt;
  return require(edit.original->ends_with('\n') == edit.final_text->ends_with('\n'),
                 "the final line break of " + edit.path + " came or went", edit_end_event(edit));
}

Condition<EditCase> ends_with_fault(EditFault fault) {
  return [fault](const EditCase& edit, const Story& story) { return ran_with(edit, fault, story); };
}

/// EDIT-32: it is the empty text that the error is about, whatever else is wrong.
Complaint names_the_empty_text(const EditCase& edit, const Story&) {
  const auto text = result_text(*edit.call);
  const bool is_told = edit.changes.size() < 2 || says_number(text, edit.first);
  return require(is_told, "the error does not name edit " + std::to_string(edit.first),
                 edit_end_event(edit));
}

/// The result would equal the original, or one edit of several is like that.
bool has_a_change_of_nothing(const EditCase& edit, const Story& story) {
  return ran_with(edit, EditFault::no_change, story) || change_like(changes_nothing)(edit, story);
}

bool differs_in_line_ends_only(const EditCase& edit, const Story& story) {
  if (!ran_with(edit, EditFault::no_change, story)) return false;
  return std::ranges::any_of(
      edit.changes, [](const TextChange& change) { return change.old_text != change.new_text; });
}

// ------------------------------------------------------------------ which edit is meant

bool has_several_and_a_fault(const EditCase& edit, const Story& story) {
  return ran_undisturbed(edit, story) && edit.changes.size() > 1 && edit.first >= 0;
}

std::int64_t start_of_edit(const EditCase& edit, std::int64_t index) {
  return edit.places[static_cast<std::size_t>(index)].starts.front();
}

/// EDIT-37: the index; of an overlap first the edit that starts first in the file.
Complaint names_the_edit(const EditCase& edit, const Story&) {
  // A call that is accepted breaks other rules.
  if (!is_error(*edit.call)) return std::nullopt;
  const auto text = result_text(*edit.call);
  auto first_index = edit.first;
  auto second_index = edit.second;
  if (second_index >= 0 && start_of_edit(edit, second_index) < start_of_edit(edit, first_index)) {
    std::swap(first_index, second_index);
  }
  const auto place = text.find(std::to_string(first_index));
  if (place == std::string::npos || !says_number(text, first_index)) {
    return finding("the error does not name edit " + std::to_string(first_index),
                   edit_end_event(edit));
  }
  if (second_index < 0) return std::nullopt;
  return require(text.find(std::to_string(second_index), place + 1) != std::string::npos,
                 "the error does not name edit " + std::to_string(second_index) + " after it",
                 edit_end_event(edit));
}

// ------------------------------------------------------------------ blanks and other letters

bool has_repeat_beyond_ascii(const EditCase& edit, const Story& story) {
  return ran_with(edit, EditFault::repeated, story) && is_beyond_ascii(*edit.original);
}

bool looks_for_blanks_in_vain(const EditCase& edit, const Story& story) {
  if (!ran_with(edit, EditFault::not_found, story)) return false;
  return std::ranges::all_of(edit.changes[static_cast<std::size_t>(edit.first)].old_text, is_blank);
}

// ------------------------------------------------------------------ tables

Rule good_bytes(std::string id, std::string how, Condition<EditCase> condition) {
  return rule(std::move(id), std::move(how))
      .for_each_edit()
      .when(std::move(condition))
      .expect(bytes_as_expected);
}

std::vector<Rule> match_rules() {
  return {
      rule("EDIT-10", "an oldText that overlaps itself in the file counts without overlap")
          .for_each_edit()
          .when(overlaps_itself)
          .expect(ends_as_counted),
      good_bytes("EDIT-14", "edits of which one ends where the next begins are both made",
                 has_touching_edits),
      rule("EDIT-32", "an empty oldText is an error that names it, and leaves the file")
          .for_each_edit()
          .when(ends_with_fault(EditFault::empty_old_text))
          .expect(refused_and_unchanged)
          .expect(names_the_empty_text),
      rule("EDIT-34", "a call that changes nothing is an error, one such edit of several is none")
          .for_each_edit()
          .when(has_a_change_of_nothing)
          .expect(ends_as_counted),
      rule("EDIT-35", "a newText that differs in line ends only is no change: an error")
          .for_each_edit()
          .when(differs_in_line_ends_only)
          .expect(refused_and_unchanged),
      rule("EDIT-37", "the error of one of several edits has its index; triggered by two edits")
          .for_each_edit()
          .when(has_several_and_a_fault)
          .expect(names_the_edit),
      good_bytes("EDIT-64", "a unique oldText that ends in blanks, or is blank, is edited",
                 change_like(ends_in_blanks)),
      rule("EDIT-65", "an oldText that occurs twice is refused in text beyond ASCII too")
          .for_each_edit()
          .when(has_repeat_beyond_ascii)
          .expect(refused_and_unchanged),
      rule("EDIT-66", "a blank oldText that does not occur is an error")
          .for_each_edit()
          .when(looks_for_blanks_in_vain)
          .expect(refused_and_unchanged),
  };
}

}  // namespace

std::vector<Rule> edit_bytes_rules() {
  std::vector<Rule> rules{
      rule("EDIT-23", "a U+FEFF that is not the first character is content; a mark stays alone")
          .for_each_edit()
          .when(has_inner_mark)
          .expect(ends_as_counted),
      good_bytes("EDIT-25", "line ends of oldText and newText are read as LF",
                 change_like(has_carriage_return)),
      good_bytes("EDIT-28", "in a mixed file new breaks have the end of the line they start in",
                 breaks_lines_of_a_mixed_file),
      good_bytes("EDIT-29", "a range with a line break covers its carriage return", covers_a_break),
      rule("EDIT-30", "an edit before the end neither adds nor removes the final line break")
          .for_each_edit()
          .when(leaves_the_end)
          .expect(keeps_the_last_break),
      good_bytes("EDIT-33", "an empty newText removes the text", change_like(is_deletion)),
      good_bytes("EDIT-68", "an edit of characters beyond ASCII replaces them whole",
                 change_like(has_wide_characters)),
      good_bytes("EDIT-69", "$, & and backslashes of newText are written as they are",
                 change_like(has_replacement_signs)),
  };
  for (auto& rule : match_rules()) rules.push_back(std::move(rule));
  for (auto& rule : edit_fuzzy_rules()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace plumb::invariants
