// SPDX-License-Identifier: Apache-2.0
#include "property-tests/mutants/fuzzy_mutants.h"

#include <string>
#include <utility>

#include "engine/tools/builtin/edit_planner.h"
#include "engine/tools/builtin/fuzzy_edit_planner.h"
#include "engine/tools/builtin/normalised_text.h"

namespace plumb::simulator {
namespace {

using engine::EditPlan;
using engine::EditProblem;
using engine::TextEdit;
using FuzzyEdits = std::vector<TextEdit>;
using FuzzyPlanner = EditPlan (*)(std::string_view original, const FuzzyEdits& edits);

/// Wrong in pi-1.6.0 only: the seed edition's planner does not match fuzzily.
Mutant fuzzy_mutant(std::string name, std::string rule, std::string change, FuzzyPlanner planner) {
  return policy_mutant(std::move(name), std::move(rule), std::move(change),
                       [planner](engine::Policies& policies) {
                         const auto right = policies.plan_edits;
                         policies.plan_edits = [planner, right](std::string_view original,
                                                                std::span<const TextEdit> edits) {
                           const FuzzyEdits list(edits.begin(), edits.end());
                           const bool is_fuzzy =
                               right("\u2019", FuzzyEdits{{"'", "x"}}).problem == EditProblem::none;
                           return is_fuzzy ? planner(original, list) : right(original, list);
                         };
                       });
}

bool is_found_as_written(std::string_view original, const FuzzyEdits& edits) {
  return engine::plan_edits(original, edits).problem == EditProblem::none;
}

EditPlan search_normalised_first(std::string_view original, const FuzzyEdits& edits) {
  const bool is_exact = is_found_as_written(original, edits);
  return is_exact ? engine::plan_edits_pi(engine::normalised_text(original), edits)
                  : engine::plan_edits_pi(original, edits);
}

EditPlan normalise_no_dashes(std::string_view original, const FuzzyEdits& edits) {
  return original.contains("\u2014") ? engine::plan_edits(original, edits)
                                     : engine::plan_edits_pi(original, edits);
}

std::string with_single_blanks(std::string_view text) {
  std::string collapsed;
  for (const char c : text) {
    if (c != ' ' || !collapsed.ends_with(' ')) collapsed += c;
  }
  return collapsed;
}

EditPlan collapse_blanks(std::string_view original, const FuzzyEdits& edits) {
  EditPlan plan = engine::plan_edits_pi(original, edits);
  if (plan.problem != EditProblem::not_found) return plan;
  FuzzyEdits collapsed = edits;
  for (auto& edit : collapsed) edit.old_text = with_single_blanks(edit.old_text);
  return engine::plan_edits_pi(with_single_blanks(original), collapsed);
}

/// Each edit is found as written if it can be, whatever the others need.
EditPlan mix_two_texts(std::string_view original, const FuzzyEdits& edits) {
  EditPlan whole = engine::plan_edits_pi(original, edits);
  if (whole.problem != EditProblem::none) return whole;
  std::string text(original);
  for (const auto& edit : edits) text = engine::plan_edits_pi(text, FuzzyEdits{edit}).bytes;
  whole.bytes = std::move(text);
  return whole;
}

EditPlan write_normalised_lines(std::string_view original, const FuzzyEdits& edits) {
  EditPlan plan = engine::plan_edits_pi(original, edits);
  if (plan.problem != EditProblem::none || is_found_as_written(original, edits)) return plan;
  if (original.contains('\r')) return plan;  // Line ends are another matter.
  plan.bytes = engine::plan_edits_pi(engine::normalised_text(original), edits).bytes;
  return plan;
}

EditPlan count_as_written(std::string_view original, const FuzzyEdits& edits) {
  return is_found_as_written(original, edits) ? engine::plan_edits(original, edits)
                                              : engine::plan_edits_pi(original, edits);
}

}  // namespace

std::vector<Mutant> fuzzy_mutants() {
  return {
      trips_also(fuzzy_mutant("edit-searches-normalised-text-first", "EDIT-58",
                              "what occurs as written is edited in normalised text",
                              search_normalised_first),
                 {"EDIT-02", "EDIT-39"}),
      trips_also(
          fuzzy_mutant("edit-normalises-no-dashes", "EDIT-59",
                       "a file with an em dash is searched as written only", normalise_no_dashes),
          {"EDIT-02", "EDIT-58", "EDIT-26", "EDIT-68"}),
      trips_also(fuzzy_mutant("edit-collapses-blanks", "EDIT-60", "several blanks match one blank",
                              collapse_blanks),
                 {"EDIT-07"}),
      trips_also(
          fuzzy_mutant("edit-mixes-two-texts", "EDIT-61",
                       "what occurs as written is edited in the original text", mix_two_texts),
          {"EDIT-02", "EDIT-58", "EDIT-59", "EDIT-62"}),
      trips_also(
          fuzzy_mutant("edit-writes-normalised-lines", "EDIT-62",
                       "lines that no edit touches are written normalised", write_normalised_lines),
          {"EDIT-02", "EDIT-58", "EDIT-59", "EDIT-61"}),
      trips_also(fuzzy_mutant("edit-counts-places-as-written", "EDIT-63",
                              "places are counted as written only", count_as_written),
                 {"EDIT-08"}),
  };
}

}  // namespace plumb::simulator
