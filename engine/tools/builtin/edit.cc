// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/edit.h"

#include <memory>
#include <utility>
#include <vector>

#include "engine/tools/builtin/edit_planner.h"
#include "engine/tools/builtin/line_diff.h"
#include "engine/tools/builtin/path_rules.h"
#include "engine/tools/builtin/tool_arguments.h"
#include "engine/tools/policies.h"

namespace plumb::engine {
namespace {

const char* const kEditSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "File to change, relative or absolute"},
    "edits": {
      "type": "array",
      "description": "Replacements, all matched against the file as it is before the call",
      "items": {
        "type": "object",
        "properties": {
          "oldText": {"type": "string", "description": "Exact text, unique in the file"},
          "newText": {"type": "string", "description": "Text to put in its place"}
        },
        "required": ["oldText", "newText"]
      }
    }
  },
  "required": ["path", "edits"]
})";

struct EditArguments {
  std::string path;
  std::vector<TextEdit> edits;
};

/// Handlers may have left anything (PIPE-07): read it as strictly as the schema would.
Result<EditArguments> read_arguments(const Json& params) {
  EditArguments arguments;
  PLUMB_TRY(arguments.path, string_argument(params, "path"));
  const auto edits = params.find("edits");
  if (edits == params.end() || !edits->is_array()) {
    return fail(ErrorCode::invalid, "edits must be a list");
  }
  for (const auto& edit : *edits) {
    PLUMB_TRY(auto old_text, string_argument(edit, "oldText"));
    PLUMB_TRY(auto new_text, string_argument(edit, "newText"));
    arguments.edits.push_back(TextEdit{std::move(old_text), std::move(new_text)});
  }
  return arguments;
}

/// Everything a success reports, made before the write so that it cannot fail after it (EDIT-17).
ToolResult success_of(const EditArguments& arguments, const EditPlan& plan) {
  const auto count = std::ssize(arguments.edits);
  ToolResult result = text_result("Replaced " + std::to_string(count) +
                                  (count == 1 ? " block in " : " blocks in ") + arguments.path);
  ChangeText change = describe_change(arguments.path, plan.before, plan.after);
  result.details = SharedJson(Json{{"diff", std::move(change.display)},
                                   {"patch", std::move(change.patch)},
                                   {"firstChangedLine", change.first_line}});
  return result;
}

/// Inside the queue's turn (EDIT-16, QUEUE-05). The signal is looked at after every await, before
/// any error (EDIT-55, EDIT-57).
Task<ToolResult> edit_in_turn(std::shared_ptr<const EditOptions> options, ToolCall call,
                              EditArguments arguments, std::string target) {
  const FileOperations& files = options->operations;
  if (call.signal.aborted()) co_return aborted_failure();
  const auto writable = co_await files.check_write(target);
  if (call.signal.aborted()) co_return aborted_failure();
  if (!writable) {
    co_return failed_result(describe_file_error("edit", arguments.path, writable.error()),
                            "access");
  }
  const auto original = co_await files.read_file(target);
  if (call.signal.aborted()) co_return aborted_failure();
  if (!original) {
    co_return file_failure("edit", arguments.path, original.error());
  }
  EditPlan plan = options->policies.plan_edits(*original, arguments.edits);
  if (plan.problem != EditProblem::none) {
    co_return failed_result(describe_problem(plan, arguments.path, std::ssize(arguments.edits)),
                            std::string(to_string(plan.problem)));
  }
  ToolResult success = success_of(arguments, plan);
  const auto written = co_await files.write_file(std::move(target), std::move(plan.bytes));
  if (call.signal.aborted()) co_return aborted_failure();
  if (!written) {
    co_return file_failure("edit", arguments.path, written.error());
  }
  co_return success;
}

Task<ToolResult> run_edit(std::shared_ptr<const EditOptions> options, ToolCall call) {
  auto arguments = read_arguments(*call.params);
  if (!arguments) co_return argument_failure(arguments.error());
  if (arguments->edits.empty()) {
    co_return failed_result("edits is empty: give at least one edit", "no_edits");
  }
  if (call.signal.aborted()) co_return aborted_failure();
  std::string target =
      resolve_tool_path(arguments->path, working_folder(call, options->cwd), options->home);
  const auto turn = co_await options->queue.enter(target, call.signal);
  if (call.signal.aborted()) co_return aborted_failure();
  if (!turn) co_return file_failure("edit", arguments->path, turn.error());
  if (options->operations.is_local) target = turn->path();
  ToolResult result =
      co_await edit_in_turn(options, std::move(call), *std::move(arguments), std::move(target));
  co_return result;
}

bool has_text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string();
}

bool is_edit(const Json& json) {
  return json.is_object() && has_text(json, "oldText") && has_text(json, "newText");
}

/// A list as text, a single edit, or a single edit as text, as a list; else as it is.
Json listed_edits(Json edits) {
  if (edits.is_string()) {
    auto parsed = parse_json(edits.get_ref<const std::string&>());
    if (!parsed || !(parsed->is_array() || is_edit(*parsed))) return edits;
    edits = *std::move(parsed);
  }
  return is_edit(edits) ? Json::array({std::move(edits)}) : edits;
}

}  // namespace

Json prepare_edit_arguments(Json raw) {
  if (!raw.is_object()) return raw;
  if (raw.contains("edits")) raw["edits"] = listed_edits(std::move(raw["edits"]));
  if (!is_edit(raw)) return raw;
  Json edits = raw.contains("edits") && raw["edits"].is_array() ? raw["edits"] : Json::array();
  edits.push_back(Json{{"oldText", raw["oldText"]}, {"newText", raw["newText"]}});
  raw.erase("oldText");
  raw.erase("newText");
  raw["edits"] = std::move(edits);
  return raw;
}

ToolDefinition edit_tool(EditOptions options) {
  ToolDefinition tool;
  tool.name = "edit";
  tool.label = "edit";
  tool.description =
      "Change a file by replacing exact text. Use it for changes to an existing file that you have "
      "read; it writes the file. Each oldText must be unique in the original file and disjoint "
      "from the others; all are matched against the file as it was before the call. Give "
      "overlapping or adjacent changes as one edit: merge them. Returns how many blocks were "
      "replaced, or why nothing was written.";
  tool.prompt_snippet = "edit: replace exact, unique pieces of text in a file";
  tool.prompt_guidelines = {
      "Keep each oldText of edit small but unique in the file; merge neighbouring changes into one "
      "edit, and put several separate changes of one file into one call."};
  tool.parameters = SharedJson(parse_json(kEditSchema).value());
  tool.prepare_arguments = prepare_edit_arguments;
  const auto shared = std::make_shared<const EditOptions>(std::move(options));
  tool.execute = [shared](ToolCall call) { return run_edit(shared, std::move(call)); };
  return tool;
}

}  // namespace plumb::engine
