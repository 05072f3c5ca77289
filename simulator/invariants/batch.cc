// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "engine/values/sha256.h"
#include "simulator/invariants/domains.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// On a real clock an execute that took less may have ended before its sibling could begin.
constexpr std::int64_t kOverlapMsMin = 50;

std::vector<const Call*> executed_in(const Batch& batch, const Story& story) {
  auto executed = calls_of(batch, story) |
                  std::views::filter([](const Call* call) { return has_executed(*call); });
  return {executed.begin(), executed.end()};
}

bool has_two_executions(const Batch& batch, const Story& story) {
  return is_normal(batch) && executed_in(batch, story).size() >= 2;
}

bool took_time(const Call& call, const Story& story) {
  const Event* begun = first(call, "execute_begin");
  const Event* ended = first(call, "execute_end");
  if (begun == nullptr || ended == nullptr) return false;
  return ended->at - begun->at >= (story.header.is_clock_virtual ? 1 : kOverlapMsMin);
}

/// The first of two executions takes time, so that the second can be seen to begin before its end.
bool can_overlap(const Batch& batch, const Story& story) {
  if (!has_two_executions(batch, story) || is_sequential(batch, story)) return false;
  const auto calls = executed_in(batch, story);
  return std::ranges::any_of(calls.begin(), calls.end() - 1,
                             [&](const Call* call) { return took_time(*call, story); }) &&
         story.abort_between(batch.response->seq, story.run_end_after(batch.response->seq)) < 0;
}

Complaint executions_overlap(const Batch& batch, const Story& story) {
  const auto calls = executed_in(batch, story);
  for (std::size_t i = 0; i + 1 < calls.size(); ++i) {
    if (!took_time(*calls[i], story)) continue;
    const Event* ended = first(*calls[i], "execute_end");
    for (std::size_t j = i + 1; j < calls.size(); ++j) {
      if (auto late = before(first(*calls[j], "execute_begin"), ended, story)) return late;
    }
  }
  return std::nullopt;
}

Complaint executions_do_not_overlap(const Batch& batch, const Story& story) {
  const auto calls = executed_in(batch, story);
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const Event* ended = first(*calls[i - 1], "execute_end");
    if (auto early = before(ended, first(*calls[i], "execute_begin"), story)) return early;
  }
  return std::nullopt;
}

bool has_marked_tool(const Batch& batch, const Story& story) {
  return has_two_executions(batch, story) && has_sequential_tool(batch, story);
}

bool is_sequential_by_host(const Batch& batch, const Story& story) {
  return has_two_executions(batch, story) && is_host_sequential(story) &&
         !has_sequential_tool(batch, story);
}

bool runs_sequentially(const Batch& batch, const Story& story) {
  return is_normal(batch) && batch.calls.size() >= 2 && is_sequential(batch, story);
}

bool runs_in_parallel(const Batch& batch, const Story& story) {
  return is_normal(batch) && batch.calls.size() >= 2 && !is_sequential(batch, story);
}

Complaint calls_follow_one_another(const Batch& batch, const Story& story) {
  const auto calls = calls_of(batch, story);
  for (std::int64_t i = 1; i < std::ssize(calls); ++i) {
    const Event* next = first(*calls[i], "tool_execution_start");
    for (const EventName name : {EventName("tool_execution_end"), EventName("message_end")}) {
      if (auto early = before(first(*calls[i - 1], name), next, story)) return early;
    }
  }
  return std::nullopt;
}

Complaint in_source_order(const Batch& batch, const Story& story, EventName name) {
  const Event* earlier = nullptr;
  for (const auto* call : calls_of(batch, story)) {
    const Event* event = first(*call, name);
    if (event == nullptr) continue;
    if (auto complaint = before(earlier, event, story)) return complaint;
    earlier = event;
  }
  return std::nullopt;
}

Complaint starts_and_messages_in_order(const Batch& batch, const Story& story) {
  if (auto complaint = in_source_order(batch, story, "tool_execution_start")) return complaint;
  return in_source_order(batch, story, "message_start");
}

/// What completes an executed call: its execute, or who heard of an update or the result after it.
/// Nothing here depends on where the end event stands.
const Event* completion_of(const Call& call) {
  const Event* completed = first(call, "execute_end");
  if (completed == nullptr) return nullptr;
  for (const Event* event : call.events) {
    const auto* returned = event->as<HookReturn>();
    const bool completes = returned != nullptr && (returned->event == "tool_result" ||
                                                   returned->event == "after_tool_call" ||
                                                   returned->event == "tool_execution_update");
    if (completes && event->seq > completed->seq) completed = event;
  }
  return completed;
}

Complaint starts_before_executed_ends(const Batch& batch, const Story& story) {
  for (const auto* executed : executed_in(batch, story)) {
    for (const auto* other : calls_of(batch, story)) {
      const Event* start = first(*other, "tool_execution_start");
      if (auto late = before(start, first(*executed, "tool_execution_end"), story)) return late;
    }
  }
  return std::nullopt;
}

/// Ids of calls in the order of one event each.
Complaint in_order_of(std::vector<const Call*>& calls, const Event* (*event_of)(const Call&),
                      const Story& story) {
  std::ranges::sort(calls, {}, [&](const Call* call) { return event_of(*call)->seq; });
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const Event& earlier = *event_of(*calls[i - 1]);
    const Event& later = *event_of(*calls[i]);
    if (!story.is_order_certain(earlier, later)) return unknowable(earlier, later);
  }
  return std::nullopt;
}

Json ids_in(const std::vector<const Call*>& calls) {
  Json ids = Json::array();
  for (const auto* call : calls) ids.push_back(call->id);
  return ids;
}

const Event* end_shown(const Call& call) {
  return first(call, "tool_execution_end");
}

/// Completions are told by one source and ends by another: each has an order of its own.
Complaint ends_in_completion_order(const Batch& batch, const Story& story) {
  auto completed = executed_in(batch, story);
  std::erase_if(completed, [](const Call* call) {
    return completion_of(*call) == nullptr || end_shown(*call) == nullptr;
  });
  auto ended = completed;
  if (auto unknown = in_order_of(completed, completion_of, story)) return unknown;
  if (auto unknown = in_order_of(ended, end_shown, story)) return unknown;
  const auto wrong = std::ranges::mismatch(ended, completed);
  if (wrong.in1 == ended.end()) return std::nullopt;
  return differ("tool_execution_end of call " + (*wrong.in1)->id + " comes before that of call " +
                    (*wrong.in2)->id + ", which completed earlier",
                ids_in(completed), ids_in(ended), end_shown(**wrong.in1));
}

Complaint messages_after_all_ends(const Batch& batch, const Story& story) {
  const auto calls = calls_of(batch, story);
  for (const auto* shown : calls) {
    const Event* message = first(*shown, "message_start");
    for (const auto* other : calls) {
      if (auto early = before(first(*other, "tool_execution_end"), message, story)) return early;
    }
  }
  return std::nullopt;
}

bool has_turn_end(const Batch& batch, const Story&) {
  return is_normal(batch) && batch.turn_end != nullptr && batch.calls.size() >= 2;
}

Complaint results_in_source_order(const Batch& batch, const Story& story) {
  const auto* end = batch.turn_end->as<TurnEnd>();
  return differ("turn_end lists the results in another order", as_json(ids_of(batch, story)),
                as_json(end->results), batch.turn_end);
}

Complaint request_in_source_order(const Batch& batch, const Story& story) {
  if (batch.next_request < 0) return std::nullopt;
  const auto& request = story.requests[static_cast<std::size_t>(batch.next_request)];
  if (is_rewritten(request, story)) return std::nullopt;
  const auto ids = ids_of(batch, story);
  std::vector<std::string> shown;
  for (const auto& result : request.results) {
    if (contains(ids, result.call)) shown.push_back(result.call);
  }
  return differ("the request shows the results in another order", as_json(ids), as_json(shown),
                request.event);
}

// ------------------------------------------------------------------ effects stay (BATCH-07)

const Call* first_failure(const Batch& batch, const Story& story) {
  for (const auto* call : calls_of(batch, story)) {
    if (is_error(*call)) return call;
  }
  return nullptr;
}

/// An append counts too: on a file that was not there it is all of it.
bool is_effect(const FileOperation& operation) {
  return operation.phase == "end" && (operation.op == "write" || operation.op == "append");
}

/// Ends of successful writes of this batch before its first failure.
std::vector<const Event*> writes_before_failure(const Batch& batch, const Story& story) {
  std::vector<const Event*> writes;
  const Call* failure = first_failure(batch, story);
  if (failure == nullptr) return writes;
  for (const auto* call : calls_of(batch, story)) {
    if (call == failure) break;
    for (const Event* event : all(*call, "file_op")) {
      const auto* operation = event->as<FileOperation>();
      if (is_effect(*operation) && operation->result == "ok") writes.push_back(event);
    }
  }
  return writes;
}

bool has_effect_before_failure(const Batch& batch, const Story& story) {
  return is_normal(batch) && is_sequential(batch, story) && story.final_files != nullptr &&
         !writes_before_failure(batch, story).empty();
}

std::string hash_of_file(const Json& file) {
  const Json& text = at(file, "text");
  return text.is_string() ? sha256_hex(text.get<std::string>()) : text_at(file, "sha256");
}

/// Writes outside the execute of their call are none of a tool: a roll-back, for one.
bool is_within_execution(const Event& operation, const Story& story) {
  const Call* call = call_of(operation, story);
  return call != nullptr && operation.seq > seq_of(*call, "execute_begin") && has_executed(*call) &&
         operation.seq < seq_of(*call, "execute_end");
}

/// The digest of what the tools left in a file; "" when the trace does not tell.
std::string last_written(const std::string& real_path, const Story& story) {
  std::string hash;
  bool is_whole = first_file(real_path, story) == nullptr;
  for (const Event* event : story.file_operations) {
    const auto* operation = event->as<FileOperation>();
    if (operation->real_path != real_path || operation->result != "ok") continue;
    if (!is_effect(*operation) || !is_within_execution(*event, story)) continue;
    const bool is_new = is_whole && hash.empty();
    is_whole = operation->op == "write" || is_new;
    hash = is_whole ? operation->hash : "";
  }
  return hash;
}

Complaint effects_stay(const Batch& batch, const Story& story) {
  for (const Event* event : writes_before_failure(batch, story)) {
    const auto& path = event->as<FileOperation>()->real_path;
    const Json* file = final_file(path, story);
    const Json actual = file == nullptr ? Json() : Json(hash_of_file(*file));
    const auto expected = last_written(path, story);
    if (expected.empty()) continue;
    if (auto lost = differ("the effect of call " + event->call + " on " + path + " is gone",
                           Json(expected), actual, event)) {
      return lost;
    }
  }
  return std::nullopt;
}

bool overlaps_beside_unknown(const Batch& batch, const Story& story) {
  return can_overlap(batch, story) &&
         std::ranges::any_of(calls_of(batch, story),
                             [&](const Call* call) { return !is_declared(*call, story); });
}

std::vector<Rule> batch_order_rules() {
  return {
      rule("BATCH-01",
           "in a batch without a sequential mark, executes begin before an earlier call's execute "
           "ends; triggered when that one takes time")
          .for_each_batch()
          .when(can_overlap)
          .expect(executions_overlap),
      rule("BATCH-02", "with one tool marked sequential, no two executes of the batch overlap")
          .for_each_batch()
          .when(has_marked_tool)
          .expect(executions_do_not_overlap),
      rule("BATCH-03", "with the host's sequential setting, no two executes of a batch overlap")
          .for_each_batch()
          .when(is_sequential_by_host)
          .expect(executions_do_not_overlap),
      rule("BATCH-04", "in a sequential batch a call's end and message precede the next start")
          .for_each_batch()
          .when(runs_sequentially)
          .expect(calls_follow_one_another),
      rule("BATCH-05",
           "in a parallel batch starts come first, in source order, the ends of executed calls as "
           "they complete (execute_end, then handlers of updates and the result), then the "
           "messages in source order")
          .for_each_batch()
          .when(runs_in_parallel)
          .expect(starts_and_messages_in_order)
          .expect(starts_before_executed_ends)
          .expect(ends_in_completion_order)
          .expect(messages_after_all_ends),
      rule("BATCH-06", "turn_end and the next request list the results in source order")
          .for_each_batch()
          .when(has_turn_end)
          .expect(results_in_source_order)
          .expect(request_in_source_order),
      rule("BATCH-07",
           "in a sequential batch what a call wrote before a later call failed is there at the end")
          .for_each_batch()
          .when(has_effect_before_failure)
          .expect(effects_stay),
      rule("BATCH-10", "executes overlap although the batch calls a tool that is not declared")
          .for_each_batch()
          .when(overlaps_beside_unknown)
          .expect(executions_overlap),
  };
}

}  // namespace

std::vector<Rule> batch_rules() {
  auto rules = batch_order_rules();
  std::ranges::move(batch_outcome_rules(), std::back_inserter(rules));
  return rules;
}

}  // namespace plumb::invariants
