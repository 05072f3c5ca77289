// SPDX-License-Identifier: Apache-2.0
// What a batch comes to: calls that must not run, calls that must not be left out, and whether the
// model is asked again.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

bool is_truncated(const Batch& batch, const Story&) {
  return batch.stop_reason == "length";
}

/// The words differ between engines; one of these stems says that the arguments may be cut.
bool says_it_was_cut(const Call& call) {
  const auto text = result_text(call);
  return std::ranges::any_of(
      std::array{"cut", "truncat", "incomplete", "limit"},
      [&](const char* stem) { return text.find(stem) != std::string::npos; });
}

/// What shows that a call went on after its start.
const Event* step_after_start(const Call& call) {
  for (const EventName name :
       {EventName("tool_call"), EventName("execute_begin"), EventName("tool_result")}) {
    if (const Event* event = first(call, name)) return event;
  }
  return nullptr;
}

Finding has_no_end(const Call& call, const Batch& batch) {
  return contrast("call " + call.id + " has no end", "tool_execution_end of call " + call.id,
                  "none", batch.response);
}

Complaint nothing_runs(const Batch& batch, const Story& story) {
  for (const auto* call : calls_of(batch, story)) {
    if (const Event* event = step_after_start(*call)) {
      return contrast("call " + call->id + " of a truncated answer went on", "no such event",
                      std::string(event->kind()) + " of call " + call->id, event);
    }
    const Event* end = first(*call, "tool_execution_end");
    if (end == nullptr) return has_no_end(*call, batch);
    if (!is_error(*call)) {
      return contrast("truncated call " + call->id + " is not an error", "is_error true",
                      "is_error false", end);
    }
    if (!says_it_was_cut(*call)) {
      return differ("the error of call " + call->id + " does not say that its arguments may be cut",
                    Json("an error that says so"), Json(result_text(*call)), end);
    }
  }
  return std::nullopt;
}

bool was_aborted(const Batch& batch, const Story& story) {
  return story.abort_between(batch.response->seq, story.run_end_after(batch.response->seq)) >= 0;
}

Complaint model_is_asked_again(const Batch& batch, const Story& story) {
  if (batch.next_request >= 0 || was_aborted(batch, story)) return std::nullopt;
  return contrast("no further request after the batch", "provider_request with the results", "none",
                  batch.response);
}

bool says_terminate(const Call& call) {
  return at(result_of(call), "terminate") == true;
}

bool has_terminate(const Batch& batch, const Story& story) {
  return is_normal(batch) && batch.stop_reason != "length" &&
         std::ranges::any_of(calls_of(batch, story),
                             [](const Call* call) { return says_terminate(*call); }) &&
         !was_aborted(batch, story);
}

Complaint terminates_only_together(const Batch& batch, const Story& story) {
  const bool is_unanimous = std::ranges::all_of(
      calls_of(batch, story), [](const Call* call) { return says_terminate(*call); });
  const auto end = story.run_end_after(batch.response->seq);
  const Request* next = batch.next_request < 0
                            ? nullptr
                            : &story.requests[static_cast<std::size_t>(batch.next_request)];
  const bool goes_on = next != nullptr && next->event->seq < end;
  if (goes_on && is_unanimous && !is_asked_for(*next, *batch.response, story)) {
    return contrast("a request although all terminate", "none",
                    "provider_request at seq " + std::to_string(next->event->seq), batch.response);
  }
  if (goes_on || is_unanimous) return std::nullopt;
  std::vector<std::string> going;
  for (const auto* call : calls_of(batch, story)) {
    if (!says_terminate(*call)) going.push_back(call->id);
  }
  return contrast("no request although one result does not terminate",
                  "provider_request, for the sake of " + dump_json(as_json(going)), "none",
                  batch.response);
}

Complaint all_calls_end(const Batch& batch, const Story& story) {
  for (const auto* call : calls_of(batch, story)) {
    if (end_of(*call) == nullptr) return has_no_end(*call, batch);
  }
  return std::nullopt;
}

bool has_failure(const Batch& batch, const Story& story) {
  return is_normal(batch) && batch.calls.size() >= 2 && first_failure(batch, story) != nullptr &&
         !was_aborted(batch, story);
}

Complaint siblings_are_not_skipped(const Batch& batch, const Story& story) {
  for (const auto* call : calls_of(batch, story)) {
    const Event* end = first(*call, "tool_execution_end");
    if (cause_of(*call) == "aborted") {
      return contrast("call " + call->id + " was given up", "an outcome of its own", "aborted",
                      end);
    }
  }
  return all_calls_end(batch, story);
}

Complaint later_calls_run(const Batch& batch, const Story& story) {
  for (const auto* call : calls_of(batch, story)) {
    const bool has_cause = cause_of(*call) != "ok" && !cause_of(*call).empty();
    const bool is_refused = !shows_kind(story, "call_outcome") && stopper_of(*call) != nullptr;
    const bool is_skipped = !has_executed(*call) && !has_cause && !is_refused;
    if (is_skipped) {
      return contrast("call " + call->id + " was skipped", "execute_begin of call " + call->id,
                      "none", batch.response);
    }
  }
  return all_calls_end(batch, story);
}

/// HOOK-14: no execute of the batch begins before the last preflight is over.
Complaint preflight_comes_first(const Batch& batch, const Story& story) {
  const auto calls = calls_of(batch, story);
  for (const auto* running : calls) {
    const Event* begun = first(*running, "execute_begin");
    for (const auto* other : calls) {
      if (auto early = before(last(*other, "tool_call_return"), begun, story)) return early;
    }
  }
  return std::nullopt;
}

bool has_gates(const Batch& batch, const Story& story) {
  return runs_in_parallel(batch, story) &&
         std::ranges::count_if(calls_of(batch, story),
                               [](auto* c) { return count(*c, "tool_call_return") > 0; }) >= 2;
}

bool fails_in_preflight(const Batch& batch, const Story& story) {
  return runs_in_parallel(batch, story) && batch.stop_reason != "length" &&
         !was_aborted(batch, story) &&
         std::ranges::any_of(calls_of(batch, story), [](const Call* call) {
           return !has_executed(*call) && end_of(*call) != nullptr;
         });
}

Complaint failures_end_at_once(const Batch& batch, const Story& story) {
  const auto calls = calls_of(batch, story);
  for (std::int64_t i = 0; i < std::ssize(calls); ++i) {
    if (has_executed(*calls[i])) continue;
    const Event* end = first(*calls[i], "tool_execution_end");
    const Event* next =
        i + 1 < std::ssize(calls) ? first(*calls[i + 1], "tool_execution_start") : nullptr;
    if (auto late = before(end, next, story)) return late;
    for (const auto* other : calls) {
      if (auto late = before(end, first(*other, "execute_begin"), story)) return late;
    }
  }
  return std::nullopt;
}

bool stops_with_calls(const Batch& batch, const Story& story) {
  return batch.stop_reason == "stop" && !was_aborted(batch, story);
}

Complaint calls_are_processed(const Batch& batch, const Story& story) {
  for (const auto* call : calls_of(batch, story)) {
    if (!has_started(*call)) {
      return contrast("call " + call->id + " is ignored",
                      "tool_execution_start of call " + call->id, "none", batch.response);
    }
  }
  return all_calls_end(batch, story);
}

}  // namespace

std::vector<Rule> batch_outcome_rules() {
  return {
      rule("BATCH-08", "a call that fails leaves its siblings with ends of their own")
          .for_each_batch()
          .when(has_failure)
          .expect(siblings_are_not_skipped),
      rule("BATCH-09",
           "in a parallel batch a call that is not executed ends before the next start and before "
           "any execute")
          .for_each_batch()
          .when(fails_in_preflight)
          .expect(failures_end_at_once),
      rule("BATCH-15", "calls of an answer with stop reason stop are processed")
          .for_each_batch()
          .when(stops_with_calls)
          .expect(calls_are_processed),
      rule("BATCH-11",
           "an answer cut by the output limit: no hooks, no execute, an error for each call, and a "
           "further request")
          .for_each_batch()
          .when(is_truncated)
          .expect(nothing_runs)
          .expect(model_is_asked_again),
      rule("BATCH-12",
           "the follow-up request is skipped if and only if all results say terminate, unless a "
           "queued message or a handler asks for one; triggered by one that does")
          .for_each_batch()
          .when(has_terminate)
          .expect(terminates_only_together),
      rule("BATCH-13", "a result that says terminate skips no call of its batch")
          .for_each_batch()
          .when(has_terminate)
          .expect(later_calls_run),
      rule("HOOK-14",
           "in a parallel batch no execute begins before all tool_call handlers returned")
          .for_each_batch()
          .when(has_gates)
          .expect(preflight_comes_first),
  };
}

}  // namespace plumb::invariants
