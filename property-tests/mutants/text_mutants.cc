// SPDX-License-Identifier: Apache-2.0
// Mutants of what edit matches and writes, and of what it says: EDIT.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "engine/model/provider.h"
#include "engine/tools/builtin/edit.h"
#include "engine/tools/builtin/edit_planner.h"
#include "property-tests/mutants/fuzzy_mutants.h"
#include "property-tests/mutants/mutant.h"
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
using AlterResult = std::function<void(ToolResult&)>;
using ExecuteTool = std::function<Task<ToolResult>(ToolCall)>;

EditPlan refuse(EditProblem problem, std::size_t edit, std::int64_t count = 0) {
  EditPlan plan;
  plan.problem = problem;
  plan.edit = static_cast<std::int64_t>(edit);
  plan.count = count;
  return plan;
}

std::int64_t count_of(std::string_view text, std::string_view wanted) {
  std::int64_t count = 0;
  if (wanted.empty()) return count;
  for (auto at = text.find(wanted); at != text.npos; at = text.find(wanted, at + wanted.size())) {
    ++count;
  }
  return count;
}

// ------------------------------------------------------------------ matching

EditPlan insert_at_the_start(std::string_view original, const PlannedEdits& edits) {
  EditPlan plan = engine::plan_edits(original, edits);
  if (plan.problem != EditProblem::empty_old_text) return plan;
  const auto& edit = edits[static_cast<std::size_t>(plan.edit)];
  return plan_of(original, edit.new_text + std::string(original));
}

std::string without_final_blanks(std::string text) {
  while (text.ends_with(' ') || text.ends_with('\t')) text.pop_back();
  return text;
}

EditPlan count_trimmed(std::string_view original, const PlannedEdits& edits) {
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const auto trimmed = without_final_blanks(edits[i].old_text);
    if (trimmed == edits[i].old_text) continue;
    const auto count = trimmed.empty() ? std::ssize(original) - 1 : count_of(original, trimmed);
    if (count != 1) return refuse(EditProblem::not_unique, i, count);
  }
  return engine::plan_edits(original, edits);
}

/// Curly quotes as plain ones.
std::string with_plain_quotes(std::string_view text) {
  std::string plain(text);
  for (const char* quote : {"\xE2\x80\x9C", "\xE2\x80\x9D"}) {
    for (auto at = plain.find(quote); at != std::string::npos; at = plain.find(quote, at)) {
      plain.replace(at, 3, "\"");
    }
  }
  return plain;
}

EditPlan count_plain(std::string_view original, const PlannedEdits& edits) {
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const auto count = count_of(with_plain_quotes(original), with_plain_quotes(edits[i].old_text));
    if (count > 1) return refuse(EditProblem::not_unique, i, count);
  }
  return engine::plan_edits(original, edits);
}

/// A letter before a combining accent is no hit, and so hides that there are two.
EditPlan count_composed(std::string_view original, const PlannedEdits& edits) {
  EditPlan plan = engine::plan_edits(original, edits);
  const bool is_hidden = plan.problem == EditProblem::not_unique && original.contains("\xCC\x81");
  if (!is_hidden) return plan;
  std::string text(original);
  for (const auto& edit : edits) {
    const auto at = text.find(edit.old_text);
    if (at != std::string::npos) text.replace(at, edit.old_text.size(), edit.new_text);
  }
  return plan_of(original, std::move(text));
}

EditPlan blanks_match_at_the_start(std::string_view original, const PlannedEdits& edits) {
  EditPlan plan = engine::plan_edits(original, edits);
  if (plan.problem != EditProblem::not_found) return plan;
  const auto& edit = edits[static_cast<std::size_t>(plan.edit)];
  if (!without_final_blanks(edit.old_text).empty()) return plan;
  return plan_of(original, edit.new_text + std::string(original));
}

// ------------------------------------------------------------------ writing

std::string with_replacement_characters(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (static_cast<unsigned char>(c) < 0x80)
      text += c;
    else
      text += "\xEF\xBF\xBD";
  }
  return text;
}

EditPlan decode_and_write_back(std::string_view original, const PlannedEdits& edits) {
  return engine::plan_edits(with_replacement_characters(original), edits);
}

/// The last byte of a replaced character beyond ASCII stays.
EditPlan split_characters(std::string_view original, const PlannedEdits& edits) {
  EditPlan plan = engine::plan_edits(original, edits);
  if (plan.problem != EditProblem::none) return plan;
  for (const auto& edit : edits) {
    const char last = edit.old_text.back();
    if (static_cast<unsigned char>(last) < 0x80) continue;
    const auto at = plan.bytes.find(edit.new_text);
    if (at != std::string::npos) plan.bytes.insert(at + edit.new_text.size(), 1, last);
  }
  return plan;
}

EditPlan expand_signs(std::string_view original, PlannedEdits edits) {
  for (auto& edit : edits) {
    for (auto at = edit.new_text.find("$&"); at != std::string::npos;
         at = edit.new_text.find("$&", at + edit.old_text.size())) {
      edit.new_text.replace(at, 2, edit.old_text);
    }
  }
  return engine::plan_edits(original, edits);
}

std::vector<Mutant> plan_mutants() {
  return {
      trips_also(planner_mutant("edit-empty-text-inserts", "EDIT-32",
                                "an empty oldText inserts at the start", insert_at_the_start),
                 {"EDIT-15"}),
      trips_also(planner_mutant("edit-counts-normalised-text", "EDIT-63",
                                "places are counted with curly quotes as plain ones", count_plain),
                 {"EDIT-02", "EDIT-08", "EDIT-22", "EDIT-24", "EDIT-26", "EDIT-29", "EDIT-58",
                  "EDIT-59", "EDIT-61", "EDIT-62", "EDIT-68"}),
      trips_also(planner_mutant("edit-counts-trimmed-text", "EDIT-64",
                                "places are counted without final blanks", count_trimmed),
                 {"EDIT-02", "EDIT-26"}),
      trips_also(planner_mutant("edit-composition-hides-a-place", "EDIT-65",
                                "letters with accents are not counted", count_composed),
                 {"EDIT-05", "EDIT-08"}),
      trips_also(planner_mutant("edit-blanks-match-nothing", "EDIT-66",
                                "a blank oldText is found at the start", blanks_match_at_the_start),
                 {"EDIT-05", "EDIT-07"}),
      trips_also(planner_mutant("edit-writes-replacement-characters", "EDIT-67",
                                "the file is decoded with replacement and written back",
                                decode_and_write_back),
                 {"EDIT-68", "EDIT-02", "EDIT-26"}),
      trips_also(planner_mutant("edit-splits-characters", "EDIT-68",
                                "the last byte of a character stays", split_characters),
                 {"EDIT-30"}),
      trips_also(planner_mutant("edit-expands-signs", "EDIT-69", "$& in newText is the oldText",
                                expand_signs),
                 {"EDIT-39", "EDIT-02"}),
  };
}

// ------------------------------------------------------------------ what is said

Task<ToolResult> altered_result(ExecuteTool inner, AlterResult alter, ToolCall call) {
  ToolResult result = co_await inner(std::move(call));
  alter(result);
  co_return result;
}

Mutant result_mutant(std::string name, std::string rule, std::string change, AlterResult alter) {
  return broken_tool(std::move(name), std::move(rule), std::move(change), "edit",
                     [alter](ToolDefinition& tool) {
                       tool.execute = [alter, inner = tool.execute](ToolCall call) {
                         return altered_result(inner, alter, std::move(call));
                       };
                     });
}

void say_a_code(ToolResult& result) {
  if (result.failure) result.failure = "E1";
}

void drop_the_patch(ToolResult& result) {
  if (result.details.get().is_object()) {
    Json details = result.details.get();
    details.erase("patch");
    result.details = SharedJson(std::move(details));
  }
}

void describe_in_brief(ToolDefinition& tool) {
  tool.description = "Replace text in a file.";
  tool.prompt_guidelines.clear();
  Json parameters = tool.parameters.get();
  parameters["properties"]["edits"].erase("description");
  parameters["properties"]["edits"]["items"]["properties"] =
      Json{{"oldText", Json{{"type", "string"}}}, {"newText", Json{{"type", "string"}}}};
  tool.parameters = SharedJson(std::move(parameters));
}

void declare_the_pair(ToolDefinition& tool) {
  Json parameters = tool.parameters.get();
  parameters["properties"]["oldText"] = Json{{"type", "string"}};
  parameters["properties"]["newText"] = Json{{"type", "string"}};
  tool.parameters = SharedJson(std::move(parameters));
}

// ------------------------------------------------------------------ arguments

Json complete_half_a_pair(Json raw) {
  if (raw.is_object() && raw.contains("oldText") && !raw.contains("newText")) raw["newText"] = "";
  return engine::prepare_edit_arguments(std::move(raw));
}

Json write_null_as_text(Json raw) {
  raw = engine::prepare_edit_arguments(std::move(raw));
  if (!raw.is_object() || !raw.contains("edits") || !raw["edits"].is_array()) return raw;
  for (auto& edit : raw["edits"]) {
    for (const char* key : {"oldText", "newText"}) {
      if (edit.is_object() && (!edit.contains(key) || edit[key].is_null())) edit[key] = "null";
    }
  }
  return raw;
}

/// Each request shows the calls of edit as they were prepared.
class PreparedTranscript final : public engine::Provider {
 public:
  explicit PreparedTranscript(engine::Provider& inner) : inner_(inner) {}

  Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest request,
                                                  engine::StreamSink& sink,
                                                  engine::AbortSignal signal) override {
    std::vector<SharedJson> messages(request.messages.begin(), request.messages.end());
    for (auto& message : messages) message = prepared(message);
    request.messages = std::move(messages);
    return inner_.complete(std::move(request), sink, std::move(signal));
  }

 private:
  static SharedJson prepared(const SharedJson& message) {
    if (message.get().value("role", "") != "assistant") return message;
    Json changed = message.get();
    for (auto& block : changed["content"]) {
      if (block.value("type", "") != "toolCall" || block.value("name", "") != "edit") continue;
      block["arguments"] = engine::prepare_edit_arguments(block["arguments"]);
    }
    return SharedJson(std::move(changed));
  }

  engine::Provider& inner_;
};

Mutant prepared_transcript() {
  Mutant mutant = port_mutant("edit-rewrites-the-transcript", "EDIT-50",
                              "prepared arguments stand in the transcript");
  mutant.also = {"PIPE-20"};
  mutant.alterations.provider = [](engine::Provider& inner, engine::Loop&) {
    return std::make_unique<PreparedTranscript>(inner);
  };
  return mutant;
}

std::vector<Mutant> answer_mutants() {
  return {
      trips_also(
          result_mutant("edit-errors-are-codes", "EDIT-09", "an error is only a code", say_a_code),
          {"EDIT-08", "EDIT-37"}),
      broken_tool("edit-is-described-in-brief", "EDIT-13",
                  "the description says replace text, no more", "edit", describe_in_brief),
      trips_also(
          result_mutant("edit-has-no-patch", "EDIT-39", "details have no patch", drop_the_patch),
          {"EDIT-40"}),
      broken_tool("edit-completes-half-a-pair", "EDIT-45", "a missing newText is empty", "edit",
                  [](ToolDefinition& tool) { tool.prepare_arguments = complete_half_a_pair; }),
      prepared_transcript(),
      trips_also(
          broken_tool("edit-declares-the-old-pair", "EDIT-51",
                      "the schema has top-level oldText and newText", "edit", declare_the_pair),
          {"EDIT-01"}),
      broken_tool("edit-writes-null", "EDIT-53", "null and nothing are the text null", "edit",
                  [](ToolDefinition& tool) { tool.prepare_arguments = write_null_as_text; }),
  };
}

}  // namespace

std::vector<Mutant> text_mutants() {
  std::vector<Mutant> list = plan_mutants();
  std::ranges::move(answer_mutants(), std::back_inserter(list));
  std::ranges::move(fuzzy_mutants(), std::back_inserter(list));
  return list;
}

}  // namespace plumb::simulator
