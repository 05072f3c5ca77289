// SPDX-License-Identifier: Apache-2.0
// What is told in several places must be told alike: by execute, the outcome, the end event, the
// message, the store.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "simulator/invariants/evidence.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Event* agreed_end(const Call& call) {
  return first(call, "tool_execution_end");
}

/// Neither a handler of the result nor the host's own hook had a say.
bool is_untouched(const Call& call) {
  return returns_of(call, "tool_result").empty() && returns_of(call, "after_tool_call").empty();
}

/// A call whose end can be compared with what came before it.
bool is_comparable(const Call& call) {
  return end_of(call) != nullptr && !call.is_repeated && !call.is_cut;
}

Json part_of(const Json& result, const char* field) {
  const Json& value = at(result, field);
  return std::string_view(field) == "content" ? as_blocks(value) : value;
}

/// What execute threw is another rule's (RESULT-13).
Complaint end_is_what_ran(const Call& call) {
  const auto* settled = settled_of(call);
  if (settled == nullptr || settled->outcome == "threw" || !is_untouched(call)) return std::nullopt;
  for (const char* field : {"content", "details", "structuredContent"}) {
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
    if (auto other = differ("the message of call " + call.id + " has other " + field,
                            part_of(result_of(call), field), part_of(message, field), event)) {
      return other;
    }
  }
  if (auto other = differ("the message of call " + call.id + " names another call", Json(call.id),
                          at(message, "toolCallId"), event)) {
    return other;
  }
  return std::nullopt;
}

/// The first handler is given what execute left.
Complaint handlers_start_from_it(const Call& call) {
  const auto* settled = settled_of(call);
  const Event* entered = first(call, "tool_result");
  if (settled == nullptr || entered == nullptr || settled->outcome == "threw") return std::nullopt;
  return differ("the first tool_result handler sees other content than execute gave",
                part_of(settled->result.get(), "content"),
                part_of(entered->as<HookCall>()->input.get(), "content"), entered);
}

std::string outcome_message(const Call& call) {
  const Event* event = first(call, "call_outcome");
  return event == nullptr ? std::string() : event->as<CallOutcome>()->message;
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
  const char* outcome = has_thrown ? "threw" : has_flag ? "returned_error" : "ok";
  if (auto other = differ("execute_end of call " + call.id + " contradicts itself", Json(outcome),
                          Json(settled->outcome), first(call, "execute_end"))) {
    return other;
  }
  return require(has_thrown || settled->error.empty(),
                 "execute_end of call " + call.id + " has an error that was not thrown",
                 first(call, "execute_end"));
}

Complaint end_agrees_with_execution(const Call& call) {
  const auto* settled = settled_of(call);
  if (settled == nullptr || has_flag_patch(call) || !returns_of(call, "after_tool_call").empty()) {
    return std::nullopt;
  }
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
  std::string role;
  const Json& content;
  Json is_error;

  explicit SentMessage(const Json& message)
      : role(text_at(message, "role")),
        content(at(message, "content")),
        is_error(at(message, "isError")) {}
  bool is_judged() const { return role == "user" || role == "assistant" || role == "toolResult"; }
  /// What an extension said is the user's for the model.
  bool is_of(const Json& stored) const {
    const auto stored_role = text_at(stored, "role");
    const bool has_role = stored_role == role || (stored_role == "custom" && role == "user");
    return has_role && at(stored, "isError") == is_error &&
           equal_json(readable_blocks(at(stored, "content")), readable_blocks(content));
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

/// execute_end and the end event agree on whether a call failed.
void outcomes_agree(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    if (!is_comparable(call)) continue;
    report.complain(execution_agrees_with_itself(call));
    report.complain(end_agrees_with_execution(call));
  }
}

/// One call_outcome, which is ok exactly when the call is no error.
void each_end_has_an_outcome(const Story& story, Report& report) {
  if (!shows_kind(story, "call_outcome")) return;
  for (const auto& call : story.calls) {
    if (!is_comparable(call)) continue;
    const auto number = count(call, "call_outcome");
    report.complain(require(number == 1,
                            "call " + call.id + " has " + std::to_string(number) + " outcomes",
                            agreed_end(call)));
    report.complain(require((cause_of(call) == "ok") != is_error(call),
                            "the outcome of call " + call.id + " does not fit its end",
                            agreed_end(call)));
    const auto said = outcome_message(call);
    report.complain(require(said.empty() || said == result_text(call),
                            "the outcome of call " + call.id + " says something else than its end",
                            agreed_end(call)));
  }
}

/// `ran` says whether execute was entered.
void ends_tell_what_ran(const Story& story, Report& report) {
  if (!shows_kind(story, "execute_begin")) return;
  for (const auto& call : story.calls) {
    if (!is_comparable(call)) continue;
    report.complain(differ("the end event of call " + call.id + " tells otherwise whether it ran",
                           Json(has_executed(call)), Json(end_of(call)->ran), agreed_end(call)));
  }
}

/// execute finds its signal set exactly when an abort came before in its run.
void signals_follow_aborts(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    const Event* begun = first(call, "execute_begin");
    const Run* run = begun == nullptr ? nullptr : run_of(begun->seq, story);
    if (run == nullptr) continue;
    const bool is_aborted = story.abort_between(run->start->seq, begun->seq) >= 0;
    report.complain(differ("the signal that execute of call " + call.id + " got", Json(is_aborted),
                           Json(begin_of(call)->signal_aborted), begun));
  }
}

/// Messages are stored as they are, one after the other. Handlers may store others of their own.
void messages_are_stored(const Story& story, Report& report) {
  if (!shows_kind(story, "session_entry") || !shows_kind(story, "message_end")) return;
  const auto stored = stored_messages(story);
  std::size_t next = 0;
  for (const Event* message : story.messages) {
    const Json& said = message->as<MessageEnd>()->message.get();
    const auto is_own = [&](const Event* entry) {
      return text_at(data_of_entry(entry), "role") == "custom" &&
             !equal_json(data_of_entry(entry), said);
    };
    while (next < stored.size() && is_own(stored[next])) ++next;
    if (next == stored.size()) {
      const bool is_cut = !story.crashes.empty() && story.crashes.back() > message->seq;
      report.complain(require(is_cut, "a message is not stored", message));
      continue;
    }
    const Event* entry = stored[next++];
    if (auto other = differ("what is stored is not the message", said, data_of_entry(entry), entry);
        other || entry->seq < message->seq || entry->call != message->call) {
      return report.complain(other ? other : finding("an entry is not that of its message", entry));
    }
  }
  for (; next < stored.size(); ++next) {
    const bool is_own = text_at(data_of_entry(stored[next]), "role") == "custom";
    report.complain(require(is_own, "an entry that was no message", stored[next]));
  }
}

/// A request shows the stored messages in their order, as they are.
void requests_show_what_is_stored(const Story& story, Report& report) {
  if (!shows_kind(story, "session_entry")) return;
  if (story.header.determinism == Determinism::live) return;  // Other forms of messages.
  const auto stored = stored_messages(story);
  std::size_t next = 0;
  for (const auto& request : story.requests) {
    if (request.request->lineage != "main" || is_rewritten(request, story)) continue;
    if (request.previous < 0 || request.message_break) next = 0;
    for (const auto& body : request.fresh) {
      const SentMessage sent(body.get());
      if (!sent.is_judged()) continue;
      const auto from = next;
      while (next < stored.size() && !sent.is_of(data_of_entry(stored[next]))) ++next;
      const bool is_known = next < stored.size() && stored[next]->seq < request.event->seq;
      if (!is_known) {
        next = from;
        report.complain(
            finding("a request shows a message that is not in the session", request.event));
        continue;
      }
      ++next;
    }
  }
}

/// turn_end lists the calls of its answer.
void turns_list_their_results(const Story& story, Report& report) {
  for (const auto& batch : story.batches) {
    if (!is_normal(batch) || batch.turn_end == nullptr) continue;
    report.complain(differ("turn_end does not list the results of its turn",
                           as_json(ids_of(batch, story)),
                           as_json(batch.turn_end->as<TurnEnd>()->results), batch.turn_end));
  }
}

}  // namespace

std::vector<RunCheck> agreement_checks() {
  return {
      {"RESULT-01", "a result that no handler touched is what execute gave", results_are_handed_on},
      {"RESULT-04", "execute_end says the same", outcomes_agree},
      {"RESULT-16", "each end has one outcome, ok for what is no error", each_end_has_an_outcome},
      {"EVENT-03", "the end tells whether execute was entered", ends_tell_what_ran},
      {"ABORT-01", "execute_begin tells whether the signal was set", signals_follow_aborts},
      {"EVENT-12", "each message is stored as it is", messages_are_stored},
      {"BATCH-06", "turn_end lists them all", turns_list_their_results},
      {"PIPE-20", "and all messages as the session has them", requests_show_what_is_stored},
  };
}

}  // namespace plumb::invariants
