// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/edit_planner.h"

#include <array>
#include <utility>

#include "engine/tools/builtin/edit_needles.h"
#include "engine/tools/builtin/edit_splice.h"

namespace plumb::engine {
namespace {

/// "edits[2]" when there are several edits, else "oldText" alone.
std::string edit_name(std::int64_t edit, std::int64_t edit_count) {
  return edit_count > 1 ? "oldText of edits[" + std::to_string(edit) + "]" : "oldText";
}

}  // namespace

std::string_view to_string(EditProblem problem) {
  constexpr std::array<std::string_view, 6> names{"none",       "empty_old_text", "not_found",
                                                  "not_unique", "overlap",        "no_change"};
  return names[static_cast<std::size_t>(problem)];
}

EditPlan plan_edits(std::string_view original, std::span<const TextEdit> edits) {
  if (auto plan = check_texts(edits); plan.problem != EditProblem::none) return plan;
  const MarkedText file = split_mark(original);
  UnifiedText unified = unify_line_ends(file.raw);
  std::vector<Needle> needles = needles_of(edits);
  find_needles(unified.text, needles);
  if (auto plan = check_counts(needles); plan.problem != EditProblem::none) return plan;
  return plan_as_written(file, std::move(unified), std::move(needles));
}

std::string describe_problem(const EditPlan& plan, std::string_view path, std::int64_t edit_count) {
  const std::string file(path);
  const std::string name = edit_name(plan.edit, edit_count);
  switch (plan.problem) {
    case EditProblem::empty_old_text:
      return name + " is empty: give the exact text of " + file + " that is to be replaced";
    case EditProblem::not_found:
      return name + " was not found in " + file +
             ": it must match the file exactly, whitespace and line breaks included. Read the "
             "place again and copy the text from there";
    case EditProblem::not_unique:
      return name + " occurs " + std::to_string(plan.count) + " times in " + file +
             ": it must be unique. Read a smaller part of the file again and give more context "
             "around the text that is meant";
    case EditProblem::overlap:
      return "edits[" + std::to_string(plan.edit) + "] and edits[" + std::to_string(plan.other) +
             "] overlap in " + file +
             ": nothing was written. Merge them into one edit or make their texts disjoint";
    case EditProblem::no_change:
      return "the edits leave " + file + " as it is: oldText and newText give the same content";
    case EditProblem::none:
      break;
  }
  return "";
}

}  // namespace plumb::engine
