// SPDX-License-Identifier: Apache-2.0
// Mutants of the edit tool: EDIT.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "engine/kernel/files.h"
#include "engine/tools/builtin/edit.h"
#include "engine/tools/builtin/edit_planner.h"
#include "property-tests/mutants/mutant.h"
#include "property-tests/mutants/outer_files.h"
#include "property-tests/mutants/plan_mutants.h"

namespace plumb::simulator {
namespace {

using engine::EditPlan;
using engine::EditProblem;
using engine::Task;
using engine::TextEdit;
using engine::ToolCall;
using engine::ToolDefinition;
using engine::ToolResult;
using Execute = std::function<Task<ToolResult>(ToolCall)>;

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

// ------------------------------------------------------------------ other plans

EditPlan one_after_the_other(std::string_view original, const PlannedEdits& edits) {
  std::string text(original);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    EditPlan plan = engine::plan_edits(text, std::span(edits).subspan(i, 1));
    if (plan.problem != EditProblem::none) {
      plan.edit = static_cast<std::int64_t>(i);
      return plan;
    }
    text = std::move(plan.bytes);
  }
  return plan_of(original, std::move(text));
}

EditPlan at_offsets_of_the_original(std::string_view original, const PlannedEdits& edits) {
  if (auto plan = engine::plan_edits(original, edits); plan.problem != EditProblem::none) {
    return plan;
  }
  std::string text(original);
  for (const auto& edit : edits) {
    const auto at = std::min(original.find(edit.old_text), text.size());
    text.replace(at, edit.old_text.size(), edit.new_text);
  }
  return plan_of(original, std::move(text));
}

/// What occurs more than once is replaced at its first place, or at all.
EditPlan guess_places(std::string_view original, const PlannedEdits& edits, bool takes_all) {
  EditPlan plan = engine::plan_edits(original, edits);
  if (plan.problem != EditProblem::not_unique) return plan;
  std::string text(original);
  for (const auto& edit : edits) {
    auto at = text.find(edit.old_text);
    while (at != std::string::npos) {
      text.replace(at, edit.old_text.size(), edit.new_text);
      at = takes_all ? text.find(edit.old_text, at + edit.new_text.size()) : std::string::npos;
    }
  }
  return plan_of(original, std::move(text));
}

EditPlan nothing_found_is_fine(std::string_view original, const PlannedEdits& edits) {
  EditPlan plan = engine::plan_edits(original, edits);
  return plan.problem == EditProblem::not_found ? plan_of(original, std::string(original)) : plan;
}

/// Edits that cannot be made are left out.
EditPlan leave_out(std::string_view original, PlannedEdits edits, EditProblem problem) {
  EditPlan plan = engine::plan_edits(original, edits);
  while (plan.problem == problem && edits.size() > 1) {
    edits.erase(edits.begin() + plan.edit);
    plan = engine::plan_edits(original, edits);
  }
  return plan;
}

EditPlan equal_edits_are_one(std::string_view original, const PlannedEdits& edits) {
  PlannedEdits different;
  for (const auto& edit : edits) {
    if (std::ranges::find(different, edit) == different.end()) different.push_back(edit);
  }
  return engine::plan_edits(original, different);
}

EditPlan match_raw_bytes(std::string_view original, const PlannedEdits& edits) {
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (original.find(edits[i].old_text) != std::string_view::npos) continue;
    EditPlan plan;
    plan.problem = EditProblem::not_found;
    plan.edit = static_cast<std::int64_t>(i);
    return plan;
  }
  return engine::plan_edits(original, edits);
}

EditPlan without_mark(std::string_view original, const PlannedEdits& edits) {
  EditPlan plan = engine::plan_edits(original, edits);
  if (plan.bytes.starts_with(kUtf8Mark)) plan.bytes.erase(0, kUtf8Mark.size());
  return plan;
}

std::string with_breaks(std::string_view text, std::string_view line_end) {
  std::string converted;
  for (const char c : text) {
    if (c == '\n')
      converted += line_end;
    else
      converted += c;
  }
  return converted;
}

EditPlan with_line_feeds(std::string_view original, const PlannedEdits& edits) {
  EditPlan plan = engine::plan_edits(original, edits);
  if (plan.problem != EditProblem::none) return plan;
  plan.bytes = std::string(original.starts_with(kUtf8Mark) ? kUtf8Mark : "") + plan.after;
  return plan;
}

EditPlan with_the_first_line_end(std::string_view original, const PlannedEdits& edits) {
  EditPlan plan = engine::plan_edits(original, edits);
  if (plan.problem != EditProblem::none) return plan;
  const auto first = original.find('\n');
  const bool is_pair = first != std::string_view::npos && first > 0 && original[first - 1] == '\r';
  plan.bytes = with_breaks(plan.after, is_pair ? "\r\n" : "\n");
  return plan;
}

std::vector<Mutant> planner_mutants() {
  return {
      trips_also(planner_mutant("edits-one-after-the-other", "EDIT-02",
                                "each edit sees the text that the ones before it left",
                                one_after_the_other),
                 {"EDIT-26"}),
      trips_also(planner_mutant("edit-finds-text-of-another-edit", "EDIT-03",
                                "text that another edit writes is found", one_after_the_other),
                 {"EDIT-05", "EDIT-07", "EDIT-15"}),
      trips_also(planner_mutant("edits-at-stale-offsets", "EDIT-04",
                                "edits are applied in list order at the original's offsets",
                                at_offsets_of_the_original),
                 {"EDIT-02", "EDIT-39", "EDIT-30"}),
      trips_also(
          planner_mutant(
              "edit-takes-the-first-place", "EDIT-05", "of several places the first is replaced",
              [](auto original, auto edits) { return guess_places(original, edits, false); }),
          {"EDIT-06", "EDIT-08", "EDIT-15", "EDIT-65"}),
      trips_also(planner_mutant("edit-counts-in-the-edited-text", "EDIT-06",
                                "places are counted after the edits before", one_after_the_other),
                 {"EDIT-05", "EDIT-08", "EDIT-15"}),
      trips_also(planner_mutant("edit-without-a-match-succeeds", "EDIT-07",
                                "text that is not found leaves the file and is a success",
                                nothing_found_is_fine),
                 {"EDIT-03", "EDIT-05", "EDIT-15"}),
      trips_also(planner_mutant(
                     "edit-takes-all-places", "EDIT-08", "all places are replaced",
                     [](auto original, auto edits) { return guess_places(original, edits, true); }),
                 {"EDIT-05", "EDIT-06", "EDIT-15"}),
      trips_also(planner_mutant("edit-overlap-last-wins", "EDIT-11",
                                "of two overlapping edits the later one is made",
                                [](auto original, auto edits) {
                                  return leave_out(original, edits, EditProblem::overlap);
                                }),
                 {"EDIT-15"}),
      trips_also(planner_mutant("edit-repeated-is-made-once", "EDIT-12",
                                "equal edits are made once", equal_edits_are_one),
                 {"EDIT-11", "EDIT-15"}),
      trips_also(planner_mutant("edit-makes-what-it-can", "EDIT-15",
                                "edits whose text is not found are left out",
                                [](auto original, auto edits) {
                                  return leave_out(original, edits, EditProblem::not_found);
                                }),
                 {"EDIT-05", "EDIT-07"}),
      trips_also(planner_mutant("edit-drops-the-mark", "EDIT-22", "the byte order mark is lost",
                                without_mark),
                 {"EDIT-24", "EDIT-23", "EDIT-29", "EDIT-33", "EDIT-02"}),
      trips_also(planner_mutant("edit-matches-raw-bytes", "EDIT-24",
                                "carriage returns of the file are matched", match_raw_bytes),
                 {"EDIT-22", "EDIT-26", "EDIT-29", "EDIT-02"}),
      trips_also(planner_mutant("edit-writes-line-feeds", "EDIT-26",
                                "a CRLF file becomes an LF file", with_line_feeds),
                 {"EDIT-22", "EDIT-24", "EDIT-29", "EDIT-02"}),
      trips_also(planner_mutant("edit-makes-line-ends-equal", "EDIT-27",
                                "the whole file gets the line end that is found first",
                                with_the_first_line_end),
                 {"EDIT-28", "EDIT-02"}),
  };
}

// ------------------------------------------------------------------ other steps

/// Access is checked after reading.
class LateAccess final : public OuterFiles {
 public:
  using OuterFiles::OuterFiles;

  Task<Result<engine::FileReply>> perform(engine::FileRequest request) override {
    if (request.op == engine::FileOp::access) return grant();
    if (request.op == engine::FileOp::read) return read_first(std::move(request));
    return inner_.perform(std::move(request));
  }

 private:
  static Task<Result<engine::FileReply>> grant() { co_return engine::FileReply(); }
  Task<Result<engine::FileReply>> read_first(engine::FileRequest request) {
    const std::string path = request.path;
    auto reply = co_await inner_.perform(std::move(request));
    const auto granted = co_await inner_.access(path, engine::AccessMode::read_write);
    if (!granted) co_return std::unexpected(granted.error());
    co_return reply;
  }
};

Mutant late_access() {
  Mutant mutant = files_mutant<LateAccess>("edit-reads-before-the-access-check", "EDIT-16",
                                           "the access check follows the read");
  mutant.also = {"EDIT-19"};
  return mutant;
}

Task<ToolResult> accept_no_edits(Execute inner, ToolCall call) {
  const auto edits = call.params->find("edits");
  if (edits != call.params->end() && edits->is_array() && edits->empty()) {
    co_return engine::text_result("Replaced 0 blocks");
  }
  ToolResult result = co_await inner(std::move(call));
  co_return result;
}

Task<ToolResult> prepare_late(Execute inner, ToolCall call) {
  call.params = std::make_shared<Json>(engine::prepare_edit_arguments(*call.params));
  ToolResult result = co_await inner(std::move(call));
  co_return result;
}

Task<ToolResult> run_without_signal(Execute inner, ToolCall call) {
  call.signal = engine::AbortSignal();
  ToolResult result = co_await inner(std::move(call));
  co_return result;
}

void wrap_edit(ToolDefinition& tool, Task<ToolResult> (*wrapper)(Execute, ToolCall)) {
  tool.execute = [wrapper, inner = tool.execute](ToolCall call) {
    return wrapper(inner, std::move(call));
  };
}

Json drop_the_pair(Json raw) {
  if (raw.is_object() && raw.contains("edits")) {
    raw.erase("oldText");
    raw.erase("newText");
  }
  return engine::prepare_edit_arguments(std::move(raw));
}

Json leave_text_lists(Json raw) {
  const bool is_text = raw.is_object() && raw.contains("edits") && raw["edits"].is_string();
  return is_text ? raw : engine::prepare_edit_arguments(std::move(raw));
}

std::vector<Mutant> step_mutants() {
  return {
      late_access(),
      trips_also(broken_tool("edit-without-edits-succeeds", "EDIT-18",
                             "an empty list of edits is a success", "edit",
                             [](ToolDefinition& tool) { wrap_edit(tool, accept_no_edits); }),
                 {"EDIT-38"}),
      broken_tool("edit-drops-the-old-pair", "EDIT-44", "beside a list the old pair is dropped",
                  "edit", [](ToolDefinition& tool) { tool.prepare_arguments = drop_the_pair; }),
      trips_also(broken_tool(
                     "edit-refuses-a-list-as-text", "EDIT-46", "a list as text is not read", "edit",
                     [](ToolDefinition& tool) { tool.prepare_arguments = leave_text_lists; }),
                 {"EDIT-49"}),
      trips_also(broken_tool("edit-prepares-after-the-handlers", "EDIT-49",
                             "handlers see the older shapes of arguments", "edit",
                             [](ToolDefinition& tool) {
                               tool.prepare_arguments = nullptr;
                               tool.parameters = SharedJson(Json{{"type", "object"}});
                               wrap_edit(tool, prepare_late);
                             }),
                 {"EDIT-01", "EDIT-44", "EDIT-46"}),
      trips_also(
          broken_tool("edit-runs-after-the-abort", "EDIT-54", "an edit does not see the abort",
                      "edit", [](ToolDefinition& tool) { wrap_edit(tool, run_without_signal); }),
          {"QUEUE-07", "EDIT-55", "EDIT-56", "ABORT-05"}),
  };
}

}  // namespace

std::vector<Mutant> edit_mutants() {
  std::vector<Mutant> list = planner_mutants();
  std::ranges::move(step_mutants(), std::back_inserter(list));
  return list;
}

}  // namespace plumb::simulator
