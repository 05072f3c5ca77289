// SPDX-License-Identifier: Apache-2.0
// The decisions of handler chains and of the turn loop, as members of Policies::session.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/message.h"
#include "engine/tools/definition.h"
#include "engine/tools/hooks.h"
#include "engine/tools/system_prompt.h"
#include "engine/values/json.h"

namespace plumb::engine {

/// Where a handler stands: its extension's place in the load order and its number among all
/// registrations.
struct HandlerSlot {
  std::int64_t load_order = 0;
  std::int64_t number = 0;
  bool operator==(const HandlerSlot&) const = default;
};

// ------------------------------------------------------------------ handlers

/// Indexes of `slots` in the order of the dispatch: load order, then registration order (HOOK-01).
std::vector<std::size_t> load_then_registration(std::span<const HandlerSlot> slots);
/// Whether a handler that subscribed to one event hears another: only its own (EVENT-44).
bool hears_own_event(std::string_view subscribed, std::string_view event);
/// What the next tool_call handler is given: the one shared object (HOOK-02).
std::shared_ptr<Json> shared_input(std::shared_ptr<Json> input);
/// Whether what a tool_call handler returned is a block: only `block: true` (HOOK-06).
bool says_block(const Json& returned);
/// Whether a handler's verdict ends the tool_call chain: a block or a throw (HOOK-03, HOOK-07).
bool stops_at_refusal(const BeforeOutcome& outcome);
/// What the next tool_result handler sees: the result as the previous one left it (HOOK-16).
ToolResult latest_result(const ToolResult& executed, const ToolResult& latest);
/// The result after a tool_result handler threw: as it was before (HOOK-19).
ToolResult result_after_throw(ToolResult before, const std::string& error);
/// Whether a throw in a handler of `event` reaches the error listener: not for tool_call (HOOK-08).
bool reports_throw(std::string_view event);
/// Whether the others still run after a handler of an ordinary event threw: yes (EXT-26).
bool chain_goes_on_after_throw(std::string_view event);
/// Whether a handler that was removed during the dispatch still runs in it: yes (HOOK-27).
bool removed_handler_still_runs(std::string_view event);

/// Whether parts of two kinds (tool, command, flag) of one name clash: those of one kind (EXT-19).
bool parts_clash(std::string_view one, std::string_view other);
/// Whether a built-in extension goes as a whole when another one has one of its names: yes
/// (EXT-17).
bool replaced_builtin_is_left_out();
/// Whether a diagnostic names what replaced it: always (EXT-18).
bool replacement_is_told();

// ------------------------------------------------------------------ the session's life

/// The reason that session_start names: the one it was started for (EVENT-38).
std::string reason_of_start(std::string_view reason);
/// Whether instances hear session_shutdown before they go: always (EVENT-39), but those that never
/// saw a session (`list`, EXT-08).
bool announces_shutdown(std::string_view reason);

// ------------------------------------------------------------------ runs

/// Whether an input leads to a run: not once a handler has handled it (EVENT-18).
bool input_starts_run(bool is_handled);
/// Whether a request may be sent: not once the run is aborted (ABORT-08).
bool may_request(bool is_aborted);
/// Whether an answer ends the run without looking at its calls (EVENT-29, ABORT-09).
bool answer_ends_run(StopReason reason);
/// Whether stored messages with this answer are sent again: failed and aborted ones are not
/// (EVENT-30).
bool answer_is_sent_again(StopReason reason);
/// Whether another turn follows a batch: every call is answered to the model, unless all results
/// terminate (BATCH-12, BATCH-17).
bool turn_follows(bool has_calls, bool batch_terminates);
/// Whether follow-up messages are taken when the run would stop: not after an abort (ABORT-12).
bool takes_follow_ups(bool is_aborted);
/// Whether before-settle handlers are asked: not after an abort (EVENT-17).
bool asks_before_settle(bool is_aborted);
/// Whether a failed answer may succeed when asked again (EVENT-30): overload, rate limit, server
/// and network errors, by the text of the failure.
bool is_retryable(const AssistantMessage& answer);
/// Whether an announced retry comes before anything settles: always (EVENT-14).
bool retry_precedes_settlement(bool is_announced);
/// Whether a continuation that before-settle handlers ask for takes place: if they do (EVENT-15).
bool grants_continuation(bool is_asked_for);
/// The id by which turn_end names an entry: that of the store (EVENT-12).
std::string entry_shown_at_turn_end(std::string_view stored);
/// Whether the tools that before_agent_start chose are given up with the run: yes (EVENT-21 seed).
bool selection_ends_with_run();
/// What is stored when context handlers changed a request's messages: the stored ones (EVENT-22).
bool context_changes_are_stored();

struct SessionPolicies {
  std::function<std::vector<std::size_t>(std::span<const HandlerSlot>)> handler_order =
      load_then_registration;
  std::function<bool(std::string_view, std::string_view)> handler_hears = hears_own_event;
  std::function<std::shared_ptr<Json>(std::shared_ptr<Json>)> handler_input = shared_input;
  std::function<bool(const Json&)> answer_blocks = says_block;
  std::function<bool(const BeforeOutcome&)> verdict_ends_chain = stops_at_refusal;
  std::function<ToolResult(const ToolResult&, const ToolResult&)> handler_result = latest_result;
  std::function<ToolResult(ToolResult, const std::string&)> result_after_throw =
      engine::result_after_throw;
  std::function<bool(std::string_view)> reports_throw = engine::reports_throw;
  std::function<bool(std::string_view)> chain_goes_on_after_throw =
      engine::chain_goes_on_after_throw;
  std::function<bool(std::string_view)> removed_handler_still_runs =
      engine::removed_handler_still_runs;

  std::function<bool(std::string_view, std::string_view)> parts_clash = engine::parts_clash;
  std::function<bool()> replaced_builtin_is_left_out = engine::replaced_builtin_is_left_out;
  std::function<bool()> replacement_is_told = engine::replacement_is_told;

  std::function<std::string(std::string_view)> reason_of_start = engine::reason_of_start;
  std::function<bool(std::string_view)> announces_shutdown = engine::announces_shutdown;

  std::function<bool(bool)> input_starts_run = engine::input_starts_run;
  std::function<bool(bool)> may_request = engine::may_request;
  std::function<bool(StopReason)> answer_ends_run = engine::answer_ends_run;
  std::function<bool(StopReason)> answer_is_sent_again = engine::answer_is_sent_again;
  std::function<bool(bool, bool)> turn_follows = engine::turn_follows;
  std::function<bool(bool)> takes_follow_ups = engine::takes_follow_ups;
  std::function<bool(bool)> asks_before_settle = engine::asks_before_settle;
  std::function<bool(const AssistantMessage&)> is_retryable = engine::is_retryable;
  std::function<bool(bool)> retry_precedes_settlement = engine::retry_precedes_settlement;
  std::function<bool(bool)> grants_continuation = engine::grants_continuation;
  std::function<std::string(std::string_view)> entry_shown_at_turn_end =
      engine::entry_shown_at_turn_end;
  std::function<bool()> selection_ends_with_run = engine::selection_ends_with_run;
  std::function<bool()> context_changes_are_stored = engine::context_changes_are_stored;
  std::function<std::string(const PromptParts&)> compose_prompt = engine::compose_prompt;
};

}  // namespace plumb::engine
