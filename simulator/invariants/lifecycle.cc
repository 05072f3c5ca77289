// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// EVENT-01: which event may follow which, as the state of one prompt's processing.
class LifecycleChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"before_agent_start",
            "agent_start",
            "turn_start",
            "message_start",
            "message_end",
            "turn_end",
            "tool_execution_start",
            "tool_execution_end",
            "agent_end",
            "agent_before_settle",
            "agent_settled",
            "crash",
            "provider_request",
            "provider_response",
            "hook_return",
            "input"};
  }

  void see(const Event& event, const Story& story, Report& report) override {
    if (event.as<Crash>() != nullptr) *this = {};
    if (event.as<BeforeAgentStart>() != nullptr) expect(!is_running_, event, report);
    if (event.as<AgentStart>() != nullptr) open(is_running_, !is_running_, event, report);
    if (event.as<TurnStart>() != nullptr)
      open(is_in_turn_, is_running_ && !is_in_turn_, event, report);
    if (belongs_in_turn(event)) expect(is_in_turn_, event, report);
    if (event.as<TurnEnd>() != nullptr) close(is_in_turn_, open_calls_ == 0, event, report);
    if (event.as<AgentEnd>() != nullptr) close(is_running_, !is_in_turn_, event, report);
    if (event.as<AgentBeforeSettle>() != nullptr) expect(!is_running_ && has_run_, event, report);
    if (event.as<AgentSettled>() != nullptr) {
      expect(!is_running_ && has_run_, event, report);
      has_run_ = false;
      report.trigger();
    }
    if (event.as<ToolExecutionStart>() != nullptr) ++open_calls_;
    if (event.as<ToolExecutionEnd>() != nullptr) --open_calls_;
    follow_message(event, report);
    follow_answer(event, story, report);
    follow_prompt(event, report);
    follow_settlement(event, report);
  }

  void finish(const Story& story, Report& report) override {
    for (const auto& call : story.calls) {
      if (!is_top_level(call) || call.is_cut || call.is_repeated) continue;
      report.complain(message_follows_end(call, story));
    }
  }

 private:
  static bool belongs_in_turn(const Event& event) {
    if (event.as<ToolExecutionStart>() != nullptr) return true;
    if (event.as<ToolExecutionEnd>() != nullptr) return true;
    const auto* begun = event.as<MessageStart>();
    const auto* ended = event.as<MessageEnd>();
    const std::string_view role = begun ? begun->role : ended ? ended->role : std::string_view();
    return role == "assistant" || role == "toolResult";
  }

  static Complaint message_follows_end(const Call& call, const Story& story) {
    const std::array<const Event*, 7> order{first(call, "tool_execution_start"),
                                            first(call, "tool_call"),
                                            first(call, "tool_execution_update"),
                                            first(call, "tool_result"),
                                            first(call, "tool_execution_end"),
                                            first(call, "message_start"),
                                            first(call, "message_end")};
    const Event* earlier = nullptr;
    for (const Event* event : order) {
      if (event == nullptr) continue;
      if (auto complaint = before(earlier, event, story)) return complaint;
      earlier = event;
    }
    return std::nullopt;
  }

  void see_request(const ProviderRequest& request, const Event& event, Report& report) {
    is_main_ = request.lineage == "main";
    report.complain(
        require(request.n == sent_ + 1, "requests are not numbered one by one", &event));
    sent_ = request.n;
  }

  /// An answer belongs to the request before it, and says once how it stopped.
  void see_response(const ProviderResponse& response, const Event& event, const Story& story,
                    Report& report) const {
    if (sent_ != response.n && shows_kind(story, "provider_request")) {
      report.complain(
          differ("the request that an answer belongs to", Json(sent_), Json(response.n), &event));
    }
    const auto stop = view_at(response.message.get(), "stopReason");
    report.complain(require(stop.empty() || stop == response.stop_reason,
                            "an answer and its message stop for two reasons", &event));
  }

  /// Each message that ends has begun, as the same one.
  void follow_message(const Event& event, Report& report) {
    const Event* open = message_;
    if (event.as<MessageStart>() != nullptr) message_ = &event;
    const auto* ended = event.as<MessageEnd>();
    if (ended == nullptr) return;
    message_ = nullptr;
    const bool fits = open != nullptr && open->as<MessageStart>()->role == ended->role &&
                      open->call == event.call;
    report.complain(require(fits, "a message ends that did not begin", &event));
  }

  /// An answer of the provider is the assistant message that ends next, and there is no other.
  void follow_answer(const Event& event, const Story& story, Report& report) {
    if (is_live(story)) return;
    if (const auto* request = event.as<ProviderRequest>()) see_request(*request, event, report);
    if (const auto* response = event.as<ProviderResponse>())
      see_response(*response, event, story, report);
    if (event.as<ProviderResponse>() != nullptr && is_main_) {
      report.complain(
          require(answer_ == nullptr, "an answer before the last one is a message", &event));
      answer_ = &event;
      is_replaced_ = false;
    }
    const auto* returned = event.as<HookReturn>();
    if (returned != nullptr && returned->event == "message_end") {
      is_replaced_ = is_replaced_ || at(returned->result.get(), "message").is_object();
    }
    if (event.as<TurnEnd>() != nullptr) {
      report.complain(require(answer_ == nullptr, "an answer that is no message", answer_));
      answer_ = nullptr;
    }
    const auto* ended = event.as<MessageEnd>();
    if (ended == nullptr || ended->role != kAssistantRole) return;
    stop_ = view_at(ended->message.get(), "stopReason");
    const Event* answer = std::exchange(answer_, nullptr);
    const bool is_closing = stop_ == "aborted" || stop_ == "error";
    if (answer == nullptr) {
      const bool is_owed = shows_kind(story, "provider_response") && is_in_turn_;
      return report.complain(
          require(!is_owed || is_closing, "an assistant message that nobody answered", &event));
    }
    if (is_closing || is_replaced_) return;
    report.complain(differ("the assistant message is not the provider's answer",
                           answer->as<ProviderResponse>()->message, ended->message, &event));
  }

  /// What the host said is the prompt and the first message of its run, unless handlers changed it.
  void follow_prompt(const Event& event, Report& report) {
    const auto* input = event.as<Input>();
    if (input != nullptr && input->mode == "prompt") input_ = input->text;
    const auto* returned = event.as<HookReturn>();
    const bool may_change = returned != nullptr && !returned->event.starts_with("tool_");
    if (may_change && !returned->result.get().is_null()) input_.reset();
    if (event.as<AgentSettled>() != nullptr) input_.reset();
    if (!input_) return;
    if (const auto* prepared = event.as<BeforeAgentStart>()) {
      report.complain(
          differ("the prompt is not the input", Json(*input_), Json(prepared->prompt), &event));
    }
    const auto* ended = event.as<MessageEnd>();
    if (ended == nullptr || ended->role != kUserRole) return;
    report.complain(differ("the first message is not the input", Json(*input_),
                           Json(text_in(at(ended->message.get(), "content"))), &event));
    input_.reset();
  }

  /// Unless it failed or was aborted, a run asks whether it is to go on before it settles.
  void follow_settlement(const Event& event, Report& report) {
    if (event.as<AgentEnd>() != nullptr) has_asked_ = false;
    if (event.as<AgentBeforeSettle>() != nullptr) has_asked_ = true;
    const auto* settled = event.as<AgentSettled>();
    if (settled == nullptr || settled->aborted || stop_ == "error" || stop_ == "aborted") return;
    report.complain(require(has_asked_ || stop_.empty(), "no agent_before_settle", &event));
  }

  static void expect(bool claim, const Event& event, Report& report) {
    if (claim) return;
    report.complain(finding(std::string(event.kind()) + " out of its place", &event));
  }
  void open(bool& state, bool claim, const Event& event, Report& report) {
    expect(claim, event, report);
    state = true;
    has_run_ = true;
  }
  void close(bool& state, bool claim, const Event& event, Report& report) {
    expect(state && claim, event, report);
    state = false;
  }

  bool is_running_ = false;
  bool is_in_turn_ = false;
  bool has_run_ = false;
  std::int64_t open_calls_ = 0;
  const Event* message_ = nullptr;  ///< The one that has begun.
  std::int64_t sent_ = 0;           ///< The number of the last request.
  bool is_main_ = true;             ///< The last request belongs to the conversation itself.
  const Event* answer_ = nullptr;   ///< One that is no message yet.
  bool is_replaced_ = false;
  std::string stop_;                  ///< Of the last assistant message.
  std::optional<std::string> input_;  ///< The host's, until it is a message.
  bool has_asked_ = false;            ///< agent_before_settle since the last agent_end.
};

/// EVENT-14: one agent_settled for all runs of a prompt, after the last agent_end.
class SettledChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"before_agent_start", "agent_start", "agent_end", "agent_settled", "crash"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (event.as<Crash>() != nullptr) *this = {};
    if (event.as<BeforeAgentStart>() != nullptr) {
      settled_ = nullptr;
      shows_preparation_ = true;
    }
    if (event.as<AgentStart>() != nullptr) begin(event, report);
    if (event.as<AgentSettled>() != nullptr) settle(event, report);
    const auto* end = event.as<AgentEnd>();
    if (end == nullptr) return;
    report.trigger();
    is_retry_ = end->will_retry;
    ended_ = &event;
  }

  void finish(const Story&, Report& report) override {
    report.complain(require(ended_ == nullptr, "agent_end without agent_settled", ended_));
  }

 private:
  /// A run that goes on after the notice that nothing more will run has no preparation of its own.
  void begin(const Event& event, Report& report) {
    report.complain(require(settled_ == nullptr || !shows_preparation_,
                            "a run goes on after agent_settled", &event));
    ended_ = nullptr;
    is_retry_ = false;
  }
  void settle(const Event& event, Report& report) {
    report.complain(require(ended_ != nullptr, "agent_settled without an agent_end", &event));
    const bool is_given_up = event.as<AgentSettled>()->aborted;  // The retry is skipped (ABORT-11).
    report.complain(
        require(!is_retry_ || is_given_up, "agent_settled although a retry was announced", &event));
    ended_ = nullptr;
    settled_ = &event;
  }

  bool is_retry_ = false;
  bool shows_preparation_ = false;
  const Event* ended_ = nullptr;
  const Event* settled_ = nullptr;
};

/// EVENT-38, EVENT-39: factories run between a shutdown and a start.
class SessionChecker : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"load", "session_start", "session_shutdown", "agent_start", "agent_end", "crash"};
  }

 protected:
  void follow(const Event& event) {
    if (event.as<Crash>() != nullptr) {
      is_started_ = false;
      is_running_ = false;
      loading_ = 0;
    }
    if (event.as<AgentStart>() != nullptr) is_running_ = true;
    if (event.as<AgentEnd>() != nullptr) is_running_ = false;
    if (event.as<SessionStart>() != nullptr) is_started_ = true;
    if (event.as<SessionShutdown>() != nullptr) is_started_ = false;
    const auto* load = event.as<Load>();
    if (load == nullptr) return;
    has_loaded_ = true;
    loading_ += load->phase == "begin" ? 1 : -1;
  }
  bool is_started_ = false;
  bool is_running_ = false;
  bool has_loaded_ = false;
  std::int64_t loading_ = 0;
};

constexpr std::array<std::string_view, 5> kStartReasons{"startup", "reload", "new", "resume",
                                                        "fork"};
constexpr std::array<std::string_view, 5> kShutdownReasons{"quit", "reload", "new", "resume",
                                                           "fork"};

class SessionStartChecker final : public SessionChecker {
 public:
  void see(const Event& event, const Story&, Report& report) override {
    if (const auto* start = event.as<SessionStart>()) {
      if (has_loaded_) report.trigger();
      report.complain(require(loading_ == 0, "session_start while an extension loads", &event));
      report.complain(require(std::ranges::count(kStartReasons, start->reason) == 1,
                              "unknown reason '" + start->reason + "'", &event));
      report.complain(fits_shutdown(*start, event));
      shutdown_reason_.clear();
    }
    const auto* shutdown = event.as<SessionShutdown>();
    if (shutdown != nullptr && shutdown->reason != "quit") shutdown_reason_ = shutdown->reason;
    if (event.as<Crash>() != nullptr) shutdown_reason_.clear();
    if (event.as<Load>() != nullptr) {
      report.complain(require(!is_started_, "an extension loads after session_start", &event));
    }
    follow(event);
  }

 private:
  Complaint fits_shutdown(const SessionStart& start, const Event& event) const {
    const bool fits = shutdown_reason_.empty() || start.reason == shutdown_reason_;
    return require(
        fits, "a start for '" + start.reason + "' after a shutdown for '" + shutdown_reason_ + "'",
        &event);
  }

  std::string shutdown_reason_;  ///< What the session that is about to start replaces it for.
};

class SessionShutdownChecker final : public SessionChecker {
 public:
  void see(const Event& event, const Story&, Report& report) override {
    if (const auto* shutdown = event.as<SessionShutdown>()) {
      report.trigger();
      report.complain(require(is_started_, "session_shutdown without a session", &event));
      report.complain(require(!is_running_, "session_shutdown before the run is over", &event));
      report.complain(require(std::ranges::count(kShutdownReasons, shutdown->reason) == 1,
                              "unknown reason '" + shutdown->reason + "'", &event));
    }
    const bool is_new = event.as<SessionStart>() != nullptr || event.as<Load>() != nullptr;
    if (is_new) {
      report.complain(
          require(!is_started_, "the new instance came before session_shutdown", &event));
    }
    follow(event);
  }
};

/// Whether an answer failed and so its calls are dead (EVENT-29).
bool is_failed(const Batch& batch, const Story&) {
  return batch.stop_reason == "error" || batch.stop_reason == "aborted";
}

bool is_aborted_answer(const Batch& batch, const Story&) {
  return batch.stop_reason == "aborted";
}

Complaint calls_are_dead(const Batch& batch, const Story& story) {
  for (const auto* call : calls_of(batch, story)) {
    for (const Event* event : call->events) {
      return finding(std::string(event->kind()) + " for call " + call->id + " of a failed answer",
                     event);
    }
  }
  return std::nullopt;
}

Complaint turn_has_no_results(const Batch& batch, const Story&) {
  if (batch.turn_end == nullptr)
    return finding("no turn_end after a failed answer", batch.response);
  return require(batch.turn_end->as<TurnEnd>()->results.empty(),
                 "turn_end lists results of a failed answer", batch.turn_end);
}

/// The run ends after the failed answer: no request before agent_end.
Complaint run_ends(const Batch& batch, const Story& story) {
  const auto end = story.run_end_after(batch.response->seq);
  if (end > story.last_seq) return finding("no agent_end after a failed answer", batch.response);
  for (const auto& request : story.requests) {
    const auto seq = request.event->seq;
    if (seq > batch.response->seq && seq < end) {
      return finding("a request after a failed answer", request.event);
    }
  }
  return std::nullopt;
}

/// EVENT-17: after the agent_end of a run in which the abort came follows agent_settled with
/// aborted: no agent_before_settle, no other run.
class AbortedSettlementChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"agent_start", "agent_end", "agent_before_settle", "agent_settled", "crash"};
  }

  void see(const Event& event, const Story& story, Report& report) override {
    if (event.as<Crash>() != nullptr) *this = {};
    const bool goes_on = event.as<AgentStart>() != nullptr;
    const bool asks = event.as<AgentBeforeSettle>() != nullptr;
    if (is_over_ && (goes_on || asks)) {
      report.trigger();
      report.complain(
          finding(std::string(event.kind()) + " after the end of an aborted run", &event));
    }
    if (asks) asked_ = &event;
    if (event.as<AgentEnd>() != nullptr) end_run(event, story);
    if (const auto* settled = event.as<AgentSettled>()) settle(event, *settled, report);
  }

 private:
  void end_run(const Event& event, const Story& story) {
    asked_ = nullptr;
    if (story.runs.empty()) return;
    is_over_ = is_over_ || story.abort_between(story.runs.back().start->seq, event.seq) >= 0;
  }
  void settle(const Event& event, const AgentSettled& settled, Report& report) {
    if (is_over_ || settled.aborted) report.trigger();
    report.complain(require(!is_over_ || settled.aborted,
                            "agent_settled does not say that the run was aborted", &event));
    report.complain(require(!settled.aborted || asked_ == nullptr,
                            "agent_before_settle in an aborted run", asked_));
    asked_ = nullptr;
    is_over_ = false;
  }

  bool is_over_ = false;  ///< The run in which the abort came has ended.
  const Event* asked_ = nullptr;
};

}  // namespace

std::vector<Rule> lifecycle_rules() {
  return {
      rule("EVENT-01",
           "run, turn, message and call events open and close in their order, and each call's "
           "events follow one another from start to message; input, prompt and message, answer and "
           "message are the same")
          .by<LifecycleChecker>(LifecycleChecker::kinds()),
      rule("EVENT-14", "after the last agent_end of a prompt comes exactly one agent_settled")
          .by<SettledChecker>(SettledChecker::kinds()),
      rule("EVENT-17",
           "after the agent_end of an aborted run comes agent_settled, which says so: no "
           "agent_before_settle and no other run")
          .by<AbortedSettlementChecker>(AbortedSettlementChecker::kinds()),
      rule("EVENT-29",
           "an answer that ended in error or abort: no events of its calls, an empty turn_end, "
           "then agent_end without another request")
          .for_each_batch()
          .when(is_failed)
          .expect(calls_are_dead)
          .expect(turn_has_no_results)
          .expect(run_ends),
      rule(
          "EVENT-38",
          "session_start comes after all load events and with a known reason, that of the shutdown "
          "before it")
          .by<SessionStartChecker>(SessionChecker::kinds()),
      rule("EVENT-39",
           "session_shutdown comes after the run and before the next load and session_start")
          .by<SessionShutdownChecker>(SessionChecker::kinds()),
      rule("ABORT-09", "an answer cut by an abort: none of its calls has an event")
          .for_each_batch()
          .when(is_aborted_answer)
          .expect(calls_are_dead),
  };
}

}  // namespace plumb::invariants
