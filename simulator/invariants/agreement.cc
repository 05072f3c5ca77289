// SPDX-License-Identifier: Apache-2.0
// What is told in several places must be told alike: by execute, the outcome, the end event, the
// message, the store.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulator/invariants/evidence.h"
#include "simulator/invariants/picture_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Event* agreed_end(const Call& call) {
  return first(call, "tool_execution_end");
}

/// Neither a handler of the result nor the host's own hook had a say.
bool is_untouched(const Call& call) {
  const auto says_nothing = [](const HookReturn* returned) {
    return returned->error.empty() && !returned->result.get().is_object();
  };
  return std::ranges::all_of(returns_of(call, "tool_result"), says_nothing) &&
         std::ranges::all_of(returns_of(call, "after_tool_call"), says_nothing);
}

/// A call whose end can be compared with what came before it.
bool is_comparable(const Call& call) {
  return end_of(call) != nullptr && !call.is_repeated && !call.is_cut;
}

Json part_of(const Json& result, std::string_view field) {
  const Json& value = at(result, field);
  if (field == "content") return as_blocks(value);
  return value == false ? Json() : value;
}

/// Whether part_of would be equal for both, without making copies of what is the same anyway.
bool is_same_part(const Json& one, const Json& other, std::string_view field) {
  return equal_json(at(one, field), at(other, field)) ||
         equal_json(part_of(one, field), part_of(other, field));
}

/// What execute threw is another rule's (RESULT-13).
Complaint end_is_what_ran(const Call& call) {
  const auto* settled = settled_of(call);
  if (settled == nullptr || settled->result.same_object(end_of(call)->result)) return std::nullopt;
  if (settled->outcome == "threw" || !is_untouched(call)) return std::nullopt;
  for (const char* field : {"content", "details", "structuredContent", "terminate"}) {
    if (is_same_part(settled->result.get(), result_of(call), field)) continue;
    if (auto other = differ(
            "the " + std::string(field) + " of call " + call.id + " is not what execute returned",
            part_of(settled->result.get(), field), part_of(result_of(call), field),
            agreed_end(call))) {
      return other;
    }
  }
  return std::nullopt;
}

Complaint message_is_the_end(const Call& call) {
  const Event* event = first(call, "message_end");
  if (event == nullptr || !returns_of(call, "message_end").empty()) return std::nullopt;
  const Json& message = event->as<MessageEnd>()->message.get();
  for (const char* field : {"content", "details", "structuredContent"}) {
    if (std::string_view(field) != "content" && at(message, field).is_null()) continue;
    if (is_same_part(result_of(call), message, field)) continue;
    if (auto other = differ("the message of call " + call.id + " has other " + field,
                            part_of(result_of(call), field), part_of(message, field), event)) {
      return other;
    }
  }
  if (view_at(message, "toolCallId") == call.id) return std::nullopt;
  return differ("the message of call " + call.id + " names another call", Json(call.id),
                at(message, "toolCallId"), event);
}

/// The first handler is given what execute left.
Complaint handlers_start_from_it(const Call& call) {
  const auto* settled = settled_of(call);
  const Event* entered = first(call, "tool_result");
  if (settled == nullptr || entered == nullptr || settled->outcome == "threw") return std::nullopt;
  for (const char* field : {"content", "details", "structuredContent"}) {
    if (auto other = differ(
            "the first tool_result handler sees other " + std::string(field) + " than execute gave",
            part_of(settled->result.get(), field),
            part_of(entered->as<HookCall>()->input.get(), field), entered)) {
      return other;
    }
  }
  return std::nullopt;
}

std::string_view outcome_message(const Call& call) {
  const auto* outcome = call.events.first<CallOutcome>();
  return outcome == nullptr ? std::string_view() : outcome->message;
}

/// Whether a handler's patch speaks of the error.
bool has_flag_patch(const Call& call) {
  return std::ranges::any_of(returns_of(call, "tool_result"), [](const HookReturn* returned) {
    return returned->error.empty() && at(returned->result.get(), "isError").is_boolean();
  });
}

Complaint execution_agrees_with_itself(const Call& call) {
  const auto* settled = settled_of(call);
  if (settled == nullptr) return std::nullopt;
  const bool has_thrown = settled->outcome == "threw";
  const bool has_flag = at(settled->result.get(), "isError") == true;
  const std::string_view outcome = has_thrown ? "threw" : has_flag ? "returned_error" : "ok";
  const bool has_right_error = has_thrown || settled->error.empty();
  if (settled->outcome == outcome && has_right_error) return std::nullopt;
  if (auto other = differ("execute_end of call " + call.id + " contradicts itself", Json(outcome),
                          Json(settled->outcome), first(call, "execute_end"))) {
    return other;
  }
  return require(has_right_error,
                 "execute_end of call " + call.id + " has an error that was not thrown",
                 first(call, "execute_end"));
}

Complaint end_agrees_with_execution(const Call& call) {
  const auto* settled = settled_of(call);
  if (settled == nullptr || has_flag_patch(call) || !returns_of(call, "after_tool_call").empty()) {
    return std::nullopt;
  }
  if ((settled->outcome != "ok") == is_error(call)) return std::nullopt;
  return differ("end event and execute_end disagree whether call " + call.id + " failed",
                Json(settled->outcome != "ok"), Json(is_error(call)), agreed_end(call));
}

/// The run that `seq` lies in, or null.
const Run* run_of(std::int64_t seq, const Story& story) {
  const Run* found = nullptr;
  for (const auto& run : story.runs) {
    if (run.start->seq < seq) found = &run;
  }
  return found;
}

/// The session's messages as its store has them.
std::vector<const Event*> stored_messages(const Story& story) {
  std::vector<const Event*> stored;
  for (const Event* event : story.entries) {
    if (event->as<SessionEntry>()->type == "message") stored.push_back(event);
  }
  return stored;
}

const Json& data_of_entry(const Event* entry) {
  return entry->as<SessionEntry>()->data.get();
}

/// A message that a request shows in the engine's own form, as what it must be among those stored;
/// nothing for other forms.
struct SentMessage {
  std::string_view role;
  const Json& content;
  const Json& is_error;
  const Request& request;
  const Story& story;

  SentMessage(const Json& message, const Request& sent, const Story& whole)
      : role(view_at(message, "role")),
        content(at(message, "content")),
        is_error(at(message, "isError")),
        request(sent),
        story(whole) {}
  bool is_judged() const { return role == "user" || role == "assistant" || role == "toolResult"; }
  /// What an extension said is the user's for the model.
  bool is_of(const Json& stored) const {
    const auto stored_role = view_at(stored, "role");
    const bool has_role = stored_role == role || (stored_role == "custom" && role == "user");
    if (!has_role || at(stored, "isError") != is_error) return false;
    if (equal_json(at(stored, "content"), content)) return true;
    const Json shown = readable_blocks(content);
    Json expected = readable_blocks(at(stored, "content"));
    if (!takes_pictures(request, story)) accept_placeholders(expected, shown);
    return equal_json(expected, shown);
  }
  /// What the provider could not read need not be sent.
  static Json readable_blocks(const Json& value) {
    Json blocks = as_blocks(value);
    for (auto& block : blocks) {
      if (block.is_object()) block.erase("argumentsError");
    }
    return blocks;
  }
};

/// A result that no handler touched is what execute gave, from the end event to the message.
void results_are_handed_on(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    if (!is_comparable(call)) continue;
    report.complain(end_is_what_ran(call));
    report.complain(message_is_the_end(call));
    report.complain(handlers_start_from_it(call));
  }
}

/// execute_end says once whether the call failed.
void executions_agree(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    if (!is_comparable(call)) continue;
    report.complain(execution_agrees_with_itself(call));
  }
}

/// One call_outcome, which is ok exactly when the call is no error, as execute_end has it unless a
/// handler spoke of it.
void each_end_has_an_outcome(const Story& story, Report& report) {
  if (!shows_kind(story, "call_outcome")) return;
  for (const auto& call : story.calls) {
    if (!is_comparable(call)) continue;
    report.complain(end_agrees_with_execution(call));
    const auto number = count(call, "call_outcome");
    const auto& said = outcome_message(call);
    if (number != 1) {
      report.complain(finding("call " + call.id + " has " + std::to_string(number) + " outcomes",
                              agreed_end(call)));
    }
    if ((cause_of(call) == "ok") == is_error(call)) {
      report.complain(
          finding("the outcome of call " + call.id + " does not fit its end", agreed_end(call)));
    }
    if (!said.empty() && said != result_text(call)) {
      report.complain(
          finding("the outcome of call " + call.id + " says something else than its end",
                  agreed_end(call)));
    }
  }
}

/// `ran` says whether execute was entered.
void ends_tell_what_ran(const Story& story, Report& report) {
  if (!shows_kind(story, "execute_begin") || !shows_kind(story, "execute_end")) return;
  for (const auto& call : story.calls) {
    if (!is_comparable(call)) continue;
    if (has_executed(call) != end_of(call)->ran) {
      report.complain(differ("the end event of call " + call.id + " tells otherwise whether it ran",
                             Json(has_executed(call)), Json(end_of(call)->ran), agreed_end(call)));
    }
    const auto begun = count(call, "execute_begin");
    if (begun > 1 || count(call, "execute_end") != begun) {
      report.complain(
          finding("call " + call.id + " does not execute once, to the end", agreed_end(call)));
    }
    if (call.parent != end_of(call)->parent) {
      report.complain(differ("the parent that the end event of call " + call.id + " names",
                             Json(call.parent), Json(end_of(call)->parent), agreed_end(call)));
    }
  }
}

/// execute finds its signal set exactly when an abort came before in its run.
void signals_follow_aborts(const Story& story, Report& report) {
  if (is_live(story)) return;
  for (const auto& call : story.calls) {
    const Event* begun = first(call, "execute_begin");
    const Run* run = begun == nullptr ? nullptr : run_of(begun->seq, story);
    if (run == nullptr) continue;
    const bool is_aborted = story.abort_between(run->start->seq, begun->seq) >= 0;
    if (is_aborted == begin_of(call)->signal_aborted) continue;
    report.complain(differ("the signal that execute of call " + call.id + " got", Json(is_aborted),
                           Json(begin_of(call)->signal_aborted), begun));
  }
}

/// Messages are stored as they are, one after the other. Handlers may store others of their own.
void messages_are_stored(const Story& story, Report& report) {
  if (!shows_kind(story, "session_entry") || !shows_kind(story, "message_end")) return;
  if (is_live(story)) return;
  const auto stored = stored_messages(story);
  std::size_t next = 0;
  for (const Event* message : story.messages) {
    const SharedJson& said = message->as<MessageEnd>()->message;
    const auto is_own = [&](const Event* entry) {
      return view_at(data_of_entry(entry), "role") == "custom" &&
             !equal_json(data_of_entry(entry), said.get());
    };
    while (next < stored.size() && is_own(stored[next])) ++next;
    if (next == stored.size()) {
      const bool is_cut = !story.crashes.empty() && story.crashes.back() > message->seq;
      report.complain(require(is_cut, "a message is not stored", message));
      continue;
    }
    const Event* entry = stored[next++];
    if (auto other = differ("what is stored is not the message", said,
                            entry->as<SessionEntry>()->data, entry);
        other || entry->seq < message->seq || entry->call != message->call) {
      return report.complain(other ? other : finding("an entry is not that of its message", entry));
    }
  }
  for (; next < stored.size(); ++next) {
    const bool is_own = text_at(data_of_entry(stored[next]), "role") == "custom";
    report.complain(require(is_own, "an entry that was no message", stored[next]));
  }
}

/// Failed answers are left out, and what is said of tools and prompt has rules of its own.
bool may_be_left_out(const Json& stored) {
  const auto stop = view_at(stored, "stopReason");
  const bool is_failed = stop == "error" || stop == "aborted";
  return is_failed || !stored.is_object() || view_at(stored, "role") == "system";
}

/// The session as requests show it, message by message.
class ShownSession {
 public:
  explicit ShownSession(std::vector<const Event*> stored) : stored_(std::move(stored)) {}

  /// All is sent from the beginning, wherever that is.
  void restart() { is_open_ = true; }

  Complaint see(const Request& request, const Story& story) {
    for (const auto& body : request.fresh) {
      const SentMessage sent(body.get(), request, story);
      if (sent.is_judged() && !find(sent, request.event->seq)) {
        return finding("a request shows another message than the session has next", request.event);
      }
    }
    for (; next_ < stored_.size() && stored_[next_]->seq < request.event->seq; ++next_) {
      if (may_be_left_out(data_of_entry(stored_[next_]))) continue;
      return finding("a request leaves out a message of the session", request.event);
    }
    return std::nullopt;
  }

 private:
  bool find(const SentMessage& sent, std::int64_t limit) {
    const bool is_open = std::exchange(is_open_, false);
    for (auto place = is_open ? 0 : next_; place < stored_.size(); ++place) {
      if (stored_[place]->seq > limit) return false;
      const Json& stored = data_of_entry(stored_[place]);
      if (sent.is_of(stored)) {
        next_ = place + 1;
        return true;
      }
      if (!is_open && !may_be_left_out(stored)) return false;
    }
    return false;
  }

  std::vector<const Event*> stored_;
  std::size_t next_ = 0;
  bool is_open_ = false;  ///< The next message may be any.
};

/// A request shows the stored messages in their order, as they are, and leaves none out.
void requests_show_what_is_stored(const Story& story, Report& report) {
  if (!shows_kind(story, "session_entry")) return;
  if (story.header.determinism == Determinism::live) return;  // Other forms of messages.
  ShownSession session(stored_messages(story));
  for (const auto& request : story.requests) {
    if (request.request->lineage != "main") continue;
    if (is_rewritten(request, story)) return;
    if (request.previous < 0 || request.message_break) session.restart();
    if (auto odd = session.see(request, story)) {
      return report.complain(std::move(odd));
    }
  }
}

// ------------------------------------------------------------------ arguments, handlers, tools

/// Whether values that have one type in both are equal: coercion changes types alone.
bool agree_where_alike(const Json& one, const Json& other) {
  if (one.type() != other.type()) return true;
  if (const auto* members = one.get_ptr<const Json::object_t*>()) {
    return std::ranges::all_of(*members, [&other](const auto& member) {
      const Json& value = at(other, member.first);
      return value.is_null() || agree_where_alike(member.second, value);
    });
  }
  if (!one.is_array()) return one == other;
  return one.size() != other.size() || std::ranges::equal(one, other, agree_where_alike);
}

/// What execute gets when no handler had a say is what preparation made of what the model sent.
void executions_get_what_was_sent(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    const auto* begin = begin_of(call);
    if (begin == nullptr || count(call, "tool_call") > 0 || call.is_repeated) continue;
    const Json* given = &call.raw.get();
    for (const Event* event : all(call, "notify")) {
      const auto* note = event->as<Notify>();
      if (note->topic == "prepare_end") given = &note->data.get();
    }
    if (agree_where_alike(*given, begin->args.get())) continue;
    report.complain(finding("execute of call " + call.id + " gets other arguments than were sent",
                            first(call, "execute_begin")));
  }
}

/// Calls and returns of handlers in their order, but for the host's own spawn hook, which is
/// recorded without causes.
std::vector<const Event*> hooks_with_causes(const Story& story) {
  auto events = story.hooks;
  for (const auto& call : story.calls) {
    events.insert(events.end(), call.events.begin(), call.events.end());
  }
  std::erase_if(events, [](const Event* event) {
    const auto* entered = event->as<HookCall>();
    const auto* returned = event->as<HookReturn>();
    return entered != nullptr ? entered->event == "spawn"
                              : returned == nullptr || returned->event == "spawn";
  });
  std::ranges::sort(events, {}, &Event::seq);
  return events;
}

bool is_return_of(const Event& begin, const Event& end) {
  const auto* entered = begin.as<HookCall>();
  const auto* returned = end.as<HookReturn>();
  return entered->event == returned->event && entered->index == returned->index &&
         entered->extension == returned->extension && begin.call == end.call;
}

/// Each handler that is called returns once, as the one that was called; where returns name the
/// calls as their causes.
void handlers_return(const Story& story, Report& report) {
  std::map<std::int64_t, const Event*> open;
  const auto events = hooks_with_causes(story);
  const bool has_causes = std::ranges::any_of(events, [](const Event* event) {
    return event->as<HookReturn>() != nullptr && event->cause >= 0;
  });
  for (const Event* event : events) {
    if (!has_causes) return;
    if (event->as<HookCall>() != nullptr) open[event->seq] = event;
    if (event->as<HookReturn>() == nullptr) continue;
    const auto begin = open.find(event->cause);
    const bool fits = begin != open.end() && is_return_of(*begin->second, *event);
    report.complain(require(fits, "a handler returns that was not called so", event));
    if (begin != open.end()) open.erase(begin);
  }
  for (const auto& [seq, event] : open) {
    const bool is_cut = !story.crashes.empty() || story.abort_between(seq, story.last_seq + 1) >= 0;
    report.complain(require(is_cut, "a handler is called and does not return", event));
  }
}

/// Each request declares the tools that are active.
void requests_declare_the_active(const Story& story, Report& report) {
  if (story.header.determinism == Determinism::live || story.workspace().empty()) return;
  for (const auto& request : story.requests) {
    const auto* active = story.active_at(request.event->seq);
    if (active == nullptr || request.request->lineage != "main") continue;
    if (active->after == request.declared) continue;
    auto expected = active->after;
    auto declared = request.declared;
    std::ranges::sort(expected);
    std::ranges::sort(declared);
    report.complain(differ("a request declares other tools than are active", as_json(expected),
                           as_json(declared), request.event));
  }
}

/// turn_end lists the calls of its answer.
void turns_list_their_results(const Story& story, Report& report) {
  for (const auto& batch : story.batches) {
    if (!is_normal(batch) || batch.turn_end == nullptr) continue;
    // Two calls by one id are one here (BATCH-16).
    const auto calls = calls_of(batch, story);
    if (std::ranges::any_of(calls, [](const Call* call) { return call->is_repeated; })) continue;
    const auto& listed = batch.turn_end->as<TurnEnd>()->results;
    if (std::ranges::equal(calls, listed, {}, &Call::id)) continue;
    report.complain(differ("turn_end does not list the results of its turn",
                           as_json(ids_of(batch, story)), as_json(listed), batch.turn_end));
  }
}

}  // namespace

std::vector<RunCheck> agreement_checks() {
  return {
      {"RESULT-01", "a result that no handler touched is what execute gave", results_are_handed_on},
      {"RESULT-04", "execute_end agrees with itself", executions_agree},
      {"RESULT-16", "each end has one outcome, ok for what is no error, as execute_end says",
       each_end_has_an_outcome},
      {"EVENT-03", "the end tells whether execute was entered", ends_tell_what_ran},
      {"ABORT-01", "execute_begin tells whether the signal was set", signals_follow_aborts},
      {"EVENT-12", "each message is stored as it is", messages_are_stored},
      {"BATCH-06", "turn_end lists them all", turns_list_their_results},
      {"PIPE-20", "and all messages as the session has them", requests_show_what_is_stored},
      {"TOOL-07", "without preparation and handlers they are what was sent",
       executions_get_what_was_sent},
      {"EVENT-44", "each handler that is called returns", handlers_return},
      {"ACTIVE-08", "requests declare what is active", requests_declare_the_active},
  };
}

}  // namespace plumb::invariants
