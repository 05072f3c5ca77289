// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/message_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// An abort came while the calls of this batch were under way.
std::int64_t abort_of(const Batch& batch, const Story& story) {
  const auto end =
      batch.turn_end != nullptr ? batch.turn_end->seq : story.run_end_after(batch.response->seq);
  return story.abort_between(batch.response->seq, end);
}

const Event* abort_event(std::int64_t seq, const Story& story) {
  for (const auto* list : {&story.steps, &story.notes}) {
    for (const Event* event : *list) {
      if (event->seq == seq) return event;
    }
  }
  return nullptr;
}

bool was_aborted_midway(const Batch& batch, const Story& story) {
  return is_normal(batch) && abort_of(batch, story) >= 0;
}

/// A call that had not been executed when the abort came, and had not ended for another reason.
bool was_waiting(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  if (batch == nullptr || !was_aborted_midway(*batch, story)) return false;
  if (batch->stop_reason == "length") return false;  // Refused as truncated (BATCH-11).
  const auto abort = abort_of(*batch, story);
  const auto begun = seq_of(call, "execute_begin");
  const auto ended = seq_of(call, "tool_execution_end");
  return (begun < 0 || begun > abort) && (ended < 0 || ended > abort);
}

bool was_running(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  if (batch == nullptr || !was_aborted_midway(*batch, story)) return false;
  const auto abort = abort_of(*batch, story);
  const auto settled = seq_of(call, "execute_end");
  return has_executed(call) && seq_of(call, "execute_begin") < abort && settled > abort;
}

const Event* end_event(const Call& call) {
  return first(call, "tool_execution_end");
}

Complaint ends_as_aborted(const Call& call, const Story&) {
  if (end_event(call) == nullptr) {
    return finding("call " + call.id + " has no end after the abort", nullptr);
  }
  if (!is_error(call)) return finding("an aborted call is not an error", end_event(call));
  return differ("cause of call " + call.id, Json("aborted"), cause_of(call), end_event(call));
}

bool threw_after_abort(const Call& call, const Story& story) {
  return was_running(call, story) && settled_of(call)->outcome == "threw";
}

bool has_patch(const Call& call) {
  return std::ranges::any_of(returns_of(call, "tool_result"), [](const HookReturn* returned) {
    return returned->error.empty() && returned->result.get().is_object();
  });
}

Complaint error_is_its_own(const Call& call, const Story&) {
  if (has_patch(call)) return std::nullopt;
  if (!is_error(call)) return finding("a tool that threw is not an error", end_event(call));
  return differ("the error text is not the tool's own", settled_of(call)->error, result_text(call),
                end_event(call));
}

bool returned_after_abort(const Call& call, const Story& story) {
  return was_running(call, story) && settled_of(call)->outcome == "ok";
}

Complaint success_stays(const Call& call, const Story&) {
  if (has_patch(call)) return std::nullopt;
  if (is_error(call)) return finding("a tool that returned normally is an error", end_event(call));
  return differ("the result is not the tool's own", at(settled_of(call)->result.get(), "content"),
                at(result_of(call), "content"), end_event(call));
}

/// A note `signal` holds what the tool or handler read from its signal.
bool reads_signal_after_abort(const Event& event, const Story& story) {
  const auto* note = event.as<Notify>();
  if (note->topic != "signal" || event.call.empty()) return false;
  const Call* call = call_of(event, story);
  const Batch* batch = call == nullptr ? nullptr : batch_of(*call, story);
  return batch != nullptr && story.abort_between(batch->response->seq, event.seq) >= 0;
}

Complaint signal_is_set(const Event& event, const Story&) {
  const Json& data = event.as<Notify>()->data.get();
  const Json& state = data.is_object() ? at(data, "aborted") : data;
  return differ("the signal is not set after the abort", Json(true), state, &event);
}

/// The run in which an abort came, or null.
const Run* aborted_run(const Story& story, const Run& run) {
  if (run.end == nullptr) return nullptr;
  return story.abort_between(run.start->seq, run.end->seq) >= 0 ? &run : nullptr;
}

std::vector<const Run*> aborted_runs(const Story& story) {
  std::vector<const Run*> runs;
  for (const auto& run : story.runs) {
    if (aborted_run(story, run) != nullptr) runs.push_back(&run);
  }
  return runs;
}

Complaint no_request_after_abort(const Run& run, const Story& story) {
  const auto abort = story.abort_between(run.start->seq, run.end->seq);
  for (const auto& request : story.requests) {
    if (request.event->seq > abort && request.event->seq < run.end->seq) {
      return finding("the model is asked after the abort", request.event);
    }
  }
  return std::nullopt;
}

/// ABORT-08: the run closes with an assistant message with stopReason aborted, the only one of its
/// turn; unless the abort came when an answer without calls had said all.
class AbortedCloseChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"message_end", "provider_response", "turn_start", "agent_start", "agent_end"};
  }

  void see(const Event& event, const Story& story, Report&) override {
    if (event.as<TurnStart>() != nullptr) answers_ = 0;
    if (event.as<AgentStart>() != nullptr) last_ = nullptr;
    if (event.as<ProviderResponse>() != nullptr) response_seq_ = event.seq;
    const auto* message = event.as<MessageEnd>();
    if (message != nullptr && message->role == "assistant") {
      last_ = message;
      last_seq_ = response_seq_ < 0 ? event.seq : std::exchange(response_seq_, -1);
      ++answers_;
    }
    if (event.as<AgentEnd>() == nullptr || story.runs.empty()) return;
    const auto& run = story.runs.back();
    if (aborted_run(story, run) == nullptr || is_closed()) return;
    const auto abort = story.abort_between(run.start->seq, event.seq);
    if (!had_said_all(abort)) unclosed_.push_back(&event);
  }

  void finish(const Story& story, Report& report) override {
    for (const Run* run : aborted_runs(story)) {
      report.trigger();
      report.complain(no_request_after_abort(*run, story));
    }
    for (const Event* event : unclosed_) {
      report.complain(finding(
          "the aborted run does not close with an aborted answer in a turn of its own", event));
    }
  }

 private:
  bool is_closed() const {
    return last_ != nullptr && answers_ == 1 &&
           view_at(last_->message.get(), "stopReason") == "aborted";
  }
  bool had_said_all(std::int64_t abort) const {
    if (last_ == nullptr || last_seq_ > abort) return false;
    return calls_in(last_->message.get()).empty();
  }

  const MessageEnd* last_ = nullptr;
  std::int64_t response_seq_ = -1;  ///< Of an answer that is no message yet.
  std::int64_t last_seq_ = -1;      ///< When the model had given the last answer.
  std::int64_t answers_ = 0;        ///< Of the running turn.
  std::vector<const Event*> unclosed_;
};

bool is_prompt(const Event& event) {
  const auto* input = event.as<Input>();
  return input != nullptr && input->mode == "prompt";
}

/// ABORT-13: an abort between the prompt's input, or before_agent_start, and the first request.
class PreparationAbortChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    const bool begins = from_ < 0 && event.as<BeforeAgentStart>() != nullptr;
    if (begins || is_prompt(event)) from_ = event.seq;
    if (from_ < 0) return;
    const auto abort = story.abort_between(from_, event.seq);
    if (event.as<ProviderRequest>() != nullptr) {
      if (abort >= 0) {
        report.trigger();
        report.complain(finding("a request although the preparation was aborted", &event));
      }
      from_ = -1;
    }
    if (const auto* message = event.as<MessageEnd>()) {
      if (message->role == "assistant") stop_ = text_at(message->message.get(), "stopReason");
    }
    const auto* settled = event.as<AgentSettled>();
    if (settled == nullptr) return;
    const auto stop = std::exchange(stop_, "");
    if (abort >= 0) {
      report.trigger();
      report.complain(require(settled->aborted, "agent_settled does not report the abort", &event));
      report.complain(differ("the last answer of a run that was aborted while it was prepared",
                             Json("aborted"), Json(stop), &event));
      report.complain(require(!story.runs.empty() && story.runs.back().end != nullptr &&
                                  story.runs.back().end->seq > from_,
                              "the aborted run has no agent_end", &event));
    }
    from_ = -1;
  }

 private:
  std::int64_t from_ = -1;
  std::string stop_;  ///< Of the last assistant message.
};

/// The start or the end of an execution that the call does not have exactly once, or empty.
std::string_view odd_boundary(const Call& call) {
  for (const EventName name :
       {EventName("tool_execution_start"), EventName("tool_execution_end")}) {
    if (count(call, name) != 1) return name.text();
  }
  return {};
}

Complaint every_call_ends(const Batch& batch, const Story& story) {
  for (const auto* call : calls_of(batch, story)) {
    if (call->is_repeated) continue;  // Two calls by one id (BATCH-16).
    if (const auto odd = odd_boundary(*call); !odd.empty()) {
      return finding("call " + call->id + " has no single " + std::string(odd),
                     abort_event(abort_of(batch, story), story));
    }
    if (!has_executed(*call) && !is_error(*call)) {
      return finding("call " + call->id + " is not an error", end_event(*call));
    }
  }
  return std::nullopt;
}

bool has_executions(const Batch& batch, const Story& story) {
  return batch.turn_end != nullptr && std::ranges::any_of(calls_of(batch, story), [](auto* call) {
           return has_executed(*call);
         });
}

Complaint turn_waits(const Batch& batch, const Story& story) {
  for (const auto* call : calls_of(batch, story)) {
    if (!has_executed(*call)) continue;
    const Event* settled = first(*call, "execute_end");
    if (settled == nullptr)
      return finding("turn_end while call " + call->id + " runs", batch.turn_end);
    if (auto early = before(settled, batch.turn_end, story)) return early;
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ the end of an aborted run

bool has_result_handlers(const Story& story) {
  const Json& subscriptions = at(story.host(), "subscriptions");
  return std::ranges::any_of(
      subscriptions, [](const Json& events) { return !at(events, "tool_result").is_null(); });
}

bool threw_before_result_handlers(const Call& call, const Story& story) {
  return threw_after_abort(call, story) && has_result_handlers(story);
}

Complaint result_handlers_run(const Call& call, const Story&) {
  return require(count(call, "tool_result") > 0,
                 "no tool_result handler ran for call " + call.id + ", which had begun",
                 end_event(call));
}

/// ABORT-11: agent_settled says so, nothing of the settling comes before it, nothing runs any more.
/// Handlers of agent_settled run when the session is idle (EVENT-16): then there is nothing to
/// abort.
class AbortedSettledChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    if (event.as<AgentStart>() != nullptr) begin(event);
    const auto* hook = event.as<HookCall>();
    if (hook != nullptr && hook->event == "agent_settled" && idle_ < 0) idle_ = event.seq;
    if (event.as<ExecuteBegin>() != nullptr) ++running_;
    if (event.as<ExecuteEnd>() != nullptr) --running_;
    const auto until = idle_ < 0 ? event.seq : idle_;
    if (from_ < 0 || story.abort_between(from_, until) < 0) return;
    if (event.as<AgentBeforeSettle>() != nullptr) {
      report.complain(finding("agent_before_settle after an abort", &event));
    }
    const auto* end = event.as<AgentEnd>();
    if (end != nullptr && end->will_retry) {
      report.complain(finding("an aborted run announces a retry", &event));
    }
    const auto* settled = event.as<AgentSettled>();
    if (settled == nullptr) return;
    from_ = -1;
    report.trigger();
    report.complain(require(settled->aborted, "agent_settled does not tell of the abort", &event));
    report.complain(require(running_ == 0, "an execute runs on when the session is idle", &event));
  }

 private:
  void begin(const Event& event) {
    from_ = event.seq;
    idle_ = -1;
  }

  std::int64_t from_ = -1;
  std::int64_t idle_ = -1;  ///< Since when the run has nothing to do.
  std::int64_t running_ = 0;
};

/// ABORT-14: an abort without a run changes nothing. The handlers of a prompt's input belong to its
/// run; what agent_settled handlers asked for is a run that begins without input.
class IdleAbortChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"step", "input", "before_agent_start", "agent_start", "agent_end", "agent_settled"};
  }

  void see(const Event& event, const Story& story, Report& report) override {
    const bool begins = from_ < 0 && event.as<BeforeAgentStart>() != nullptr;
    if (begins || is_prompt(event)) from_ = event.seq;
    const auto* step = event.as<Step>();
    if (step != nullptr) see_step(*step, report);
    if (is_after_abort_ && step == nullptr) {
      report.complain(finding("an abort without a run has an effect", &event));
    }
    const auto* settled = event.as<AgentSettled>();
    if (settled == nullptr) return;
    const bool is_innocent = from_ >= 0 && story.abort_between(from_, event.seq) < 0;
    report.complain(require(!is_innocent || !settled->aborted,
                            "a run is aborted by an abort that came before it", &event));
    from_ = -1;
  }

 private:
  void see_step(const Step& step, Report& report) {
    is_after_abort_ = step.step == "abort" && from_ < 0;
    if (is_after_abort_) report.trigger();
  }

  std::int64_t from_ = -1;  ///< Where the run under way began; -1 when idle.
  bool is_after_abort_ = false;
};

}  // namespace

std::vector<Rule> abort_rules() {
  return {
      rule("ABORT-01",
           "a note signal of a tool or handler after the abort says true (the abort is a step or a "
           "note abort)")
          .for_each("notify")
          .when(reads_signal_after_abort)
          .expect(signal_is_set),
      rule("ABORT-02", "a call that had not begun when the abort came is not executed: aborted")
          .for_each_call()
          .when(was_waiting)
          .none("execute_begin")
          .expect(ends_as_aborted),
      rule("ABORT-03", "a tool that throws after the abort gives an error with its own message")
          .for_each_call()
          .among({"threw"})
          .when(threw_after_abort)
          .expect(error_is_its_own),
      rule("ABORT-04", "a tool that returns normally after the abort keeps its success")
          .for_each_call()
          .when(returned_after_abort)
          .expect(success_stays),
      rule("ABORT-06", "after an abort each call of the batch has start, end and a result")
          .for_each_batch()
          .when(was_aborted_midway)
          .expect(every_call_ends),
      rule("ABORT-07", "turn_end comes after every execute of the batch has settled")
          .for_each_batch()
          .when(has_executions)
          .expect(turn_waits),
      rule("ABORT-08",
           "after an abort no request in the run, which closes with an answer of stopReason "
           "aborted in a turn of its own")
          .by<AbortedCloseChecker>(AbortedCloseChecker::kinds()),
      rule("ABORT-10", "a tool that throws after the abort passes the tool_result handlers")
          .for_each_call()
          .among({"threw"})
          .when(threw_before_result_handlers)
          .expect(result_handlers_run),
      rule("ABORT-11",
           "after an abort agent_settled says aborted, without agent_before_settle, retry or a "
           "running execute")
          .by<AbortedSettledChecker>({"agent_start", "execute_begin", "execute_end",
                                      "agent_before_settle", "agent_end", "hook_call",
                                      "agent_settled"}),
      rule("ABORT-14", "a step abort between runs causes no event and does not abort the next run")
          .by<IdleAbortChecker>(IdleAbortChecker::kinds()),
      rule("ABORT-13",
           "an abort before the first request of a run: no request, a closing answer of stopReason "
           "aborted, agent_end, agent_settled says aborted")
          .by<PreparationAbortChecker>(
              {"input", "before_agent_start", "provider_request", "message_end", "agent_settled"}),
  };
}

}  // namespace plumb::invariants
