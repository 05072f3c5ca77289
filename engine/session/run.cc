// SPDX-License-Identifier: Apache-2.0
// One prompt, from its input to agent_settled.
#include <algorithm>

#include "engine/extensions/event_fields.h"
#include "engine/kernel/join.h"
#include "engine/session/core.h"

namespace plumb::engine {

namespace {

MessagePtr prompt_message(std::string text) {
  UserMessage message;
  message.content.emplace_back(TextBlock{std::move(text)});
  return std::make_shared<const Message>(std::move(message));
}

std::string prompt_text(const Message& message) {
  if (const auto* user = std::get_if<UserMessage>(&message)) return text_of(user->content);
  if (const auto* custom = std::get_if<CustomMessage>(&message)) return text_of(custom->content);
  return "";
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& text : list) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

Json outcome_fields(bool is_aborted, StopReason reason, bool can_continue) {
  Json fields = Json::object();
  fields["outcome"] = is_aborted ? "aborted" : reason == StopReason::error ? "error" : "completed";
  fields["context"] = Json::object();
  fields["context"]["canContinue"] = can_continue;
  return fields;
}

}  // namespace

Task<Result<void>> Session::Core::prompt(std::string text) {
  if (is_busy()) co_return std::unexpected(busy_error());
  enter("a prompt");
  prompt_turn_count_ = 0;
  is_prompt_aborted_ = false;
  run_mark_.write();
  // From the first handler on there is something to abort.
  run_.emplace(ports_.env.loop);
  Result<void> done = co_await run_input(std::move(text));
  run_mark_.write();
  run_.reset();
  leave();
  co_return done;
}

Task<Result<void>> Session::Core::run_input(std::string text) {
  // No input event, and no run (EVENT-19).
  if (co_await runner_.command(text)) co_return Result<void>();
  Input event;
  event.text = text;
  record(std::move(event));
  InputOutcome input = co_await runner_.input(std::move(text));
  if (input.is_handled) co_return Result<void>();
  co_return co_await run_prompt(std::move(input.text));
}

Task<Result<void>> Session::Core::run_prompt(std::string text) {
  run_mark_.write();
  prompted_.reset();
  is_running_ = true;
  std::vector<MessagePtr> first = co_await prepare_run(prompt_message(std::move(text)));
  while (true) {
    co_await run_to_settlement(std::move(first));
    const bool was_aborted = aborted();
    const std::optional<Error> failure = run_->failure;
    co_await settle();
    if (failure) co_return std::unexpected(*failure);
    // What agent_settled handlers asked for starts now, as a run of its own (EVENT-16).
    run_mark_.read();
    if (was_aborted || is_prompt_aborted_) co_return Result<void>();
    if (steering_.empty() && follow_ups_.empty()) co_return Result<void>();
    begin_run();
    std::vector<MessagePtr> asked = steering_.empty() ? follow_ups_.take() : steering_.take();
    first = co_await prepare_run(asked.front());
    first.insert(first.begin() + 1, asked.begin() + 1, asked.end());
  }
}

void Session::Core::begin_run() {
  run_mark_.write();
  prompted_.reset();
  run_.emplace(ports_.env.loop);
  is_running_ = true;
}

Task<std::vector<MessagePtr>> Session::Core::prepare_run(MessagePtr message) {
  const std::string text = prompt_text(*message);
  BeforeAgentStart event;
  event.prompt = text;
  record(std::move(event));
  std::vector<MessagePtr> first;
  first.push_back(std::move(message));
  later_mark_.write();
  for (auto& waiting : std::exchange(next_turn_, {})) first.push_back(std::move(waiting));
  if (!runner_.wants("before_agent_start")) co_return first;

  Json options = Json::object();
  options["selectedTools"] = active_.names();
  options["sections"] = Json::object();
  options["guidelines"] = Json::array();
  const Json before = options;
  RunPreparation prepared =
      co_await runner_.before_agent_start(text, current_prompt(), std::move(options));
  run_->prompt_override = std::move(prepared.system_prompt);
  apply_options(before, *prepared.options);
  for (auto& injected : prepared.messages) {
    first.push_back(std::make_shared<const Message>(std::move(injected)));
  }
  co_return first;
}

/// An explicit edit of the selection wins, else the live set stays (ACTIVE-17).
void Session::Core::apply_options(const Json& before, const Json& options) {
  if (!options.is_object()) return;
  const Json selected = options.value("selectedTools", Json());
  if (selected.is_array() && selected != before["selectedTools"]) {
    select_for_run(texts_of(selected));
  }
  run_->guidelines = texts_of(options.value("guidelines", Json()));
  const Json sections = options.value("sections", Json());
  if (!sections.is_object()) return;
  for (const auto& [name, text] : sections.items()) {
    if (is_section_name(name) && text.is_string()) {
      run_->sections.emplace_back(name, text.get<std::string>());
    } else {
      runner_.report("", "before_agent_start", "'" + name + "' is no name of a prompt section");
    }
  }
}

void Session::Core::select_for_run(const std::vector<std::string>& names) {
  ToolSelection selection;
  selection.before = active_.names();
  set_active_tools(names, "before_agent_start");
  selection.chosen = active_.names();
  run_->selection = std::move(selection);
}

/// The choice was for one run; what somebody set since then stays.
void Session::Core::end_selection() {
  if (!run_->selection || !policies_.session.selection_ends_with_run()) return;
  if (active_.names() == run_->selection->chosen) {
    set_active_tools(run_->selection->before, "run_end");
  }
}

Task<void> Session::Core::run_to_settlement(std::vector<MessagePtr> first) {
  while (true) {
    co_await run_agent(std::move(first));
    first.clear();
    if (run_->failure) co_return;
    if (policies_.session.retry_precedes_settlement(run_->will_retry)) {
      co_await wait_for_retry();
      if (aborted()) co_return;
      continue;
    }
    if (!aborted() && !(steering_.empty() && follow_ups_.empty())) {
      first = steering_.empty() ? follow_ups_.take() : steering_.take();
      continue;
    }
    if (!policies_.session.asks_before_settle(aborted())) co_return;
    const bool goes_on = co_await continues_before_settle();
    if (!goes_on) co_return;
  }
}

Task<void> Session::Core::run_agent(std::vector<MessagePtr> first) {
  Json none = Json::object();
  AgentStart event;
  co_await emit(std::move(event), std::move(none));
  std::optional<std::vector<MessagePtr>> pending = std::move(first);
  for (std::int64_t turn = 0; pending; ++turn) {
    const TurnOutcome outcome = co_await run_turn(turn, *std::move(pending));
    pending = next_messages(outcome);
  }
  co_await end_agent();
}

/// The messages of the next turn; nothing when the run is over.
std::optional<std::vector<MessagePtr>> Session::Core::next_messages(const TurnOutcome& turn) {
  if (turn.ends_run) return std::nullopt;
  auto pending = steering_.take();
  if (turn.follows || !pending.empty()) return pending;
  if (policies_.session.takes_follow_ups(aborted())) pending = follow_ups_.take();
  if (!pending.empty()) return pending;
  if (turn.wants_continue && can_continue("turn_end")) return pending;
  return std::nullopt;
}

bool Session::Core::can_continue(std::string_view event) {
  if (transcript_.can_continue()) return true;
  runner_.report("", event, "cannot continue: the conversation ends with an answer");
  return false;
}

Task<void> Session::Core::end_agent() {
  const auto& answer = std::get<AssistantMessage>(*run_->last_answer);
  run_->will_retry = !aborted() && !run_->failure && run_->retry_count < options_.retry.count_max &&
                     policies_.session.is_retryable(answer);
  Json fields = Json::object();
  fields["willRetry"] = run_->will_retry;
  AgentEnd event;
  event.will_retry = run_->will_retry;
  co_await emit(std::move(event), std::move(fields));
}

Task<void> Session::Core::wait_for_retry() {
  std::int64_t delay_ms = options_.retry.delay_ms;
  for (std::int64_t i = 0; i < run_->retry_count && delay_ms < options_.retry.delay_ms_max; ++i) {
    delay_ms *= 2;
  }
  ++run_->retry_count;
  delay_ms = std::min(delay_ms, options_.retry.delay_ms_max);
  std::vector<Task<void>> ways;
  ways.push_back(sleep_task(ports_.env.loop, delay_ms));
  ways.push_back(wait_for_abort());
  co_await race(std::move(ways));
}

Task<void> Session::Core::wait_for_abort() {
  const AbortSignal signal = run_->controller.signal();
  co_await signal.wait();
}

Task<bool> Session::Core::continues_before_settle() {
  record(AgentBeforeSettle());
  if (!runner_.wants("agent_before_settle")) co_return false;
  const auto& answer = std::get<AssistantMessage>(*run_->last_answer);
  Json fields = outcome_fields(aborted(), answer.stop_reason, transcript_.can_continue());
  const BoundaryProposal proposal =
      co_await runner_.boundary("agent_before_settle", std::move(fields));
  apply_proposal(proposal);
  const bool is_wanted = policies_.session.grants_continuation(proposal.wants_continue);
  co_return is_wanted&& can_continue("agent_before_settle");
}

void Session::Core::apply_proposal(const BoundaryProposal& proposal) {
  for (const Json& draft : proposal.entries) {
    const std::string type = draft["customType"].get<std::string>();
    if (draft["type"] == "custom") {
      transcript_.add_entry(type, draft.value("data", Json()));
      continue;
    }
    auto message = parse_custom_message(draft);
    if (message) {
      auto shared = std::make_shared<const Message>(*std::move(message));
      transcript_.add_message(shared, share(shared));
    }
  }
}

Task<void> Session::Core::settle() {
  const bool was_aborted = aborted();
  run_mark_.write();
  is_running_ = false;
  end_selection();
  run_.reset();
  Json fields = Json::object();
  fields["aborted"] = was_aborted;
  AgentSettled event;
  event.aborted = was_aborted;
  co_await emit(std::move(event), std::move(fields));
  co_await flush_entries();
}

}  // namespace plumb::engine
