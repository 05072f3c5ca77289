// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Event* ending(const Call& call) {
  return first(call, "tool_execution_end");
}

bool is_answered_call(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  return batch != nullptr && is_normal(*batch) && end_of(call) != nullptr;
}

/// The model was told of other tools only. Neither a truncated answer nor an abort gets so far.
bool is_unknown(const Call& call, const Story& story) {
  if (!is_answered_call(call, story) || request_of(call, story) == nullptr) return false;
  return !is_declared(call, story) && batch_of(call, story)->stop_reason != "length" &&
         abort_during(call, story) < 0;
}

Complaint names_the_tool(const Call& call, const Story&) {
  return require(result_text(call).find(call.name) != std::string::npos,
                 "the error text does not name " + call.name, ending(call));
}

Complaint is_an_error(const Call& call, const Story&) {
  return require(is_error(call), "call " + call.id + " is not an error", ending(call));
}

Complaint does_not_run(const Call& call, const Story&) {
  return require(!has_executed(call), "call " + call.id + " was executed",
                 first(call, "execute_begin"));
}

/// The host allows the prompt no further turn (EVENT-28).
bool is_last_turn(const Batch& batch, const Story& story) {
  const Json& turns_max = setting("turns_max", story);
  if (!turns_max.is_number()) return false;
  const auto turns = std::ranges::count_if(story.requests, [&batch](const Request& request) {
    return request.event->seq < batch.response->seq;
  });
  return turns >= whole_number(turns_max);
}

Complaint the_run_goes_on(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  const bool may_stop =
      batch == nullptr || abort_during(call, story) >= 0 || is_last_turn(*batch, story) ||
      at(result_of(call), "terminate") == true ||
      story.abort_between(batch->response->seq, story.run_end_after(batch->response->seq)) >= 0;
  return require(may_stop || batch->next_request >= 0, "the model does not see the error",
                 ending(call));
}

Condition<Call> has_cause(std::vector<std::string> causes) {
  return [causes = std::move(causes)](const Call& call, const Story&) {
    return contains(causes, cause_of(call)) && end_of(call) != nullptr;
  };
}

/// What the preparation threw, as far as the trace tells (note prepare_failed).
const Notify* failed_preparation(const Call& call) {
  for (const Event* event : call.events) {
    const auto* note = event->as<Notify>();
    if (note != nullptr && note->topic == "prepare_failed") return note;
  }
  return nullptr;
}

/// A preparation may throw without a word: then there is nothing to repeat.
Complaint says_what_was_wrong(const Call& call, const Story&) {
  const auto* thrown = failed_preparation(call);
  const auto text = result_text(call);
  if (thrown == nullptr) {
    return require(!text.empty(), "the error of call " + call.id + " says nothing", ending(call));
  }
  const Json& message = thrown->data.get();
  const bool is_told = !message.is_string() || text.contains(message.get<std::string>());
  return require(is_told, "the error does not say what the preparation threw", ending(call));
}

Complaint has_text(const Call& call, const Story&) {
  return require(!result_text(call).empty(), "the error of call " + call.id + " says nothing",
                 ending(call));
}

bool was_stopped(const Call& call, const Story&) {
  return stopper_of(call) != nullptr;
}

Complaint is_stopped(const Call& call, const Story&) {
  const std::vector<std::string> causes{"blocked", "before_hook_failed", "aborted"};
  return require(cause_of(call).empty() || contains(causes, cause_of(call)),
                 "a stopped call has the cause " + std::string(cause_of(call)), ending(call));
}

bool has_thrown(const Call& call, const Story&) {
  const auto* settled = settled_of(call);
  return settled != nullptr && settled->outcome == "threw" && end_of(call) != nullptr;
}

/// Whether a tool_result handler replaced a field of the result.
bool is_replaced(const Call& call, std::string_view field) {
  return std::ranges::any_of(returns_of(call, "tool_result"), [&](const HookReturn* returned) {
    return returned->error.empty() && !at(returned->result.get(), field).is_null();
  });
}

Complaint throw_is_an_error(const Call& call, const Story& story) {
  if (is_replaced(call, "isError")) return std::nullopt;
  return is_an_error(call, story);
}

Complaint text_is_the_message(const Call& call, const Story&) {
  if (is_replaced(call, "content")) return std::nullopt;
  return differ("the error text is not what execute threw", settled_of(call)->error,
                result_text(call), ending(call));
}

// ------------------------------------------------------------------ the closed list (RESULT-16)

bool patched_into_error(const Call& call) {
  return std::ranges::any_of(returns_of(call, "tool_result"), [](const HookReturn* returned) {
    return returned->error.empty() && at(returned->result.get(), "isError") == true;
  });
}

/// An abort between the start of the run and the end of the call.
bool has_abort_before_end(const Call& call, const Story& story) {
  const Event* end = ending(call);
  if (end == nullptr) return false;
  std::int64_t from = -1;
  for (const auto& run : story.runs) {
    if (run.start->seq < end->seq) from = run.start->seq;
  }
  return story.abort_between(from, end->seq) >= 0;
}

/// Whether tools may call the tool of a nested call (TOOL-22).
bool is_open_to_tools(const Call& call, const Story& story) {
  const Json* tool = tool_of(call, story);
  if (tool == nullptr) return false;
  const auto exposure = text_at(*tool, "exposure");
  return exposure != "model-only" && exposure != "hidden";
}

/// Causes of preparation show nothing but the absence of everything after it.
bool ended_in_preparation(const Call& call) {
  return !has_executed(call) && count(call, "tool_call") == 0;
}

bool has_known_tool(const Call& call, const Story& story) {
  return batch_of(call, story) != nullptr ? is_declared(call, story)
                                          : is_open_to_tools(call, story);
}

/// Calls may be nested this deep (scenarios/README.md); one that is nested deeper is refused.
constexpr std::int64_t kNestingDepthMax = 16;

bool is_nested_too_deep(const Call& call, const Story& story) {
  std::int64_t depth = 0;
  const Call* outer = call_around(call, story);
  for (; outer != nullptr && depth <= kNestingDepthMax; outer = call_around(*outer, story)) ++depth;
  return depth > kNestingDepthMax;
}

/// Whether the trace shows what a cause claims.
bool is_explained(const Call& call, const Story& story, const std::string& cause) {
  const auto* stopper = stopper_of(call);
  const auto* settled = settled_of(call);
  if (cause == "unknown_tool") return !has_known_tool(call, story) && ended_in_preparation(call);
  if (cause == "prepare_failed" || cause == "invalid_arguments") return ended_in_preparation(call);
  if (cause == "blocked") {
    return stopper != nullptr ? is_block(*stopper) : is_nested_too_deep(call, story);
  }
  if (cause == "before_hook_failed") return stopper != nullptr && !stopper->error.empty();
  if (cause == "aborted") return !has_executed(call) && has_abort_before_end(call, story);
  if (cause == "truncated") {
    return batch_of(call, story) != nullptr && batch_of(call, story)->stop_reason == "length";
  }
  if (cause == "execute_failed") return settled != nullptr && settled->outcome == "threw";
  if (cause == "returned_error") {
    return settled != nullptr && at(settled->result.get(), "isError") == true;
  }
  if (cause == "result_handler_error") return patched_into_error(call);
  return cause == "after_hook_failed" && settled != nullptr;
}

bool has_ended_in_error(const Call& call, const Story&) {
  return is_error(call);
}

Complaint cause_is_on_the_list(const Call& call, const Story& story) {
  if (count(call, "call_outcome") != 1) {
    return finding("call " + call.id + " does not have one call_outcome", ending(call));
  }
  const std::string cause(cause_of(call));
  return require(is_explained(call, story, cause),
                 "nothing in the trace explains the cause " + cause + " of call " + call.id,
                 ending(call));
}

}  // namespace

std::vector<Rule> cause_rules() {
  return {
      rule("RESULT-10",
           "a call of a tool that the request did not declare is an error that names the tool, and "
           "the run goes on")
          .for_each_call()
          .when(is_unknown)
          .expect(is_an_error)
          .expect(names_the_tool)
          .expect(the_run_goes_on),
      rule("RESULT-11",
           "a call that preparation or validation refused is an error that says why (note "
           "prepare_failed tells what was thrown), and the run goes on")
          .for_each_call()
          .when(has_cause({"prepare_failed", "invalid_arguments"}))
          .expect(is_an_error)
          .expect(says_what_was_wrong)
          .expect(does_not_run)
          .expect(the_run_goes_on),
      rule("RESULT-12", "a call that a tool_call handler blocked or failed on is an error, not run")
          .for_each_call()
          .among({"hook_return"})
          .when(was_stopped)
          .expect(is_an_error)
          .expect(does_not_run)
          .expect(is_stopped),
      rule("RESULT-13", "what execute threw is the text of an error result, and the run goes on")
          .for_each_call()
          .among({"threw"})
          .when(has_thrown)
          .expect(throw_is_an_error)
          .expect(text_is_the_message)
          .expect(the_run_goes_on),
      rule("RESULT-15", "a call that ended as aborted is an error")
          .for_each_call()
          .when(has_cause({"aborted"}))
          .expect(is_an_error)
          .expect(has_text)
          .expect(does_not_run),
      rule("RESULT-16", "each error result has one cause of the list, and the trace shows it")
          .for_each_call()
          .among({"is an error"})
          .when(has_ended_in_error)
          .expect(cause_is_on_the_list),
      rule("PIPE-05",
           "a call of a tool that the request did not declare: no hook, no execute, cause "
           "unknown_tool")
          .for_each_call()
          .when(is_unknown)
          .none("tool_call")
          .none("execute_begin")
          .none("tool_result")
          .expect(is_an_error)
          .expect([](const Call& call, const Story&) {
            return differ("cause", Json("unknown_tool"), cause_of(call), ending(call));
          }),
  };
}

}  // namespace plumb::invariants
