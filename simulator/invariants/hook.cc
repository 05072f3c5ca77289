// SPDX-License-Identifier: Apache-2.0
// The chain of tool_call handlers.
#include <algorithm>
#include <map>
#include <set>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/hook_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Event* ended(const Call& call) {
  return first(call, "tool_execution_end");
}

bool has_chain(const Call& call, const Story&) {
  return count(call, "tool_call") >= 2;
}

/// Awaited one by one: call, return, call, return, with growing places.
Complaint handlers_take_turns(const Call& call, const Story&) {
  const HookCall* open = nullptr;
  std::int64_t last_index = -1;
  for (const Event* event : call.events) {
    if (is_named(*event, "tool_call")) {
      const auto* entered = event->as<HookCall>();
      if (open != nullptr) return finding("a handler runs while another is pending", event);
      if (entered->index <= last_index) return finding("a handler runs out of its place", event);
      last_index = entered->index;
      open = entered;
    }
    if (is_named(*event, "tool_call_return")) open = nullptr;
  }
  return std::nullopt;
}

Complaint handlers_follow_registration(const Call& call, const Story& story) {
  return follows_registration(call, "tool_call", story);
}

bool shares_changes(const Call& call, const Story&) {
  const auto calls = hook_calls_of(call, "tool_call");
  const auto returns = returns_of(call, "tool_call");
  if (calls.size() < 2) return false;
  for (std::size_t i = 0; i + 1 < calls.size() && i < returns.size(); ++i) {
    if (calls[i]->input != returns[i]->input_after) return true;
  }
  return false;
}

Complaint next_sees_what_was_left(const Call& call, const Story&) {
  const auto calls = hook_calls_of(call, "tool_call");
  const auto returns = returns_of(call, "tool_call");
  for (std::size_t i = 1; i < calls.size() && i <= returns.size(); ++i) {
    if (auto lost = differ("a handler does not see what the one before left",
                           returns[i - 1]->input_after.get(), calls[i]->input.get(),
                           all(call, "tool_call")[i])) {
      return lost;
    }
  }
  return std::nullopt;
}

const Event* stopping_event(const Call& call) {
  for (const Event* event : all(call, "tool_call_return")) {
    const auto* returned = event->as<HookReturn>();
    if (is_block(*returned) || !returned->error.empty()) return event;
  }
  return nullptr;
}

bool is_stopped_by_block(const Call& call, const Story&) {
  const auto* stopper = stopper_of(call);
  return stopper != nullptr && is_block(*stopper);
}

bool is_stopped_by_throw(const Call& call, const Story&) {
  const auto* stopper = stopper_of(call);
  return stopper != nullptr && !stopper->error.empty();
}

Complaint chain_stops(const Call& call, const Story& story) {
  const Event* stop = stopping_event(call);
  for (const Event* event : all(call, "tool_call")) {
    if (auto late = before(event, stop, story)) return late;
  }
  return std::nullopt;
}

bool gives_a_reason(const Call& call, const Story& story) {
  return is_stopped_by_block(call, story) && abort_during(call, story) < 0 &&
         !text_at(stopper_of(call)->result.get(), "reason").empty();
}

Complaint error_says(const Call& call, const std::string& text) {
  if (!is_error(call)) return finding("a stopped call is not an error", ended(call));
  if (result_text(call).find(text) != std::string::npos) return std::nullopt;
  Finding found = finding("the error does not say why the call was stopped", ended(call));
  found.expected = text;
  found.actual = result_text(call).substr(0, 240);
  return found;
}

Complaint model_sees_the_reason(const Call& call, const Story& story) {
  const auto reason = text_at(stopper_of(call)->result.get(), "reason");
  if (auto silent = error_says(call, reason)) return silent;
  const auto* shown = shown_result(call, story);
  if (shown == nullptr) return std::nullopt;
  return require(text_in(shown->content.get()).find(reason) != std::string::npos,
                 "the model does not see the reason", next_request_of(call, story)->event);
}

Complaint error_is_the_throw(const Call& call, const Story& story) {
  if (abort_during(call, story) >= 0) return std::nullopt;
  return error_says(call, stopper_of(call)->error);
}

Complaint siblings_end(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  if (batch == nullptr) return std::nullopt;
  for (const auto* sibling : calls_of(*batch, story)) {
    if (end_of(*sibling) == nullptr) return finding("a sibling has no end", ended(call));
  }
  return std::nullopt;
}

/// All handlers returned and none stopped the call.
bool is_allowed(const Call& call, const Story& story) {
  const auto returned = count(call, "tool_call_return");
  return returned > 0 && returned == count(call, "tool_call") && stopper_of(call) == nullptr &&
         abort_during(call, story) < 0 && end_of(call) != nullptr;
}

Complaint is_executed(const Call& call, const Story&) {
  return require(has_executed(call), "an allowed call was not executed", ended(call));
}

Complaint listener_hears_nothing(const Call& call, const Story& story) {
  for (const Event* event : story.extension_errors) {
    if (event->as<ExtensionError>()->event != "tool_call") continue;
    if (!event->call.empty() && event->call != call.id) continue;
    return finding("a tool_call handler's error reached the error listener", event);
  }
  return std::nullopt;
}

/// The handler took its time: an engine that does not wait would show it.
bool has_slow_gate(const Call& call, const Story&) {
  const auto calls = all(call, "tool_call");
  const auto returns = all(call, "tool_call_return");
  for (std::size_t i = 0; i < std::min(calls.size(), returns.size()); ++i) {
    if (returns[i]->at > calls[i]->at) return true;
  }
  return calls.size() > returns.size();
}

Complaint execute_waits(const Call& call, const Story& story) {
  const Event* begun = first(call, "execute_begin");
  if (begun == nullptr) return std::nullopt;
  if (count(call, "tool_call") != count(call, "tool_call_return")) {
    return finding("the call runs while a handler is pending", begun);
  }
  return before(last(call, "tool_call_return"), begun, story);
}

bool is_aborted_at_gate(const Call& call, const Story& story) {
  const auto calls = all(call, "tool_call");
  const auto returns = all(call, "tool_call_return");
  for (std::size_t i = 0; i < std::min(calls.size(), returns.size()); ++i) {
    if (story.abort_between(calls[i]->seq, returns[i]->seq) >= 0) return true;
  }
  return false;
}

Complaint abort_wins(const Call& call, const Story&) {
  return differ("cause of a call aborted at its gate", Json("aborted"), cause_of(call),
                ended(call));
}

// ------------------------------------------------------------------ every kind of tool

/// The call reached its handlers or its execute.
bool is_past_validation(const Call& call) {
  return count(call, "tool_call") > 0 || has_executed(call);
}

std::set<std::string> gated_levels(const Story& story) {
  std::set<std::string> levels;
  for (const auto& call : story.calls) {
    const Json* tool = tool_of(call, story);
    if (tool != nullptr && is_past_validation(call)) levels.insert(text_at(*tool, "level"));
  }
  return levels;
}

bool has_gated_levels(const Story& story, const Story&) {
  return gated_levels(story).size() >= 2 &&
         std::ranges::any_of(story.calls, [](const Call& c) { return count(c, "tool_call") > 0; });
}

Complaint all_are_gated(const Story& story, const Story&) {
  for (const auto& call : story.calls) {
    if (call.is_cut || count(call, "tool_call") > 0 || !has_executed(call)) continue;
    return finding("call " + call.id + " of " + call.name + " escaped the handlers",
                   first(call, "execute_begin"));
  }
  return std::nullopt;
}

Complaint each_handler_once(const Call& call, EventName event) {
  std::set<std::int64_t> seen;
  for (const auto* entered : hook_calls_of(call, event.text())) {
    if (!seen.insert(entered->index).second) {
      return finding("a handler of " + std::string(event.text()) + " ran twice for call " + call.id,
                     last(call, event));
    }
  }
  return std::nullopt;
}

/// The calls of a batch that ran to their end.
std::vector<const Call*> executed_calls(const Batch& batch, const Story& story) {
  std::vector<const Call*> executed;
  for (const Call* call : calls_of(batch, story)) {
    const bool is_whole = has_executed(*call) && end_of(*call) != nullptr && !call->is_cut;
    if (is_whole && !call->is_repeated && stopper_of(*call) == nullptr) executed.push_back(call);
  }
  return executed;
}

/// Then its calls have not the same handlers (HOOK-27).
bool changes_handlers(const std::vector<const Call*>& calls, const Story& story) {
  if (calls.empty()) return false;
  const Event* from = first(*calls.front(), "tool_execution_start");
  const Event* to = first(*calls.back(), "tool_execution_end");
  return from != nullptr && to != nullptr &&
         std::ranges::any_of(story.notes, [&](const Event* event) {
           const auto& topic = event->as<Notify>()->topic;
           return (topic == "handler_added" || topic == "handler_removed") &&
                  event->seq > from->seq && event->seq < to->seq;
         });
}

bool is_hooked(const Batch& batch, const Story& story) {
  const auto calls = executed_calls(batch, story);
  return !changes_handlers(calls, story) && std::ranges::any_of(calls, [](const Call* call) {
    return count(*call, "tool_call") > 0 || count(*call, "tool_result") > 0;
  });
}

/// Handlers by extension and place in the chain, whatever kind of tool was called.
std::set<std::pair<std::string, std::int64_t>> handlers_of(const Call& call,
                                                           std::string_view event) {
  std::set<std::pair<std::string, std::int64_t>> handlers;
  for (const auto* entered : hook_calls_of(call, event)) {
    handlers.emplace(entered->extension, entered->index);
  }
  return handlers;
}

Complaint no_call_escapes(const Batch& batch, const Story& story) {
  const auto calls = executed_calls(batch, story);
  for (const EventName event : {EventName("tool_call"), EventName("tool_result")}) {
    const auto handlers = [&](const Call* call) { return handlers_of(*call, event.text()).size(); };
    std::size_t most = 0;
    for (const Call* call : calls) most = std::max(most, handlers(call));
    for (const Call* call : calls) {
      if (auto odd = each_handler_once(*call, event)) return odd;
      if (handlers(call) == most) continue;
      return finding("call " + call->id + " of " + call->name + " escaped a handler of " +
                         std::string(event.text()),
                     first(*call, "execute_begin"));
    }
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ dialogs without a user

/// HOOK-26: each ui_answer that no user gave is a no.
class SilentDialogChecker final : public Checker {
 public:
  void see(const Event& event, const Story&, Report& report) override {
    if (const auto* ask = event.as<UiAsk>()) methods_[event.seq] = ask->method;
    const auto* answer = event.as<UiAnswer>();
    if (answer == nullptr || answer->by == "user" || methods_.empty()) return;
    const auto asked = methods_.find(event.cause);
    const auto& method = asked != methods_.end() ? asked->second : methods_.rbegin()->second;
    report.trigger();
    const Json expected = method == "confirm" ? Json(false) : Json();
    report.complain(differ("a dialog that nobody answered does not say no", expected,
                           answer->answer.get(), &event));
  }

 private:
  std::map<std::int64_t, std::string> methods_;
};

std::vector<Rule> verdict_rules() {
  return {
      rule("HOOK-08", "a throwing tool_call handler leaves no extension_error of tool_call")
          .for_each_call()
          .among({"hook_return"})
          .when(is_stopped_by_throw)
          .expect(listener_hears_nothing),
      rule("HOOK-12",
           "every executed call passed tool_call handlers; triggered by calls of two levels "
           "(built-in, extension, SDK) and a handler")
          .for_the_run()
          .when(has_gated_levels)
          .expect(all_are_gated),
      rule(
          "HOOK-13",
          "execute begins after every tool_call handler returned; triggered by one that takes time")
          .for_each_call()
          .among({"tool_call"})
          .when(has_slow_gate)
          .expect(execute_waits),
      rule("HOOK-26", "a dialog answered by no_ui, timeout or abort gives false or nothing")
          .by<SilentDialogChecker>({"ui_ask", "ui_answer"}),
      rule("HOOK-28", "a call aborted while a tool_call handler is pending: aborted, not executed")
          .for_each_call()
          .among({"tool_call"})
          .when(is_aborted_at_gate)
          .none("execute_begin")
          .expect(abort_wins),
      rule("TOOL-09",
           "each handler of tool_call and tool_result runs once for every executed call of a batch")
          .for_each_batch()
          .when(is_hooked)
          .expect(no_call_escapes),
  };
}

}  // namespace

std::vector<Rule> hook_rules() {
  std::vector<Rule> rules{
      rule("HOOK-01",
           "tool_call handlers run one after the other, in load order and then in registration "
           "order; triggered by two of them")
          .for_each_call()
          .among({"tool_call"})
          .when(has_chain)
          .expect(handlers_take_turns)
          .expect(handlers_follow_registration),
      rule("HOOK-02",
           "each tool_call handler sees the input as the one before left it; triggered by a change")
          .for_each_call()
          .among({"hook_call"})
          .when(shares_changes)
          .expect(next_sees_what_was_left),
      rule("HOOK-03", "no tool_call handler runs after one that blocked")
          .for_each_call()
          .among({"hook_return"})
          .when(is_stopped_by_block)
          .expect(chain_stops),
      rule("HOOK-04",
           "a blocked call is not executed; its error and the next request show the reason")
          .for_each_call()
          .among({"hook_return"})
          .when(gives_a_reason)
          .none("execute_begin")
          .expect(model_sees_the_reason),
      rule("HOOK-06", "a call whose handlers all returned without a block is executed")
          .for_each_call()
          .when(is_allowed)
          .expect(is_executed),
      rule("HOOK-07",
           "a throwing tool_call handler blocks its call alone: its message, no execute, no later "
           "handler")
          .for_each_call()
          .among({"hook_return"})
          .when(is_stopped_by_throw)
          .none("execute_begin")
          .expect(chain_stops)
          .expect(error_is_the_throw)
          .expect(siblings_end),
  };
  for (auto& rule : verdict_rules()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace plumb::invariants
