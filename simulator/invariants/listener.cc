// SPDX-License-Identifier: Apache-2.0
// Handlers that only listen, and handlers that fail or are taken back.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/hook_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

// ------------------------------------------------------------------ EVENT-26

bool is_told_after_handlers(std::string_view kind) {
  return kind == "agent_start" || kind == "turn_start" || kind == "turn_end" ||
         kind == "agent_end" || kind == "agent_settled";
}

class ListenerOrderChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"agent_start", "turn_start",  "turn_end", "agent_end", "agent_settled",
            "hook_call",   "hook_return", "input",    "crash"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (event.as<Crash>() != nullptr) return dispatches_.clear();
    if (const auto* hook = event.as<HookCall>()) {
      if (is_told_after_handlers(hook->event)) ++dispatches_[hook->event].open;
    }
    if (const auto* returned = event.as<HookReturn>()) {
      if (is_told_after_handlers(returned->event)) close(*returned, event, report);
    }
    if (is_told_after_handlers(event.kind())) tell(event, report);
    if (const auto* input = event.as<Input>(); input && input->mode == "prompt") {
      report.complain(require(dispatches_["agent_end"].open == 0,
                              "a prompt while handlers hear of the end of the last one", &event));
    }
  }

  void finish(const Story& story, Report& report) override {
    for (const auto& [name, dispatch] : dispatches_) {
      const bool is_shown = std::ranges::find(story.header.emits, name) != story.header.emits.end();
      if (story.header.emits.empty() || is_shown) {
        report.complain(require(dispatch.untold == nullptr, "handlers hear of what was told before",
                                dispatch.untold));
      }
    }
  }

 private:
  struct Dispatch {
    std::int64_t open = 0;
    const Event* untold = nullptr;  ///< A handler has returned; the event itself is still to come.
  };

  void close(const HookReturn& returned, const Event& event, Report& report) {
    report.trigger();
    Dispatch& dispatch = dispatches_[returned.event];
    dispatch.open = std::max<std::int64_t>(dispatch.open - 1, 0);
    dispatch.untold = &event;
  }
  void tell(const Event& event, Report& report) {
    Dispatch& dispatch = dispatches_[std::string(event.kind())];
    report.complain(require(dispatch.open == 0,
                            std::string(event.kind()) + " is told before its handlers are done",
                            &event));
    dispatch = {};
  }

  std::map<std::string, Dispatch> dispatches_;
};

// ------------------------------------------------------------------ EVENT-27

bool is_notice_of_call(std::string_view event) {
  return event == "tool_execution_start" || event == "tool_execution_update" ||
         event == "tool_execution_end";
}

bool has_failing_observer(const Call& call, const Story& story) {
  if (!is_top_level(call) || abort_during(call, story) >= 0) return false;
  return std::ranges::any_of(call.events, [](const Event* event) {
    const auto* returned = event->as<HookReturn>();
    return returned != nullptr && is_notice_of_call(returned->event) && !returned->error.empty();
  });
}

Complaint run_goes_on(const Call& call, const Story& story) {
  const auto is_end = [&](const Run& run) {
    return run.end != nullptr && run.end->seq > call.events.front()->seq;
  };
  const bool is_over = story.runs.empty() || std::ranges::any_of(story.runs, is_end);
  return require(is_over, "a run does not end after an observer threw",
                 first(call, "tool_execution_start"));
}

// ------------------------------------------------------------------ EXT-26

/// All handler calls and returns, those of calls included.
class HookErrorChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() { return {"hook_call", "hook_return"}; }

  void see(const Event& event, const Story&, Report&) override {
    if (event.as<HookCall>() != nullptr) calls_.push_back(&event);
    const auto* returned = event.as<HookReturn>();
    if (returned != nullptr && !returned->error.empty()) thrown_.push_back(&event);
  }

  void finish(const Story& story, Report& report) override {
    if (!story.crashes.empty()) return;
    for (const Event* event : thrown_) {
      const auto& returned = *event->as<HookReturn>();
      const bool is_gate = returned.event == "tool_call" || returned.event == "user_bash" ||
                           returned.event == "after_tool_call" || returned.event == "spawn";
      // What has no extension is a hook of the host's own.
      if (is_gate || returned.extension.empty()) continue;
      report.trigger();
      report.complain(require(is_reported(*event, returned, story),
                              "a throw in " + returned.event + " is not reported", event));
      report.complain(next_has_its_turn(*event, returned, story));
    }
  }

 private:
  static bool is_reported(const Event& event, const HookReturn& returned, const Story& story) {
    return std::ranges::any_of(story.extension_errors, [&](const Event* one) {
      const auto& error = *one->as<ExtensionError>();
      return one->seq > event.seq && error.extension == returned.extension &&
             error.event == returned.event && error.error == returned.error;
    });
  }

  /// The registration behind the one that threw, if any, is called after it.
  Complaint next_has_its_turn(const Event& event, const HookReturn& returned,
                              const Story& story) const {
    const auto entered = std::ranges::find(calls_, event.cause, &Event::seq);
    if (entered == calls_.end()) return std::nullopt;
    const auto chain = handlers_at(returned.event, (*entered)->seq, story);
    const auto own = std::ranges::find(chain, (*entered)->cause, &HandlerLife::from);
    if (own == chain.end() || own + 1 == chain.end() || (*(own + 1))->to >= 0) return std::nullopt;
    const std::int64_t next = (*(own + 1))->from;
    const bool has_turn = std::ranges::any_of(calls_, [&](const Event* call) {
      return call->cause == next && call->seq > event.seq && call->call == event.call;
    });
    return require(has_turn, "a throw in " + returned.event + " ends the dispatch", &event);
  }

  std::vector<const Event*> calls_;
  std::vector<const Event*> thrown_;
};

// ------------------------------------------------------------------ EXT-29

class UnsubscribeChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() { return {"hook_call", "hook_return", "notify"}; }

  void see(const Event& event, const Story&, Report& report) override {
    const auto* note = event.as<Notify>();
    if (note != nullptr && note->topic == "registration_removed") {
      report.trigger();
      removed_[event.cause] = event.seq;
    }
    if (const auto* returned = event.as<HookReturn>()) {
      if (!dispatches_.empty() && !returned->result.get().is_null()) is_steered_ = true;
    }
    const auto* hook = event.as<HookCall>();
    if (hook == nullptr) return;
    if (hook->index == 0) dispatches_.push_back({hook->event, event.seq, {}});
    for (auto dispatch = dispatches_.rbegin(); dispatch != dispatches_.rend(); ++dispatch) {
      if (dispatch->event != hook->event) continue;
      dispatch->turns.insert(event.cause);
      break;
    }
  }

  void finish(const Story& story, Report& report) override {
    for (const auto& dispatch : dispatches_) {
      for (const auto& [registration, seq] : removed_) {
        if (dispatch.start < seq) continue;
        report.complain(require(!dispatch.turns.contains(registration),
                                "a handler that was taken back is called", nullptr));
        if (!is_steered_) report.complain(siblings_stay(dispatch, registration, story));
      }
    }
  }

 private:
  struct Dispatch {
    std::string event;
    std::int64_t start = 0;
    std::set<std::int64_t> turns;
  };

  /// Other registrations by the same extension for the same event.
  static Complaint siblings_stay(const Dispatch& dispatch, std::int64_t registration,
                                 const Story& story) {
    const auto gone = std::ranges::find(story.handlers, registration, &HandlerLife::from);
    if (gone == story.handlers.end() || gone->event != dispatch.event) return std::nullopt;
    for (const auto* other : handlers_at(dispatch.event, dispatch.start, story)) {
      const bool is_sibling = other->extension == gone->extension && other->to < 0;
      if (!is_sibling || dispatch.turns.contains(other->from)) continue;
      return finding("a handler is gone with another one of " + gone->extension, nullptr);
    }
    return std::nullopt;
  }

  std::map<std::int64_t, std::int64_t> removed_;  ///< Seqs: of a registration, of its end.
  std::vector<Dispatch> dispatches_;
  bool is_steered_ = false;  ///< Some handler answered, which may end a dispatch early.
};

}  // namespace

std::vector<Rule> listener_rules() {
  return {
      rule("EVENT-26",
           "agent_start, turn_start, turn_end, agent_end and agent_settled are told once their "
           "handlers have returned")
          .by<ListenerOrderChecker>(ListenerOrderChecker::kinds()),
      rule("EVENT-27", "a call whose observers threw has an end and its message, and its run ends")
          .for_each_call()
          .among({"hook_return"})
          .when(has_failing_observer)
          .exactly_one("tool_execution_end")
          .expect(run_goes_on),
      rule("EXT-26",
           "a throw of a handler, but those of tool_call and user_bash, is reported with "
           "extension, event and error, and the next handler of the dispatch is called")
          .by<HookErrorChecker>(HookErrorChecker::kinds()),
      rule("EXT-29",
           "a registration that was taken back (note registration_removed) is called no more, "
           "others of its extension for the event are")
          .by<UnsubscribeChecker>(UnsubscribeChecker::kinds()),
  };
}

}  // namespace plumb::invariants
