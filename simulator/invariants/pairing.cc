// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

bool shows_results(const Request& request, const Story& story) {
  if (is_rewritten(request, story)) return false;  // A handler answers for the messages.
  return !request.results.empty() || !request.unpaired.empty();
}

Complaint answers_are_paired(const Request& request, const Story&) {
  if (request.unpaired.empty()) return std::nullopt;
  return finding("an answer is not paired with its results: " + request.unpaired.front(),
                 request.event);
}

bool repeats_arguments(const Request& request, const Story& story) {
  const auto makes_calls = [](const SharedJson& message) {
    return !ids_of_calls_in(message.get()).empty();
  };
  return std::ranges::any_of(request.added, makes_calls) && !is_rewritten(request, story);
}

/// An id may be used again in a later turn: any of its calls may be the one that is repeated.
bool is_raw_of_a_call(const ShownCall& shown, const Request& request, const Story& story) {
  return std::ranges::any_of(story.calls, [&](const Call& call) {
    const Batch* batch = batch_of(call, story);
    return call.id == shown.id && batch != nullptr && batch->response->seq < request.event->seq &&
           equal_json(call.raw.get(), shown.arguments.get());
  });
}

/// PIPE-20: the request repeats what the provider answered.
Complaint arguments_are_raw(const Request& request, const Story& story) {
  for (const auto& shown : answered_in(request)) {
    const Call* call = call_before(shown.id, request.event->seq, story);
    if (call == nullptr || call->batch < 0 || call->is_repeated) continue;
    if (equal_json(call->raw.get(), shown.arguments.get())) continue;
    if (is_raw_of_a_call(shown, request, story)) continue;
    if (auto changed = differ("the transcript changed the arguments of call " + shown.id,
                              call->raw.get(), shown.arguments.get(), request.event)) {
      return changed;
    }
  }
  return std::nullopt;
}

bool is_nested(const Call& call, const Story&) {
  return !call.parent.empty();
}

Complaint is_named_after_parent(const Call& call, const Story& story) {
  const Event* start = first(call, "tool_execution_start");
  const bool fits = call.id.starts_with(call.parent + "/");
  if (!fits) return finding("a nested call is not named PARENT/N", start);
  const Call* outer = start == nullptr ? nullptr : call_before(call.parent, start->seq, story);
  if (outer == nullptr) return finding("a nested call without its outer call", start);
  if (auto early = before(first(*outer, "execute_begin"), start, story)) return early;
  return before(last(call, "tool_execution_end"), first(*outer, "execute_end"), story);
}

/// If handlers gate the outer call, they gate the nested one (as far as it reached them).
Complaint passes_the_gates(const Call& call, const Story& story) {
  const auto begun = seq_of(call, "tool_execution_start");
  const Call* outer = call_before(call.parent, begun, story);
  if (outer == nullptr || count(*outer, "tool_call") == 0) return std::nullopt;
  return require(!has_executed(call) || count(call, "tool_call") > 0,
                 "nested call " + call.id + " ran without the gates of its outer call",
                 first(call, "execute_begin"));
}

}  // namespace

std::vector<Rule> pairing_rules() {
  return {
      rule("BATCH-17",
           "in each request every call of the last normal answer, and of all when earlier messages "
           "changed, has exactly one result with its id; no result is without a call")
          .for_each_request()
          .when(shows_results)
          .expect(answers_are_paired),
      rule("PIPE-20", "requests repeat the arguments of earlier answers as the provider sent them")
          .for_each_request()
          .when(repeats_arguments)
          .expect(arguments_are_raw),
      rule("HOOK-29",
           "a nested call is named PARENT/N, lies within its outer execute, passes the gates and "
           "adds no message")
          .for_each_call()
          .among({"is nested"})
          .when(is_nested)
          .expect(is_named_after_parent)
          .expect(passes_the_gates)
          .none("message_start")
          .exactly_one("tool_execution_end"),
  };
}

}  // namespace plumb::invariants
