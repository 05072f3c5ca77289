// SPDX-License-Identifier: Apache-2.0
// Calls within calls, and calls that cannot be told apart: QUEUE-14, BATCH-16.
#include <algorithm>
#include <map>
#include <string>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/queue_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

// ------------------------------------------------------------------ a turn within a turn

bool asks_for_a_held_turn(const Call& call, const Story& story) {
  return turn_around(call, story) != nullptr && story.abort_between(-1, story.last_seq) < 0;
}

Complaint ends_without_a_wait(const Call& call, const Story& story) {
  const Event* ended = first(call, "execute_end");
  if (ended == nullptr) {
    return finding("call " + call.id + " waits for the turn that the call around it holds",
                   first(call, "execute_begin"));
  }
  if (!has_failed(call)) {
    return finding("call " + call.id + " works on a file in the turn of another call", ended);
  }
  const Event* turn = turn_around(call, story);
  const auto& key = turn->as<QueueAcquire>()->key;
  return require(turn_held(*call_around(call, story), key, ended->seq) == turn,
                 "the turn around a refused call ends with that", ended);
}

// ------------------------------------------------------------------ one id, several calls

std::map<std::string, std::vector<ShownCall>> repeated_calls(const Batch& batch) {
  std::map<std::string, std::vector<ShownCall>> calls;
  for (auto& call : calls_in(batch.response->as<ProviderResponse>()->message.get())) {
    calls[call.id].push_back(call);
  }
  std::erase_if(calls, [](const auto& entry) { return entry.second.size() < 2; });
  return calls;
}

/// A whole answer, whose calls are all processed.
bool repeats_an_id(const Batch& batch, const Story& story) {
  const auto is_repeated = [&](std::size_t call) { return story.calls[call].is_repeated; };
  if (batch.stop_reason != "toolUse" || std::ranges::none_of(batch.calls, is_repeated)) {
    return false;
  }
  return story.abort_between(batch.response->seq, story.run_end_after(batch.response->seq)) < 0;
}

const Call* call_with_id(const std::string& id, const Batch& batch, const Story& story) {
  for (const Call* call : calls_of(batch, story)) {
    if (call->id == id) return call;
  }
  return nullptr;
}

/// As many events of each kind as calls.
Complaint all_are_processed(const std::vector<ShownCall>& shown, const Call& call) {
  for (const EventName kind :
       {EventName("tool_execution_start"), EventName("tool_execution_end")}) {
    if (auto other = differ(std::string(kind.text()) + " events of the calls " + call.id,
                            Json(shown.size()), Json(count(call, kind)), first(call, kind))) {
      return other;
    }
  }
  return std::nullopt;
}

Complaint start_in_source_order(const std::vector<ShownCall>& shown, const Call& call) {
  const auto starts = all(call, "tool_execution_start");
  for (std::size_t i = 0; i < starts.size() && i < shown.size(); ++i) {
    if (auto other = differ("arguments of start " + std::to_string(i + 1) + " of " + call.id,
                            shown[i].arguments.get(),
                            starts[i]->as<ToolExecutionStart>()->args.get(), starts[i])) {
      return other;
    }
  }
  return std::nullopt;
}

/// Each has a result of its own in the next request.
Complaint all_are_answered(const std::vector<ShownCall>& shown, const Batch& batch,
                           const Story& story) {
  if (batch.next_request < 0) return std::nullopt;
  const auto& next = story.requests[static_cast<std::size_t>(batch.next_request)];
  if (is_rewritten(next, story)) return std::nullopt;
  const auto answered = std::ranges::count(next.results, shown.front().id, &ShownResult::call);
  return differ("results of the calls " + shown.front().id + " in the next request",
                Json(shown.size()), Json(answered), next.event);
}

Complaint repeated_calls_are_apart(const Batch& batch, const Story& story) {
  for (const auto& [id, shown] : repeated_calls(batch)) {
    const Call* call = call_with_id(id, batch, story);
    if (call == nullptr) return finding("call " + id + " was not processed", batch.response);
    if (auto missing = all_are_processed(shown, *call)) return missing;
    if (auto other = start_in_source_order(shown, *call)) return other;
    if (auto missing = all_are_answered(shown, batch, story)) return missing;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Rule> reentry_rules() {
  return {
      rule("QUEUE-14",
           "a call that would change a file whose turn the call around it holds is refused and "
           "does not wait")
          .for_each_call()
          .among({"edit", "write"})
          .when(asks_for_a_held_turn)
          .expect(ends_without_a_wait),
      rule("BATCH-16",
           "calls of one answer with one id have a start, an end and a result each, in source "
           "order; triggered by such an answer, which is how a duplicate is reported")
          .for_each_batch()
          .when(repeats_an_id)
          .expect(repeated_calls_are_apart),
  };
}

}  // namespace plumb::invariants
