// SPDX-License-Identifier: Apache-2.0
// Turns and what handlers propose at their end.
#include <algorithm>
#include <map>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// EVENT-11: turns count from 0 with each agent_start.
class TurnNumberChecker final : public Checker {
 public:
  void see(const Event& event, const Story&, Report& report) override {
    if (event.as<AgentStart>() != nullptr) next_ = 0;
    const bool is_over = event.as<AgentStart>() != nullptr || event.as<Crash>() != nullptr;
    if (is_over) begun_ = nullptr;
    if (event.as<AgentEnd>() != nullptr) report.complain(has_ended(event));
    if (const auto* start = event.as<TurnStart>()) {
      report.trigger();
      report.complain(has_ended(event));
      begun_ = &event;
      report.complain(counts("turn_start counts otherwise", next_, start->turn, event));
      open_ = start->turn;
    }
    const auto* end = event.as<TurnEnd>();
    if (end == nullptr) return;
    report.complain(counts("turn_end has another number than turn_start", open_, end->turn, event));
    next_ = open_ + 1;
    begun_ = nullptr;
  }

 private:
  static Complaint counts(std::string_view message, std::int64_t expected, std::int64_t actual,
                          const Event& event) {
    if (expected == actual) return std::nullopt;
    return differ(message, Json(expected), Json(actual), &event);
  }

  /// Each turn that begins ends before the next and before its run does.
  Complaint has_ended(const Event& event) {
    if (begun_ == nullptr) return std::nullopt;
    const auto turn = std::to_string(std::exchange(begun_, nullptr)->as<TurnStart>()->turn);
    return contrast("turn " + turn + " has no turn_end", "turn_end of turn " + turn,
                    std::string(event.kind()), &event);
  }

  const Event* begun_ = nullptr;  ///< The turn_start of a turn that has not ended.
  std::int64_t next_ = 0;
  std::int64_t open_ = 0;
};

/// EVENT-12: at turn_end the answer and its results stand in the store.
class StoredTurnChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    if (const auto* hook = event.as<HookCall>(); hook != nullptr && hook->event == "turn_end") {
      report.trigger();
      report.complain(names_entries(hook->input.get(), event, story));
    }
    const auto* end = event.as<TurnEnd>();
    if (end == nullptr || end->results.empty()) return;
    report.trigger();
    for (const auto& call : end->results) {
      const auto is_of_call = [&call](const Event* entry) { return entry->call == call; };
      if (last_entry(story, is_of_call) != nullptr) continue;
      report.complain(finding("turn_end before the result of " + call + " is stored", &event));
    }
  }

 private:
  /// The newest entry so far that fits, or null: mostly one of the last.
  static const Event* last_entry(const Story& story, const auto& fits) {
    const auto found = std::find_if(story.entries.rbegin(), story.entries.rend(), fits);
    return found == story.entries.rend() ? nullptr : *found;
  }

  static const Event* entry_named(const Story& story, std::string_view id) {
    return last_entry(story,
                      [id](const Event* entry) { return entry->as<SessionEntry>()->id == id; });
  }

  static Complaint names_entries(const Json& told, const Event& event, const Story& story) {
    if (entry_named(story, view_at(told, "messageEntryId")) == nullptr) {
      return finding("turn_end names an answer that is not in the store", &event);
    }
    const auto entries = strings_in(at(told, "toolResultEntryIds"));
    std::vector<std::string> stored;
    for (const auto& entry : entries) {
      const Event* found = entry_named(story, entry);
      stored.push_back(found == nullptr ? "" : found->call);
    }
    std::vector<std::string> expected;
    for (const auto& result : at(told, "toolResults")) {
      expected.push_back(text_at(result, "toolCallId"));
    }
    return differ("turn_end names other entries than those of its results", as_json(expected),
                  as_json(stored), &event);
  }
};

// ------------------------------------------------------------------ what turn_end tells handlers

bool tells_turn_end(const Event& event, const Story&) {
  return event.as<HookCall>()->event == "turn_end";
}

const Json& told_message(const Event& event) {
  return at(event.as<HookCall>()->input.get(), "message");
}

Complaint lists_results_in_source_order(const Event& event, const Story&) {
  const Json& message = told_message(event);
  const auto stop = text_at(message, "stopReason");
  std::vector<std::string> expected;
  if (stop != "error" && stop != "aborted") {
    for (const auto& call : calls_in(message)) expected.push_back(call.id);
  }
  std::vector<std::string> told;
  for (const auto& result : at(event.as<HookCall>()->input.get(), "toolResults")) {
    told.push_back(text_at(result, "toolCallId"));
  }
  return differ("turn_end lists the results otherwise", as_json(expected), as_json(told), &event);
}

Complaint tells_the_outcome(const Event& event, const Story&) {
  const auto stop = text_at(told_message(event), "stopReason");
  const bool is_failure = stop == "error" || stop == "aborted";
  return differ("turn_end tells another outcome", Json(is_failure ? stop : "completed"),
                at(event.as<HookCall>()->input.get(), "outcome"), &event);
}

// ------------------------------------------------------------------ before the settlement

/// EVENT-15: what handlers of agent_before_settle asked for, and what came of it.
class ContinuationChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"agent_before_settle", "hook_call",     "hook_return", "provider_request",
            "extension_error",     "agent_settled", "crash"};
  }

  void see(const Event& event, const Story& story, Report& report) override {
    if (event.as<Crash>() != nullptr) asked_ = nullptr;
    if (asked_ != nullptr) follow(event);
    const bool ends =
        event.as<AgentBeforeSettle>() != nullptr || event.as<AgentSettled>() != nullptr;
    if (!ends) return;
    if (asked_ != nullptr && wants_) conclude(event, story, report);
    asked_ = event.as<AgentBeforeSettle>() != nullptr ? &event : nullptr;
    wants_ = can_ = has_message_ = false;
    requests_ = errors_ = 0;
  }

 private:
  void follow(const Event& event) {
    if (event.as<ProviderRequest>() != nullptr) ++requests_;
    const auto* error = event.as<ExtensionError>();
    if (error != nullptr && error->event == "agent_before_settle") ++errors_;
    const auto* entered = event.as<HookCall>();
    if (entered != nullptr && entered->event == "agent_before_settle" && entered->index == 0) {
      can_ = at(at(entered->input.get(), "context"), "canContinue") == true;
    }
    const auto* returned = event.as<HookReturn>();
    if (returned == nullptr || returned->event != "agent_before_settle") return;
    const Json& result = returned->result.get();
    if (!at(result, "continue").is_null()) wants_ = at(result, "continue") == true;
    if (!at(result, "entries").is_array()) return;
    has_message_ = std::ranges::any_of(at(result, "entries"), [](const Json& entry) {
      return view_at(entry, "type") == "custom_message";
    });
  }

  void conclude(const Event& event, const Story& story, Report& report) const {
    if (story.abort_between(asked_->seq, event.seq) >= 0) return;
    report.trigger();
    const bool has_calls = std::ranges::any_of(
        story.batches, [&](const Batch& batch) { return batch.response->seq > asked_->seq; });
    if (!can_ && !has_message_) {
      report.complain(
          require(requests_ == 0, "a request although the context cannot be continued", &event));
      report.complain(
          require(errors_ > 0, "a continuation that cannot be is not reported", &event));
      return;
    }
    report.complain(
        require(requests_ > 0, "the continuation that was asked for did not take place", &event));
    report.complain(
        require(has_calls || requests_ <= 1, "more than one request for one continuation", &event));
  }

  const Event* asked_ = nullptr;
  bool wants_ = false;
  bool can_ = false;
  bool has_message_ = false;
  std::int64_t requests_ = 0;
  std::int64_t errors_ = 0;
};

/// EVENT-16: nothing starts while handlers of agent_settled run. A note `idle` of theirs holds what
/// they read of the session.
class SettledDispatchChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"hook_call", "agent_settled", "agent_start", "notify", "crash"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    const auto* entered = event.as<HookCall>();
    if (entered != nullptr && entered->event == "agent_settled") {
      report.trigger();
      is_open_ = true;
    }
    if (event.as<AgentSettled>() != nullptr || event.as<Crash>() != nullptr) is_open_ = false;
    if (!is_open_) return;
    report.complain(require(event.as<AgentStart>() == nullptr,
                            "a run starts while handlers of agent_settled run", &event));
    const auto* note = event.as<Notify>();
    if (note == nullptr || note->topic != "idle") return;
    report.complain(differ("a handler of agent_settled does not find the session idle", Json(true),
                           note->data.get(), &event));
  }

 private:
  bool is_open_ = false;
};

/// EVENT-28: an answer that failed is closed by the rest of its turn and run.
class FailureCloseChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"message_start", "message_end", "turn_end", "agent_end", "crash"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (event.as<Crash>() != nullptr) *this = {};
    const auto* start = event.as<MessageStart>();
    if (start != nullptr && start->role == kAssistantRole) is_answering_ = true;
    if (const auto* end = event.as<MessageEnd>()) close(*end, event, report);
    if (event.as<TurnEnd>() != nullptr) has_turn_end_ = true;
    if (event.as<AgentEnd>() == nullptr || failed_ == nullptr) return;
    report.complain(require(has_turn_end_, "agent_end without turn_end after a failure", &event));
    failed_ = nullptr;
  }

  void finish(const Story&, Report& report) override {
    report.complain(require(failed_ == nullptr, "no agent_end after a failure", failed_));
  }

 private:
  void close(const MessageEnd& end, const Event& event, Report& report) {
    if (end.role != kAssistantRole) return;
    const bool was_answering = std::exchange(is_answering_, false);
    const auto stop = text_at(end.message.get(), "stopReason");
    if (stop != "error" && stop != "aborted") return;
    report.trigger();
    report.complain(require(was_answering, "a failed answer ends that never started", &event));
    report.complain(
        require(stop == "aborted" || !text_at(end.message.get(), "errorMessage").empty(),
                "a failed answer does not say why", &event));
    failed_ = &event;
    has_turn_end_ = false;
  }

  bool is_answering_ = false;
  bool has_turn_end_ = false;
  const Event* failed_ = nullptr;
};

/// EVENT-30: a retry is a new run with the very same request.
class RetryChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"agent_end", "agent_start", "message_end", "provider_request", "agent_settled"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (const auto* request = event.as<ProviderRequest>()) see_request(*request, event, report);
    if (event.as<AgentSettled>() != nullptr) is_retry_ = false;
    if (event.as<AgentStart>() != nullptr) has_started_ = true;
    const auto* message = event.as<MessageEnd>();
    if (message != nullptr && is_retry_) {
      report.complain(require(message->role != "user", "a user message before the retry", &event));
    }
    const auto* end = event.as<AgentEnd>();
    if (end == nullptr || !end->will_retry) return;
    report.trigger();
    is_retry_ = true;
    has_started_ = false;
  }

 private:
  void see_request(const ProviderRequest& request, const Event& event, Report& report) {
    if (std::exchange(is_retry_, false)) {
      report.complain(require(has_started_, "a retry without agent_start", &event));
      report.complain(differ("the retry sends another conversation", Json(hash_.hex()),
                             Json(request.hash.hex()), &event));
    }
    hash_ = request.hash;
  }

  bool is_retry_ = false;
  bool has_started_ = false;
  PrefixHash hash_;
};

}  // namespace

std::vector<Rule> turn_rules() {
  return {
      rule("EVENT-11",
           "turn_start counts from 0 in each run, turn_end carries the same number; each turn has "
           "one")
          .by<TurnNumberChecker>({"agent_start", "turn_start", "turn_end", "agent_end", "crash"}),
      rule("EVENT-12",
           "turn_end comes after the entries of the turn, and handlers are told their ids")
          .by<StoredTurnChecker>({"hook_call", "turn_end"}),
      rule("EVENT-13", "handlers of turn_end get the results in source order and the outcome")
          .for_each("hook_call")
          .when(tells_turn_end)
          .expect(lists_results_in_source_order)
          .expect(tells_the_outcome),
      rule("EVENT-15",
           "a continuation that agent_before_settle handlers ask for is one request; one that "
           "cannot be is reported")
          .by<ContinuationChecker>(ContinuationChecker::kinds()),
      rule("EVENT-16",
           "no agent_start while handlers of agent_settled run, and their notes idle say true")
          .by<SettledDispatchChecker>(SettledDispatchChecker::kinds()),
      rule("EVENT-28",
           "an assistant message that ends in error or abort has a start and a text, and turn_end "
           "and agent_end follow")
          .by<FailureCloseChecker>(FailureCloseChecker::kinds()),
      rule("EVENT-30",
           "after agent_end with will_retry: agent_start, no user message, and a request with the "
           "bytes of the failed one")
          .by<RetryChecker>(RetryChecker::kinds()),
  };
}

}  // namespace plumb::invariants
