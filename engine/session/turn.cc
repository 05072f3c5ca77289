// SPDX-License-Identifier: Apache-2.0
// One turn: what waits is delivered, the model answers, its calls run.
#include "engine/session/core.h"
#include "engine/values/json_object.h"

namespace plumb::engine {

namespace {

Json message_fields(const Message& message) {
  Json fields = Json::object();
  fields["message"] = to_json(message);
  return fields;
}

AssistantMessage failed_answer(StopReason reason, std::string error) {
  AssistantMessage answer;
  answer.stop_reason = reason;
  answer.error_message = std::move(error);
  return answer;
}

ShownMessage unasked_answer(StopReason reason, std::string error) {
  return ShownMessage(std::make_shared<const Message>(failed_answer(reason, std::move(error))));
}

std::string_view outcome_name(StopReason reason) {
  if (reason == StopReason::aborted) return "aborted";
  return reason == StopReason::error ? "error" : "completed";
}

}  // namespace

Task<TurnOutcome> Session::Core::run_turn(std::int64_t turn, std::vector<MessagePtr> pending) {
  ++prompt_turn_count_;
  turn_results_.clear();
  turn_entries_.clear();
  TurnStart event;
  event.turn = turn;
  Json fields = runner_.wants("turn_start")
                    ? json_object("turnIndex", turn, "timestamp", ports_.env.wall_ms())
                    : Json();
  co_await emit(std::move(event), std::move(fields));
  co_await deliver_all(std::move(pending));
  if (turn == 0) co_await deliver_all(steering_.take());

  MessagePtr answer = co_await next_answer();
  run_->last_answer = answer;
  const auto& said = std::get<AssistantMessage>(*answer);
  TurnOutcome outcome;
  outcome.ends_run = policies_.session.answer_ends_run(said.stop_reason);
  const bool has_calls = !outcome.ends_run && !tool_calls_of(said).empty();
  BatchOutcome batch;
  if (has_calls) batch = co_await run_calls(answer);
  outcome.wants_continue = co_await end_turn(turn, answer);
  outcome.follows =
      policies_.session.turn_follows(has_calls, batch.terminates) || (has_calls && aborted());
  co_return outcome;
}

Task<void> Session::Core::deliver_all(std::vector<MessagePtr> messages) {
  for (auto& message : messages) co_await deliver(std::move(message), std::string());
}

/// message_start, message_end (where a handler may replace it) and the entry, whose id it gives.
Task<std::string> Session::Core::deliver(MessagePtr message, std::string call) {
  SharedJson shown = share(message);
  MessageStart start;
  start.role = role_of(*message);
  start.message = shown;
  Json fields = runner_.wants("message_start") ? message_fields(*message) : Json();
  co_await emit(std::move(start), std::move(fields), call);
  if (runner_.wants("message_end")) {
    message = co_await runner_.message_end(call, message);
    shown = share(message);
  }
  MessageEnd end;
  end.role = role_of(*message);
  end.message = shown;
  record(std::move(end), call);
  std::string id = transcript_.add_message(std::move(message), std::move(shown), std::move(call));
  if (transcript_.needs_flush()) co_await flush_entries();
  co_return id;
}

/// The model's answer, stored; or the one that closes a run that may not ask any more (ABORT-08).
Task<MessagePtr> Session::Core::next_answer() {
  if (!policies_.session.may_request(aborted())) {
    co_return co_await close_answer(false, unasked_answer(StopReason::aborted, "aborted"));
  }
  if (prompt_turn_count_ > options_.turns_max) {
    const std::string reason =
        "the prompt reached its limit of " + std::to_string(options_.turns_max) + " turns";
    run_->failure = Error{ErrorCode::exhausted, reason, ""};
    co_return co_await close_answer(false, unasked_answer(StopReason::error, reason));
  }
  co_return co_await ask_model();
}

Task<MessagePtr> Session::Core::ask_model() {
  ModelRequest request = co_await compose_request();
  if (!policies_.session.may_request(aborted())) {
    co_return co_await close_answer(false, unasked_answer(StopReason::aborted, "aborted"));
  }
  AnswerStream stream(ports_.env.loop, ports_.recorder, runner_, empty_answer_);
  auto answer =
      co_await stream.receive(ports_.provider, std::move(request), run_->controller.signal());
  if (!answer) {
    // A broken provider still closes the run as a failed answer would (EVENT-28).
    run_->failure = answer.error();
    answer = failed_answer(StopReason::error, answer.error().message);
  }
  ShownMessage said = stream.as_message(*std::move(answer));
  co_return co_await close_answer(stream.has_started(), std::move(said));
}

Task<MessagePtr> Session::Core::close_answer(bool has_started, ShownMessage answer) {
  if (!has_started) {
    MessageStart start;
    start.role = "assistant";
    start.message = answer.shown;
    Json fields = runner_.wants("message_start") ? message_fields(*answer.message) : Json();
    co_await emit(std::move(start), std::move(fields));
  }
  if (runner_.wants("message_end")) {
    MessagePtr message = co_await runner_.message_end("", answer.message);
    if (message != answer.message) answer = ShownMessage(std::move(message));
  }
  MessageEnd end;
  end.role = "assistant";
  end.message = answer.shown;
  record(std::move(end));
  answer_entry_ = transcript_.add_message(answer.message, std::move(answer.shown));
  if (transcript_.needs_flush()) co_await flush_entries();
  co_return std::move(answer.message);
}

Task<BatchOutcome> Session::Core::run_calls(MessagePtr answer) {
  BatchRequest request(std::move(answer), turn_tools_, run_->controller.signal());
  settings_mark_.read();
  request.host_mode = options_.tool_execution;
  co_return co_await batches_.run(std::move(request));
}

Json Session::Core::turn_end_fields(std::int64_t turn, const Message& answer) const {
  Json fields = Json::object();
  fields["turnIndex"] = turn;
  fields["message"] = to_json(answer);
  fields["toolResults"] = Json::array();
  const auto& stored = transcript_.messages();
  const auto count = static_cast<std::ptrdiff_t>(turn_results_.size());
  for (auto result = stored.end() - count; result != stored.end(); ++result) {
    fields["toolResults"].push_back(to_json(**result));
  }
  fields["messageEntryId"] = policies_.session.entry_shown_at_turn_end(answer_entry_);
  fields["toolResultEntryIds"] = Json::array();
  for (const auto& entry : turn_entries_) {
    fields["toolResultEntryIds"].push_back(policies_.session.entry_shown_at_turn_end(entry));
  }
  fields["outcome"] = outcome_name(std::get<AssistantMessage>(answer).stop_reason);
  return fields;
}

/// Whether a handler asked to go on.
Task<bool> Session::Core::end_turn(std::int64_t turn, MessagePtr answer) {
  bool wants_continue = false;
  if (runner_.wants("turn_end")) {
    Json fields = turn_end_fields(turn, *answer);
    const BoundaryProposal proposal = co_await runner_.boundary("turn_end", std::move(fields));
    apply_proposal(proposal);
    wants_continue = proposal.wants_continue;
  }
  TurnEnd event;
  event.turn = turn;
  event.results = turn_results_;
  record(std::move(event));
  later_mark_.write();
  auto waiting = std::exchange(after_turn_, {});
  co_await deliver_all(std::move(waiting));
  co_return wants_continue;
}

}  // namespace plumb::engine
