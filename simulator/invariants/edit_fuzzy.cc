// SPDX-License-Identifier: Apache-2.0
// Strict and fuzzy matching: what edition seed does not find although a normalised search would,
// and what pi-1.6.0 finds so (EDIT-58..63). Like in edit_bytes.cc the expectation is the edit
// case's; each rule is a reason to look.
#include <algorithm>
#include <array>
#include <utility>

#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/edit_match.h"

namespace plumb::invariants {
namespace {

bool is_line_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_good_edit(const EditCase& edit, const Story& story) {
  return ran_with(edit, EditFault::none, story) && edit.expected.has_value();
}

// ------------------------------------------------------------------ seed

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kPlainForms{{
    {"\xE2\x80\x98", "'"},
    {"\xE2\x80\x99", "'"},
    {"\xE2\x80\x9A", "'"},
    {"\xE2\x80\x9B", "'"},
    {"\xE2\x80\x9C", "\""},
    {"\xE2\x80\x9D", "\""},
    {"\xE2\x80\x9E", "\""},
    {"\xE2\x80\x9F", "\""},
    {"\xE2\x80\x93", "-"},
    {"\xE2\x80\x94", "-"},
    {"\xE2\x88\x92", "-"},
    {"\xC2\xA0", " "},
}};

/// Quotes, dashes and blanks in their plain form, and no blanks before line ends: the part of
/// EDIT-59 that needs no table of characters.
std::string plain_form(std::string_view text) {
  std::string plain(text);
  for (const auto& [from, to] : kPlainForms) {
    for (auto at = plain.find(from); at != std::string::npos; at = plain.find(from, at)) {
      plain.replace(at, from.size(), to);
    }
  }
  for (auto at = plain.find('\n'); at != std::string::npos; at = plain.find('\n', at + 1)) {
    for (; at > 0 && is_line_blank(plain[at - 1]); --at) plain.erase(at - 1, 1);
  }
  return plain;
}

std::int64_t plain_count(const EditCase& edit, std::size_t index) {
  const std::string text = plain_form(normal_text(*edit.original));
  const std::string wanted = plain_form(normal_text(edit.changes[index].old_text));
  std::int64_t number = 0;
  if (wanted.empty()) return number;
  for (auto at = text.find(wanted); at != std::string::npos;
       at = text.find(wanted, at + wanted.size())) {
    ++number;
  }
  return number;
}

/// EDIT-58: only normalising would find it.
bool is_found_in_plain_form(const EditCase& edit, const Story& story) {
  return story.is_edition("seed") && ran_with(edit, EditFault::not_found, story) &&
         plain_count(edit, static_cast<std::size_t>(edit.first)) > 0;
}

/// EDIT-63: the literal text is unique, its plain form is not.
bool is_ambiguous_in_plain_form(const EditCase& edit, const Story& story) {
  if (!story.is_edition("seed") || !is_good_edit(edit, story)) return false;
  for (std::size_t i = 0; i < edit.changes.size(); ++i) {
    if (plain_count(edit, i) > 1) return true;
  }
  return false;
}

// ------------------------------------------------------------------ pi-1.6.0

bool is_normalised_edit(const EditCase& edit, const Story& story) {
  return is_good_edit(edit, story) && edit.partly_normalised.has_value();
}

std::size_t written_count(const EditCase& edit, std::size_t index) {
  const std::string wanted = with_line_feeds(edit.changes[index].old_text);
  return find_all(normal_text(*edit.original), wanted).starts.size();
}

/// EDIT-58: found as written, in a file that normalising would change.
bool is_found_as_written(const EditCase& edit, const Story& story) {
  if (story.is_edition("seed") || !is_good_edit(edit, story)) return false;
  const std::string text = normal_text(*edit.original);
  return !edit.partly_normalised && normalised_text(text) != text;
}

/// Lower case, and without blanks and zero-width spaces: none of it is normalised (EDIT-60).
std::string folded_text(std::string_view text) {
  std::string folded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\u200b")) {
      i += 2;
      continue;
    }
    const char c = text[i];
    if (!is_line_blank(c)) folded += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return folded;
}

bool is_found_when_folded(const EditCase& edit, const Story& story) {
  if (story.is_edition("seed") || !ran_with(edit, EditFault::not_found, story)) return false;
  const auto& change = edit.changes[static_cast<std::size_t>(edit.first)];
  const std::string wanted = folded_text(normalised_text(normal_text(change.old_text)));
  const std::string text = folded_text(normalised_text(normal_text(*edit.original)));
  return !wanted.empty() && text.contains(wanted);
}

/// EDIT-61: one of several edits would be found as written.
bool moves_an_exact_edit(const EditCase& edit, const Story& story) {
  if (!is_normalised_edit(edit, story)) return false;
  for (std::size_t i = 0; i < edit.changes.size(); ++i) {
    if (written_count(edit, i) == 1) return true;
  }
  return false;
}

/// EDIT-62: a line that no edit touches would be another one in normalised form.
bool leaves_a_line_to_keep(const EditCase& edit, const Story& story) {
  return is_normalised_edit(edit, story) &&
         normal_text(*edit.partly_normalised) != normalised_text(normal_text(*edit.original));
}

/// EDIT-63: only the normalised form has several places.
bool is_ambiguous_when_normalised(const EditCase& edit, const Story& story) {
  return !story.is_edition("seed") && ran_with(edit, EditFault::repeated, story) &&
         written_count(edit, static_cast<std::size_t>(edit.first)) <= 1;
}

// ------------------------------------------------------------------ both

bool depends_on_the_second_search(const EditCase& edit, const Story& story) {
  return is_found_in_plain_form(edit, story) || is_found_as_written(edit, story) ||
         is_normalised_edit(edit, story);
}

bool depends_on_the_count(const EditCase& edit, const Story& story) {
  return is_ambiguous_in_plain_form(edit, story) || is_ambiguous_when_normalised(edit, story);
}

Complaint ends_as_matched(const EditCase& edit, const Story& story) {
  return edit.fault == EditFault::none ? bytes_as_expected(edit, story)
                                       : refused_and_unchanged(edit, story);
}

Rule fuzzy_rule(std::string id, std::string how, Condition<EditCase> condition) {
  return rule(std::move(id), std::move(how))
      .for_each_edit()
      .when(std::move(condition))
      .expect(ends_as_matched);
}

}  // namespace

std::vector<Rule> edit_fuzzy_rules() {
  return {
      fuzzy_rule("EDIT-58",
                 "what is found as written is edited so; what only a normalised search finds is an "
                 "error in edition seed and is edited in pi-1.6.0",
                 depends_on_the_second_search),
      fuzzy_rule("EDIT-59", "pi-1.6.0: a text that occurs in normalised form is edited",
                 is_normalised_edit),
      fuzzy_rule(
          "EDIT-60",
          "pi-1.6.0: blanks within a line, letter case and U+200B are not normalised: such a "
          "text is not found",
          is_found_when_folded),
      fuzzy_rule("EDIT-61",
                 "pi-1.6.0: an edit that is found as written is made in normalised text too when "
                 "another one of the call is found only there",
                 moves_an_exact_edit),
      fuzzy_rule("EDIT-62", "pi-1.6.0: lines that no edit touches are not normalised",
                 leaves_a_line_to_keep),
      fuzzy_rule("EDIT-63",
                 "a text that is unique as written and ambiguous in normalised form is edited in "
                 "edition seed and refused in pi-1.6.0",
                 depends_on_the_count),
  };
}

}  // namespace plumb::invariants
