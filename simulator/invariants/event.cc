// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// A call of an answer that ended normally: the engine owes it a start, an end and a result.
bool is_owed_events(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  return batch != nullptr && is_normal(*batch);
}

bool is_blocked(const Call& call, const Story&) {
  const auto* stopper = stopper_of(call);
  return stopper != nullptr && is_block(*stopper);
}

/// A note `update` {text} of a tool announces its next call of onUpdate; those from before it has
/// settled count (EVENT-07).
std::vector<std::string> announced_updates(const Call& call) {
  const Event* settled = first(call, "execute_end");
  std::vector<std::string> texts;
  for (const Event* event : call.events) {
    const auto* note = event->as<Notify>();
    if (note == nullptr || note->topic != "update") continue;
    if (settled != nullptr && event->seq > settled->seq) continue;
    const Json& data = note->data.get();
    texts.push_back(data.is_string() ? data.get<std::string>() : text_at(data, "text"));
  }
  return texts;
}

bool has_updates(const Call& call, const Story&) {
  return count(call, "tool_execution_update") > 0 || !announced_updates(call).empty();
}

bool has_update_listener(const Call& call, const Story&) {
  return !returns_of(call, "tool_execution_update").empty() ||
         !hook_calls_of(call, "tool_execution_update").empty();
}

/// A note `late_update` says that the tool called onUpdate after it had settled.
bool tried_late_update(const Call& call, const Story&) {
  const Event* settled = first(call, "execute_end");
  if (settled == nullptr) return false;
  for (const Event* event : call.events) {
    const auto* note = event->as<Notify>();
    if (note != nullptr && note->topic == "late_update" && event->seq > settled->seq) return true;
    if (event->as<ToolExecutionUpdate>() != nullptr && event->seq > settled->seq) return true;
  }
  return false;
}

Finding has_no_start(const Call& call) {
  return contrast("call " + call.id + " has no start event",
                  "tool_execution_start of call " + call.id, "none",
                  call.events.empty() ? nullptr : call.events.front());
}

Complaint starts_with_raw_arguments(const Call& call, const Story&) {
  const auto* start = start_of(call);
  if (start == nullptr) return has_no_start(call);
  if (equal_json(call.raw.get(), start->args.get())) return std::nullopt;
  return differ("start event of call " + call.id + " does not carry the model's arguments",
                call.raw.get(), start->args.get(), first(call, "tool_execution_start"));
}

Complaint updates_name_their_call(const Call& call, const Story&) {
  const auto* start = start_of(call);
  if (start == nullptr) return has_no_start(call);
  for (const Event* event : all(call, "tool_execution_update")) {
    const auto* update = event->as<ToolExecutionUpdate>();
    if (auto complaint = differ("update names another tool", start->name, update->name, event)) {
      return complaint;
    }
    if (auto complaint = differ("update carries other arguments", start->args.get(),
                                update->args.get(), event)) {
      return complaint;
    }
  }
  return std::nullopt;
}

/// One update for each announced one, with its content, in their order.
Complaint updates_are_those_announced(const Call& call, const Story&) {
  const auto announced = announced_updates(call);
  if (announced.empty()) return std::nullopt;
  std::vector<std::string> shown;
  for (const Event* event : all(call, "tool_execution_update")) {
    const Json& partial = event->as<ToolExecutionUpdate>()->partial.get();
    shown.push_back(text_in(at(partial, "content")));
  }
  return differ("updates are not those that the tool reported", as_json(announced), as_json(shown),
                first(call, "tool_execution_end"));
}

/// The listeners of an update finish before the result handlers and the end event.
Complaint updates_are_delivered_first(const Call& call, const Story& story) {
  const Event* delivered = nullptr;
  for (const Event* event : call.events) {
    const auto* entered = event->as<HookCall>();
    const auto* returned = event->as<HookReturn>();
    const bool opens = entered != nullptr && entered->event == "tool_execution_update";
    const bool ends = returned != nullptr && returned->event == "tool_execution_update";
    if (opens || ends) delivered = event;
  }
  for (const EventName name : {EventName("tool_result"), EventName("tool_execution_end")}) {
    if (auto late = before(delivered, first(call, name), story)) return late;
  }
  return before(last(call, "tool_execution_update"), first(call, "tool_execution_end"), story);
}

/// A fold by id finds the item that the start made.
Complaint belongs_to_a_started_call(const Event& event, const Story& story) {
  const Call* call = call_of(event, story);
  if (call == nullptr) {
    return contrast("an update without a call id", "the id of a started call", "none", &event);
  }
  const Event* start = first(*call, "tool_execution_start");
  if (start == nullptr) return has_no_start(*call);
  return before(start, &event, story);
}

/// A nested call has none (HOOK-29).
Complaint message_follows(const Call& call, const Story& story) {
  if (!is_top_level(call)) return std::nullopt;
  for (const EventName name : {EventName("message_start"), EventName("message_end")}) {
    const Event* event = first(call, name);
    if (event == nullptr) {
      return contrast("the blocked call " + call.id + " has no " + std::string(name.text()),
                      std::string(name.text()) + " of call " + call.id, "none",
                      first(call, "tool_execution_end"));
    }
    if (auto early = before(first(call, "tool_execution_end"), event, story)) return early;
  }
  return before(first(call, "message_start"), first(call, "message_end"), story);
}

}  // namespace

std::vector<Rule> event_rules() {
  return {
      rule("EVENT-02",
           "a call that a handler blocks shows start, tool_call, end and its message, in this "
           "order, and neither update nor tool_result")
          .for_each_call()
          .among({"hook_return"})
          .when(is_blocked)
          .exactly_one("tool_execution_end")
          .none("tool_execution_update")
          .none("tool_result")
          .order({"tool_execution_start", "tool_call", "tool_call_return", "tool_execution_end"})
          .expect(message_follows),
      rule("EVENT-03",
           "each call of an answer that ended normally has one tool_execution_start and one "
           "tool_execution_end, with one name")
          .for_each_call()
          .when(is_owed_events)
          .exactly_one("tool_execution_start")
          .exactly_one("tool_execution_end")
          .order({"tool_execution_start", "tool_execution_end"})
          .same_tool(),
      rule("EVENT-04",
           "tool_execution_start carries the arguments of the provider's answer and precedes the "
           "call's handlers and execute")
          .for_each_call()
          .when([](const Call& call, const Story& story) {
            return is_owed_events(call, story) && is_top_level(call);
          })
          .expect(starts_with_raw_arguments)
          .order_of_present({"tool_execution_start", "tool_call", "execute_begin"}),
      rule("EVENT-05",
           "each tool_execution_update lies between the start and the end of its call and carries "
           "the name and arguments of the start; one for each note `update` of the tool before it "
           "settled, with its text, in their order")
          .for_each_call()
          .among({"tool_execution_update", "notify"})
          .when(has_updates)
          .only_between("tool_execution_update", "tool_execution_start", "tool_execution_end")
          .expect(updates_name_their_call)
          .expect(updates_are_those_announced),
      rule("EVENT-06", "every tool_execution_update carries the id of a call that has started")
          .for_each("tool_execution_update")
          .expect(belongs_to_a_started_call),
      rule("EVENT-07",
           "no tool_execution_update after execute_end; triggered by a note late_update of the "
           "tool after it has settled")
          .for_each_call()
          .among({"tool_execution_update", "notify"})
          .when(tried_late_update)
          .never_after("tool_execution_update", "execute_end"),
      rule("EVENT-08",
           "handlers of tool_execution_update return before the call's tool_result handlers and "
           "its tool_execution_end")
          .for_each_call()
          .among({"hook_call", "hook_return"})
          .when(has_update_listener)
          .expect(updates_are_delivered_first),
  };
}

}  // namespace plumb::invariants
