// SPDX-License-Identifier: Apache-2.0
// The order of a call's events, whether or not something else draws a rule's attention to the call:
// preparation, handlers, execute with what the tool does, handlers of the result, the end.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "simulator/invariants/evidence.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// The last return of a call's handlers of one event, or null.
const Event* last_return(const Call& call, std::string_view name) {
  const Event* found = nullptr;
  if (count(call, "hook_return") == 0) return found;
  for (const Event* event : call.events) {
    const auto* returned = event->as<HookReturn>();
    if (returned != nullptr && returned->event == name) found = event;
  }
  return found;
}

const Event* first_entry(const Call& call, std::string_view name) {
  if (count(call, "hook_call") == 0) return nullptr;
  for (const Event* event : call.events) {
    const auto* entered = event->as<HookCall>();
    if (entered != nullptr && entered->event == name) return event;
  }
  return nullptr;
}

/// Each comes before the next, as far as they occur.
Complaint follow_one_another(std::initializer_list<const Event*> events, const Story& story) {
  const Event* earlier = nullptr;
  for (const Event* event : events) {
    if (event == nullptr) continue;
    if (auto early = before(earlier, event, story)) return early;
    earlier = event;
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ PIPE-01

bool is_preparation(const Event& event) {
  const auto* note = event.as<Notify>();
  return note != nullptr && note->topic.starts_with("prepare_");
}

/// What a tool does at the ports, takes from the queue or reports.
bool is_work(const Event& event) {
  return event.as<FileOperation>() != nullptr || event.as<ProcessStart>() != nullptr ||
         event.as<ProcessExit>() != nullptr || event.as<QueueAcquire>() != nullptr ||
         event.as<QueueRelease>() != nullptr || event.as<ToolExecutionUpdate>() != nullptr;
}

/// Handlers work too: what lies between the call of one and its return is none of the tool's.
struct HandlerWatch {
  std::int64_t open = 0;

  void see(const Event& event) {
    if (event.as<HookCall>() != nullptr) ++open;
    if (event.as<HookReturn>() != nullptr) --open;
  }
};

/// The tool works while it runs, neither before nor after.
Complaint works_while_it_runs(const Call& call, const Story& story) {
  const Event* begun = first(call, "execute_begin");
  const Event* settled = first(call, "execute_end");
  HandlerWatch handlers;
  for (const Event* event : call.events) {
    handlers.see(*event);
    if (handlers.open > 0 || !is_work(*event)) continue;
    if (auto early = before(begun, event, story)) return early;
    if (auto late = before(event, settled, story)) return late;
  }
  return std::nullopt;
}

Complaint is_prepared_first(const Call& call, const Story& story) {
  const Event* gate = first(call, "tool_call");
  const Event* next = gate != nullptr ? gate : first(call, "execute_begin");
  for (const Event* event : call.events) {
    if (!is_preparation(*event)) continue;
    if (auto late = follow_one_another({first(call, "tool_execution_start"), event, next}, story)) {
      return late;
    }
  }
  return std::nullopt;
}

void calls_pass_the_pipeline(const Story& story, Report& report) {
  for (const auto* call : story.judged_calls) {
    if (!has_executed(*call)) continue;
    report.complain(is_prepared_first(*call, story));
    report.complain(follow_one_another({last_return(*call, "tool_call"),
                                        first(*call, "execute_begin"), first(*call, "execute_end")},
                                       story));
    report.complain(works_while_it_runs(*call, story));
  }
}

// ------------------------------------------------------------------ EVENT-08, RESULT-16

void calls_settle_before_they_end(const Story& story, Report& report) {
  for (const auto* call : story.judged_calls) {
    if (!has_executed(*call)) continue;
    const Event* settled = first(*call, "execute_end");
    report.complain(follow_one_another(
        {settled, first(*call, "tool_result"), last_return(*call, "tool_result"),
         first_entry(*call, "after_tool_call"), last_return(*call, "after_tool_call"),
         first(*call, "tool_execution_end")},
        story));
  }
}

/// Nobody can say what came of a call before it has come.
void outcomes_come_last(const Story& story, Report& report) {
  for (const auto* call : story.judged_calls) {
    const Event* outcome = first(*call, "call_outcome");
    for (const Event* event : {first(*call, "execute_begin"), first(*call, "execute_end"),
                               last_return(*call, "tool_call"), last_return(*call, "tool_result"),
                               last_return(*call, "after_tool_call")}) {
      if (auto early = before(event, outcome, story)) {
        report.complain(std::move(early));
        break;
      }
    }
  }
}

// ------------------------------------------------------------------ BATCH-06

Json ids_of_calls(const std::vector<const Call*>& calls) {
  Json ids = Json::array();
  for (const auto* call : calls) ids.push_back(call->id);
  return ids;
}

Complaint results_are_messages(const Batch& batch, const Story& story) {
  std::vector<const Call*> told;
  for (const auto* call : calls_of(batch, story)) {
    const Event* message = first(*call, "message_end");
    if (message == nullptr) continue;
    if (auto late = before(message, batch.turn_end, story)) return late;
    told.push_back(call);
  }
  std::ranges::sort(told, {}, [](const Call* call) { return seq_of(*call, "message_end"); });
  return differ("the transcript has other results, or in another order, than the answer has calls",
                as_json(ids_of(batch, story)), ids_of_calls(told), batch.turn_end);
}

/// One source tells of all messages, so that their order is certain.
void transcripts_follow_the_answer(const Story& story, Report& report) {
  if (!shows_kind(story, "message_end")) return;
  for (const auto* batch : story.judged_batches) {
    if (!is_normal(*batch) || batch->turn_end == nullptr) continue;
    const auto calls = calls_of(*batch, story);
    // Two calls by one id are one here (BATCH-16).
    if (std::ranges::any_of(calls, [](const Call* call) { return call->is_repeated; })) continue;
    report.complain(results_are_messages(*batch, story));
  }
}

}  // namespace

std::vector<RunCheck> order_checks() {
  return {
      {"PIPE-01",
       "every call that executes is prepared before its handlers, which return before "
       "execute_begin, and works at files, processes and queues only until execute_end",
       calls_pass_the_pipeline},
      {"EVENT-08",
       "execute_end of every call comes before its result handlers, and their returns before its "
       "tool_execution_end",
       calls_settle_before_they_end},
      {"RESULT-16", "it follows execute and the handlers", outcomes_come_last},
      {"BATCH-06", "so do the messages before that turn_end, one for each call",
       transcripts_follow_the_answer},
  };
}

}  // namespace plumb::invariants
