// SPDX-License-Identifier: Apache-2.0
// What handlers, the host's own hook and preparation make of one call.
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Event* end_seen_of(const Call& call) {
  return first(call, "tool_execution_end");
}

const Notify* note_of(const Call& call, std::string_view topic) {
  for (const Event* event : call.events) {
    const auto* note = event->as<Notify>();
    if (note != nullptr && note->topic == topic) return note;
  }
  return nullptr;
}

/// Nothing but its arguments decides what becomes of the call.
bool is_decided_by_arguments(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  return batch != nullptr && is_normal(*batch) && batch->stop_reason != "length" &&
         is_declared(call, story) && abort_during(call, story) < 0 && call.arguments_error.empty();
}

// ------------------------------------------------------------------ arguments

bool has_no_object(const Call& call, const Story& story) {
  return is_decided_by_arguments(call, story) && !call.raw.get().is_object() &&
         note_of(call, "prepare_begin") == nullptr;
}

Complaint is_refused_as_invalid(const Call& call, const Story&) {
  if (!is_error(call)) return finding("call " + call.id + " is not an error", end_seen_of(call));
  return differ("cause of call " + call.id, Json("invalid_arguments"), cause_of(call),
                end_seen_of(call));
}

/// A note `replaced` of a handler holds the object that it put in place of the input.
bool has_replaced_input(const Call& call, const Story&) {
  return note_of(call, "replaced") != nullptr && has_executed(call) &&
         input_after_hooks(call) != nullptr;
}

Complaint replacement_is_ignored(const Call& call, const Story&) {
  const Event* begun = first(call, "execute_begin");
  const Json& args = begin_of(call)->args.get();
  if (equal_json(args, note_of(call, "replaced")->data.get())) {
    return finding("execute gets the object that a handler put in place of the input", begun);
  }
  return differ("execute gets other arguments than the input", *input_after_hooks(call), args,
                begun);
}

/// Fields of the raw arguments that preparation folded away.
std::vector<std::string> folded_fields(const Call& call) {
  std::vector<std::string> fields;
  const auto* prepared = note_of(call, "prepare_end");
  if (prepared == nullptr || !call.raw.get().is_object()) return fields;
  for (const auto& [key, value] : call.raw.get().items()) {
    if (!prepared->data.get().is_object() || prepared->data.get().contains(key)) continue;
    fields.push_back(key);
  }
  return fields;
}

bool folds_fields(const Call& call, const Story& story) {
  return is_decided_by_arguments(call, story) && !folded_fields(call).empty();
}

Complaint legacy_is_undeclared(const Call& call, const Story& story) {
  const Json* tool = tool_of(call, story);
  if (tool == nullptr) return std::nullopt;
  const Json& properties = at(at(*tool, "parameters"), "properties");
  for (const auto& field : folded_fields(call)) {
    if (!at(properties, field).is_null()) {
      return finding("the declared schema shows the compatibility field " + field,
                     first(call, "tool_execution_start"));
    }
  }
  return require(cause_of(call) != "invalid_arguments", "a compatible call is refused",
                 end_seen_of(call));
}

// ------------------------------------------------------------------ tool_call

bool blocks_without_reason(const Call& call, const Story& story) {
  const auto* stopper = stopper_of(call);
  return stopper != nullptr && is_block(*stopper) && abort_during(call, story) < 0 &&
         text_at(stopper->result.get(), "reason").empty();
}

Complaint says_that_it_is_blocked(const Call& call, const Story&) {
  return require(result_text(call).contains("block"), "the error does not say that it is a block",
                 end_seen_of(call));
}

bool blocks_with_terminate(const Call& call, const Story& story) {
  const auto* stopper = stopper_of(call);
  return stopper != nullptr && is_block(*stopper) && abort_during(call, story) < 0 &&
         at(stopper->result.get(), "terminate") == true;
}

Complaint result_terminates(const Call& call, const Story&) {
  return require(at(result_of(call), "terminate") == true && is_error(call),
                 "the result of a block with terminate does not terminate", end_seen_of(call));
}

/// HOOK-11: tool_call comes after the start event and after the answer is stored.
class StoredCallChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    const auto* hook = event.as<HookCall>();
    if (hook == nullptr || hook->event != "tool_call") return;
    const Call* call = call_of(event, story);
    if (call == nullptr || !is_top_level(*call)) return;
    report.trigger();
    report.complain(
        require(start_of(*call) != nullptr, "tool_call before tool_execution_start", &event));
    report.complain(require(is_stored(event.call, story),
                            "tool_call before the answer with the call is stored", &event));
  }

 private:
  /// Mostly in one of the last entries.
  static bool is_stored(const std::string& call, const Story& story) {
    return std::any_of(story.entries.rbegin(), story.entries.rend(), [&](const Event* entry) {
      const auto ids = ids_of_calls_in(entry->as<SessionEntry>()->data.get());
      return std::ranges::find(ids, call) != ids.end();
    });
  }
};

// ------------------------------------------------------------------ the host's own hook

const HookReturn* failed_host_hook(const Call& call) {
  for (const auto* returned : returns_of(call, "after_tool_call")) {
    if (!returned->error.empty()) return returned;
  }
  return nullptr;
}

bool has_failed_host_hook(const Call& call, const Story&) {
  return failed_host_hook(call) != nullptr && end_of(call) != nullptr;
}

Complaint host_failure_is_an_error(const Call& call, const Story&) {
  if (!is_error(call)) return finding("the host's failed hook leaves no error", end_seen_of(call));
  return require(result_text(call).contains(failed_host_hook(call)->error),
                 "the error is not what the host's hook threw", end_seen_of(call));
}

Complaint host_failure_replaces_the_result(const Call& call, const Story&) {
  if (auto odd = differ("cause of call " + call.id, Json("after_hook_failed"), cause_of(call),
                        end_seen_of(call))) {
    return odd;
  }
  return differ("something of the tool's result is left", failed_host_hook(call)->error,
                result_text(call), end_seen_of(call));
}

// ------------------------------------------------------------------ calls of tools

bool is_failed_nested_call(const Call& call, const Story& story) {
  if (call.parent.empty() || !is_error(call)) return false;
  const Call* outer = call_before(call.parent, seq_of(call, "tool_execution_start"), story);
  return outer != nullptr && settled_of(*outer) != nullptr;
}

Complaint outer_call_goes_on(const Call& call, const Story& story) {
  const Call& outer = *call_before(call.parent, seq_of(call, "tool_execution_start"), story);
  const auto* settled = settled_of(outer);
  const bool is_rejected = settled->outcome == "threw" && settled->error == result_text(call);
  return require(!is_rejected, "a nested failure is thrown in the outer tool",
                 first(outer, "execute_end"));
}

}  // namespace

std::vector<Rule> chain_rules() {
  return {
      rule("PIPE-14", "arguments that are no object are refused as invalid_arguments")
          .for_each_call()
          .when(has_no_object)
          .none("tool_call")
          .none("execute_begin")
          .expect(is_refused_as_invalid),
      rule("PIPE-16",
           "execute does not get the object that a handler put in place of its input (note "
           "replaced), but the input itself")
          .for_each_call()
          .among({"notify"})
          .when(has_replaced_input)
          .expect(replacement_is_ignored),
      rule("PIPE-18",
           "fields that preparation folds away are not in the declared schema, and the call is "
           "accepted")
          .for_each_call()
          .among({"notify"})
          .when(folds_fields)
          .expect(legacy_is_undeclared),
      rule("HOOK-05", "a block without a reason gives an error that says so")
          .for_each_call()
          .among({"hook_return"})
          .when(blocks_without_reason)
          .expect(says_that_it_is_blocked),
      rule("HOOK-11",
           "a tool_call handler runs after the call's start event and after the answer is stored")
          .by<StoredCallChecker>({"hook_call"}),
      rule("HOOK-15", "a block with terminate gives a result that terminates")
          .for_each_call()
          .among({"hook_return"})
          .when(blocks_with_terminate)
          .expect(result_terminates),
      rule(
          "HOOK-24",
          "a throw of the host's own hook after execute (hook after_tool_call) is the call's error")
          .for_each_call()
          .among({"hook_return"})
          .when(has_failed_host_hook)
          .expect(host_failure_is_an_error),
      rule("RESULT-14",
           "a throw of the host's own hook has the cause after_hook_failed and replaces the result")
          .for_each_call()
          .among({"hook_return"})
          .when(has_failed_host_hook)
          .expect(host_failure_replaces_the_result),
      rule("HOOK-30", "a failed nested call is not thrown in the tool that made it")
          .for_each_call()
          .among({"is nested"})
          .when(is_failed_nested_call)
          .expect(outer_call_goes_on),
  };
}

}  // namespace plumb::invariants
