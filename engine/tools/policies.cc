// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/policies.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/tools/builtin/fuzzy_edit_planner.h"

namespace plumb::engine {
namespace {

bool holds_name(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void add_name(std::vector<std::string>& names, const std::string& name) {
  if (!holds_name(names, name)) names.push_back(name);
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return matches_name_pattern(pattern, name); });
}

ValidatedArguments validate_with(const RegisteredTool& tool, Json prepared,
                                 CoercionProfile profile) {
  ValidatedArguments validated;
  if (tool.schema->accepts(prepared)) {
    validated.value = std::move(prepared);
    return validated;
  }
  validated.value = tool.schema->coerce(std::move(prepared), profile);
  validated.issues = tool.schema->check(validated.value);
  return validated;
}

/// `from` without the folder `parent` at its front: "/rest" or "".
std::string_view below(std::string_view from, std::string_view parent) {
  if (parent == "/") return from;
  return from.substr(parent.size());
}

}  // namespace

std::size_t first_registered_wins(std::span<const RegisteredToolPtr> rivals) {
  const auto first =
      std::ranges::min_element(rivals, {}, [](const auto& one) { return one->ticket; });
  return static_cast<std::size_t>(first - rivals.begin());
}

std::size_t first_loaded_wins(std::span<const RegisteredToolPtr> rivals) {
  const auto first =
      std::ranges::min_element(rivals, {}, [](const auto& one) { return one->load_order; });
  return static_cast<std::size_t>(first - rivals.begin());
}

bool later_level_replaces(const RegisteredTool& owner, const RegisteredTool& challenger) {
  return challenger.level >= owner.level;
}

bool matches_name_pattern(std::string_view pattern, std::string_view name) {
  // The last star and where its run ends so far: on a mismatch its run grows by one.
  std::size_t star = std::string_view::npos;
  std::size_t run_end = 0;
  std::size_t p = 0;
  std::size_t n = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      run_end = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++run_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool keeps_tool(const ToolFilters& filters, const RegisteredTool& tool) {
  const std::string& name = tool.definition.name;
  if (matches_any(filters.excluded, name)) return false;
  return !filters.allowed || matches_any(*filters.allowed, name);
}

bool activates_on_registration(const RegisteredTool& tool) {
  const Exposure exposure = tool.definition.exposure;
  return tool.definition.default_active &&
         (exposure == Exposure::direct || exposure == Exposure::model_only);
}

std::vector<std::string> arrange_active(const std::vector<std::string>& present,
                                        const std::vector<std::string>& requested,
                                        const std::vector<std::string>& known) {
  std::vector<std::string> arranged;
  for (const auto& name : present) {
    if (holds_name(requested, name) && holds_name(known, name)) add_name(arranged, name);
  }
  for (const auto& name : requested) {
    if (holds_name(known, name)) add_name(arranged, name);
  }
  return arranged;
}

SharedJson raw_start_arguments(const ToolCallBlock& call) {
  return call.arguments;
}

RegisteredToolPtr tool_of_turn(const TurnTools& turn, std::string_view name) {
  return find_active(turn, name);
}

Json prepared_arguments(const Json& /*raw*/, Json prepared) {
  return prepared;
}

bool failed_preparation_ends_call(std::string_view /*message*/) {
  return true;
}

ValidatedArguments validate_seed(const RegisteredTool& tool, Json prepared) {
  return validate_with(tool, std::move(prepared), CoercionProfile::meaning);
}

ValidatedArguments validate_pi(const RegisteredTool& tool, Json prepared) {
  return validate_with(tool, std::move(prepared), CoercionProfile::text);
}

bool abort_ends_call(AbortPoint /*point*/) {
  return true;
}

ToolResult aborted_result() {
  return error_result("Operation aborted");
}

bool verdict_stops_call(const BeforeOutcome& outcome) {
  return outcome.verdict != BeforeVerdict::allow;
}

std::shared_ptr<Json> arguments_after_handlers(const RegisteredTool& /*tool*/,
                                               const Json& /*validated*/,
                                               std::shared_ptr<Json> handled) {
  return handled;
}

std::string execute_id(const ToolCallBlock& call) {
  return call.id;
}

bool update_is_accepted(UpdateMoment moment) {
  return moment == UpdateMoment::running;
}

SharedJson update_snapshot(const ToolResult& partial) {
  return SharedJson(to_json(partial));
}

std::string id_of_update(const std::string& call_id) {
  return call_id;
}

bool returned_result_is_error(const ToolResult& result) {
  return result.is_error;
}

bool result_hook_runs(bool /*execute_threw*/, bool /*is_aborted*/) {
  return true;
}

std::vector<std::string> added_tool_names(const std::vector<std::string>& before,
                                          const std::vector<std::string>& after,
                                          const std::vector<std::string>& returned) {
  const bool has_removed = std::ranges::any_of(
      before, [&](const std::string& name) { return !holds_name(after, name); });
  if (has_removed) return returned;
  std::vector<std::string> added;
  for (const auto& name : after) {
    if (!holds_name(before, name)) add_name(added, name);
  }
  if (added.empty()) return returned;
  for (const auto& name : returned) add_name(added, name);
  return added;
}

std::vector<std::string> returned_tool_names(const std::vector<std::string>& /*before*/,
                                             const std::vector<std::string>& /*after*/,
                                             const std::vector<std::string>& returned) {
  return returned;
}

ToolResult apply_result_patch(ToolResult result, const ResultPatch& patch) {
  if (patch.content) {
    result.content = *patch.content;
    if (!patch.structured_content) result.structured_content = SharedJson();
  }
  if (patch.details) result.details = *patch.details;
  if (patch.structured_content) result.structured_content = *patch.structured_content;
  if (patch.is_error) result.is_error = *patch.is_error;
  if (patch.usage) result.usage = *patch.usage;
  if (patch.terminate) result.terminate = *patch.terminate;
  return result;
}

std::string block_text(const BeforeOutcome& outcome) {
  return outcome.message.empty() ? "Tool execution was blocked by an extension" : outcome.message;
}

ToolResultMessage result_message(const FinishedCall& call) {
  ToolResultMessage message;
  message.tool_call_id = call.id;
  message.tool_name = call.name;
  message.content = call.result.content;
  message.details = call.result.details;
  message.is_error = call.result.is_error;
  message.added_tool_names = call.result.added_tool_names;
  message.usage = call.result.usage;
  return message;
}

ExecutionMode batch_mode(ExecutionMode host, std::span<const RegisteredToolPtr> known) {
  const bool has_sequential = std::ranges::any_of(known, [](const auto& tool) {
    return tool->definition.execution_mode == ExecutionMode::sequential;
  });
  return has_sequential ? ExecutionMode::sequential : host;
}

bool answer_is_runnable(StopReason reason) {
  return reason != StopReason::length;
}

std::vector<std::size_t> source_order(std::span<const std::size_t> completed) {
  std::vector<std::size_t> order(completed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

bool all_terminate(std::span<const FinishedCall> calls) {
  return !calls.empty() &&
         std::ranges::all_of(calls, [](const auto& call) { return call.result.terminate; });
}

bool siblings_go_on(const FinishedCall& /*finished*/) {
  return true;
}

std::string key_of_existing(const std::string& real_path) {
  return real_path;
}

std::string key_of_missing(const std::string& absolute_path, const std::string& parent,
                           const std::string& real_parent) {
  const std::string base = real_parent == "/" ? "" : real_parent;
  return base + std::string(below(absolute_path, parent));
}

std::string key_of_missing_pi(const std::string& absolute_path, const std::string& /*parent*/,
                              const std::string& /*real_parent*/) {
  return absolute_path;
}

Policies policies_of(std::string_view edition) {
  Policies policies;
  if (edition != "pi-1.6.0") return policies;
  policies.extension_winner = first_loaded_wins;
  policies.validate = validate_pi;
  policies.added_tool_names = returned_tool_names;
  policies.plan_edits = plan_edits_pi;
  policies.missing_key = key_of_missing_pi;
  policies.session.selection_ends_with_run = [] { return false; };
  return policies;
}

}  // namespace plumb::engine
