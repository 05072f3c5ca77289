// SPDX-License-Identifier: Apache-2.0
// The decisions of the engine, each a function that a user may replace and a mutant may break. The
// defaults are the rules; each default is a free function below that names them. A seam exists only
// for decisions; recording and plumbing stay in the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tools/active_set.h"
#include "engine/tools/builtin/edit_planner.h"
#include "engine/tools/builtin/shell_policies.h"
#include "engine/tools/call.h"
#include "engine/tools/definition.h"
#include "engine/tools/hooks.h"
#include "engine/tools/parameter_schema.h"
#include "engine/tools/registry.h"
#include "engine/tools/registry_policies.h"
#include "engine/tools/session_policies.h"

namespace plumb::engine {

/// Where the pipeline looks at the abort signal.
enum class AbortPoint : std::uint8_t { start, after_before_hook, before_execute };

/// When a tool calls onUpdate: its execute runs, has settled, or the whole call has ended.
enum class UpdateMoment : std::uint8_t { running, settled, ended };

/// What became of the arguments: the value to run with, or why they do not fit.
struct ValidatedArguments {
  Json value;
  std::vector<SchemaIssue> issues;
};

// ------------------------------------------------------------------ registry and active set

/// Index of the winner among registrations of one name by several extensions: the one that
/// registered first (REG-02, REG-20 seed). `rivals` is not empty and is in load order.
std::size_t first_registered_wins(std::span<const RegisteredToolPtr> rivals);
/// pi-1.6.0: the one that was loaded first, whenever it registered.
std::size_t first_loaded_wins(std::span<const RegisteredToolPtr> rivals);
/// SDK over extension over built-in; within SDK the later one (REG-01, REG-07).
bool later_level_replaces(const RegisteredTool& owner, const RegisteredTool& challenger);
/// `*` matches any run of characters, others match themselves, the whole name counts (REG-14).
bool matches_name_pattern(std::string_view pattern, std::string_view name);
/// Not excluded, and allowed if there is an allow list (REG-08..11).
bool keeps_tool(const ToolFilters& filters, const RegisteredTool& tool);
/// direct and model-only tools, unless defaultActive is false (ACTIVE-01, TOOL-22, TOOL-23).
bool activates_on_registration(const RegisteredTool& tool);
/// What setActiveTools makes of `requested`: known names only, once each, those that stay in their
/// present order, then new ones in the given order (ACTIVE-05, ACTIVE-06, ACTIVE-12).
std::vector<std::string> arrange_active(const std::vector<std::string>& present,
                                        const std::vector<std::string>& requested,
                                        const std::vector<std::string>& known);

// ------------------------------------------------------------------ one call

/// The args of tool_execution_start: the raw arguments (PIPE-09, EVENT-04).
SharedJson raw_start_arguments(const ToolCallBlock& call);
/// The tool a model's call means: by exact name in the turn's snapshot (PIPE-05, ACTIVE-09..11).
RegisteredToolPtr tool_of_turn(const TurnTools& turn, std::string_view name);
/// What is validated of a tool with prepareArguments: what that returned (PIPE-02).
Json prepared_arguments(const Json& raw, Json prepared);
/// Whether a throwing prepareArguments ends the call: always (PIPE-04).
bool failed_preparation_ends_call(std::string_view message);
/// Coercion on a copy and validation (PIPE-01, PIPE-03, PIPE-30).
ValidatedArguments validate_seed(const RegisteredTool& tool, Json prepared);
/// pi-1.6.0: the same with PIPE-12.
ValidatedArguments validate_pi(const RegisteredTool& tool, Json prepared);
/// Whether a set signal ends the call at `point`: always (ABORT-02, HOOK-28).
bool abort_ends_call(AbortPoint point);
/// The result of a call that the signal ended before execute: an error (RESULT-15).
ToolResult aborted_result();
/// Whether the chain's verdict ends the call: a block or a throw (HOOK-04, HOOK-07).
bool verdict_stops_call(const BeforeOutcome& outcome);
/// What execute is given after the handlers: the same object, not validated again (PIPE-06,
/// PIPE-07).
std::shared_ptr<Json> arguments_after_handlers(const RegisteredTool& tool, const Json& validated,
                                               std::shared_ptr<Json> handled);
/// The id that execute is told: that of the model's call (TOOL-06).
std::string execute_id(const ToolCallBlock& call);
/// Whether an update reaches anybody: only while execute runs (EVENT-05, EVENT-07).
bool update_is_accepted(UpdateMoment moment);
/// What an update shows: a copy made at the call (EVENT-09).
SharedJson update_snapshot(const ToolResult& partial);
/// The id that an update carries: its call's own (EVENT-06).
std::string id_of_update(const std::string& call_id);
/// Whether a normally returned result is a failure: only isError says so (RESULT-05..07).
bool returned_result_is_error(const ToolResult& result);
/// Whether the tool_result chain runs: for every entered execute (HOOK-22, ABORT-10).
bool result_hook_runs(bool execute_threw, bool is_aborted);
/// addedToolNames: for a purely additive change the new names in the order of `after`, united with
/// what the tool returned; otherwise what it returned (TOOL-10, TOOL-11, TOOL-12).
std::vector<std::string> added_tool_names(const std::vector<std::string>& before,
                                          const std::vector<std::string>& after,
                                          const std::vector<std::string>& returned);
/// pi-1.6.0: what the tool returned, nothing else.
std::vector<std::string> returned_tool_names(const std::vector<std::string>& before,
                                             const std::vector<std::string>& after,
                                             const std::vector<std::string>& returned);
/// Given fields replace as a whole; new content without structuredContent drops it (HOOK-17).
ToolResult apply_result_patch(ToolResult result, const ResultPatch& patch);
/// The text of a block: its reason, or a fixed sentence (HOOK-04, HOOK-05).
std::string block_text(const BeforeOutcome& outcome);
/// What transcript and model get of a call (RESULT-01..04, RESULT-09, RESULT-19).
ToolResultMessage result_message(const FinishedCall& call);

// ------------------------------------------------------------------ a batch

/// Sequential when the host says so or any known tool of the batch is marked so (BATCH-02, 03, 10).
ExecutionMode batch_mode(ExecutionMode host, std::span<const RegisteredToolPtr> known);
/// Whether the calls of an answer run: not when it was cut by the output limit (BATCH-11).
bool answer_is_runnable(StopReason reason);
/// Order of the messages, as indexes into the calls: source order (BATCH-06). `completed` is the
/// order in which the calls ended.
std::vector<std::size_t> source_order(std::span<const std::size_t> completed);
/// Whether the automatic follow-up request is skipped: every result says terminate (BATCH-12).
bool all_terminate(std::span<const FinishedCall> calls);
/// Whether the next sequential call runs after `finished`: always (BATCH-08, BATCH-13).
bool siblings_go_on(const FinishedCall& finished);

// ------------------------------------------------------------------ files

/// The queue key of a path that exists: its real path (QUEUE-01).
std::string key_of_existing(const std::string& real_path);
/// The queue key of a missing file: real path of the nearest existing parent plus the rest
/// (QUEUE-09, QUEUE-10 seed).
std::string key_of_missing(const std::string& absolute_path, const std::string& parent,
                           const std::string& real_parent);
/// pi-1.6.0: the absolute path as it is.
std::string key_of_missing_pi(const std::string& absolute_path, const std::string& parent,
                              const std::string& real_parent);

/// One value of all decisions; a run owns one and everybody borrows it.
struct Policies {
  std::function<std::size_t(std::span<const RegisteredToolPtr>)> extension_winner =
      first_registered_wins;
  std::function<bool(const RegisteredTool&, const RegisteredTool&)> level_replaces =
      later_level_replaces;
  std::function<bool(const ToolFilters&, const RegisteredTool&)> keeps_tool = engine::keeps_tool;
  std::function<bool(const RegisteredTool&)> activates_on_registration =
      engine::activates_on_registration;
  std::function<std::vector<std::string>(const std::vector<std::string>&,
                                         const std::vector<std::string>&,
                                         const std::vector<std::string>&)>
      arrange_active = engine::arrange_active;

  std::function<SharedJson(const ToolCallBlock&)> start_arguments = raw_start_arguments;
  std::function<RegisteredToolPtr(const TurnTools&, std::string_view)> find_tool = tool_of_turn;
  std::function<Json(const Json&, Json)> prepared_arguments = engine::prepared_arguments;
  std::function<bool(std::string_view)> failed_preparation_ends_call =
      engine::failed_preparation_ends_call;
  std::function<ValidatedArguments(const RegisteredTool&, Json)> validate = validate_seed;
  std::function<bool(AbortPoint)> abort_ends_call = engine::abort_ends_call;
  std::function<ToolResult()> aborted_result = engine::aborted_result;
  std::function<bool(const BeforeOutcome&)> verdict_stops_call = engine::verdict_stops_call;
  std::function<std::shared_ptr<Json>(const RegisteredTool&, const Json&, std::shared_ptr<Json>)>
      arguments_after_handlers = engine::arguments_after_handlers;
  std::function<std::string(const ToolCallBlock&)> execute_id = engine::execute_id;
  std::function<bool(UpdateMoment)> update_is_accepted = engine::update_is_accepted;
  std::function<SharedJson(const ToolResult&)> update_snapshot = engine::update_snapshot;
  std::function<std::string(const std::string&)> id_of_update = engine::id_of_update;
  std::function<bool(const ToolResult&)> returned_result_is_error =
      engine::returned_result_is_error;
  std::function<bool(bool, bool)> result_hook_runs = engine::result_hook_runs;
  std::function<std::vector<std::string>(const std::vector<std::string>&,
                                         const std::vector<std::string>&,
                                         const std::vector<std::string>&)>
      added_tool_names = engine::added_tool_names;
  std::function<ToolResult(ToolResult, const ResultPatch&)> apply_patch = apply_result_patch;
  std::function<std::string(const BeforeOutcome&)> block_text = engine::block_text;
  std::function<ToolResultMessage(const FinishedCall&)> result_message = engine::result_message;

  std::function<ExecutionMode(ExecutionMode, std::span<const RegisteredToolPtr>)> batch_mode =
      engine::batch_mode;
  std::function<bool(StopReason)> answer_is_runnable = engine::answer_is_runnable;
  std::function<std::vector<std::size_t>(std::span<const std::size_t>)> message_order =
      source_order;
  std::function<bool(std::span<const FinishedCall>)> batch_terminates = all_terminate;
  std::function<bool(const FinishedCall&)> siblings_go_on = engine::siblings_go_on;

  std::function<EditPlan(std::string_view, std::span<const TextEdit>)> plan_edits =
      engine::plan_edits;
  std::function<std::string(const std::string&)> existing_key = key_of_existing;
  std::function<std::string(const std::string&, const std::string&, const std::string&)>
      missing_key = key_of_missing;

  RegistryPolicies registry;
  SessionPolicies session;
  ShellPolicies shell;
};

/// The right decisions of an edition: "seed" or "pi-1.6.0".
Policies policies_of(std::string_view edition);

}  // namespace plumb::engine
