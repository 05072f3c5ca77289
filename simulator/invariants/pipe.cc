// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Event* end_seen(const Call& call) {
  return first(call, "tool_execution_end");
}

std::vector<const Notify*> notes_of(const Call& call, std::string_view topic) {
  std::vector<const Notify*> notes;
  for (const Event* event : call.events) {
    const auto* note = event->as<Notify>();
    if (note != nullptr && note->topic == topic) notes.push_back(note);
  }
  return notes;
}

/// The last tool_call handler's input, for a call that then was executed.
bool ran_after_hooks(const Call& call, const Story&) {
  return has_executed(call) && input_after_hooks(call) != nullptr && stopper_of(call) == nullptr;
}

bool hooks_changed_input(const Call& call, const Story& story) {
  if (!ran_after_hooks(call, story)) return false;
  const auto calls = hook_calls_of(call, "tool_call");
  const auto returns = returns_of(call, "tool_call");
  for (std::size_t i = 0; i < std::min(calls.size(), returns.size()); ++i) {
    if (calls[i]->input != returns[i]->input_after) return true;
  }
  return false;
}

bool runs_with_other_arguments(const Call& call, const Story& story) {
  return ran_after_hooks(call, story) && !equal_json(call.raw.get(), *input_after_hooks(call));
}

Complaint executes_what_hooks_left(const Call& call, const Story&) {
  return differ("execute gets other arguments than the last handler left", *input_after_hooks(call),
                begin_of(call)->args.get(), first(call, "execute_begin"));
}

bool executes_changed_arguments(const Call& call, const Story&) {
  return is_top_level(call) && has_executed(call) && has_started(call) &&
         !equal_json(begin_of(call)->args.get(), call.raw.get());
}

Complaint start_stays_raw(const Call& call, const Story&) {
  return differ("the start event does not hold the model's arguments", call.raw.get(),
                start_of(call)->args.get(), first(call, "tool_execution_start"));
}

bool has_prepared(const Call& call, const Story&) {
  return !notes_of(call, "prepare_begin").empty() && !notes_of(call, "prepare_end").empty();
}

Complaint prepares_once(const Call& call, const Story&) {
  const auto begun = notes_of(call, "prepare_begin");
  if (begun.size() != 1) return finding("preparation ran more than once", end_seen(call));
  return differ("preparation gets other arguments than the model's", call.raw.get(),
                begun.front()->data.get(), end_seen(call));
}

bool says_boolean(const Json& text, const Json& flag) {
  return flag.is_boolean() && text == (flag == true ? "true" : "false");
}

bool says_number_value(const Json& text, const Json& number) {
  if (!text.is_string() || !number.is_number()) return false;
  const auto parsed = parse_json(text.get_ref<const std::string&>());
  return parsed && parsed->is_number() && parsed->get<double>() == number.get<double>();
}

bool may_become(const Json& from, const Json& to);

bool members_may_become(const Json& from, const Json& to) {
  const auto to_members = to.items();
  const bool has_new = std::any_of(to_members.begin(), to_members.end(),
                                   [&](const auto& one) { return !from.contains(one.key()); });
  if (has_new) return false;
  const auto members = from.items();
  return std::all_of(members.begin(), members.end(), [&](const auto& one) {
    const auto found = to.find(one.key());
    return found == to.end() ? one.value().is_null() : may_become(one.value(), *found);
  });
}

/// The coercions that validation may make (PIPE-30): a text of a number or boolean, one value for a
/// list of it, a null member dropped. Whether the schema asked for them is PIPE-03's question.
bool may_become(const Json& from, const Json& to) {
  if (equal_json(from, to) || says_boolean(from, to) || says_number_value(from, to)) return true;
  if (from.is_object() && to.is_object()) return members_may_become(from, to);
  if (!to.is_array()) return false;
  if (!from.is_array()) return to.size() == 1 && may_become(from, to.front());
  if (from.size() != to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!may_become(from[i], to[i])) return false;
  }
  return true;
}

Complaint validates_what_was_prepared(const Call& call, const Story&) {
  const Json* input = validated_input(call);
  if (input == nullptr) return std::nullopt;
  if (may_become(notes_of(call, "prepare_end").back()->data.get(), *input)) return std::nullopt;
  return differ("what preparation returned is not what handlers and execute get",
                notes_of(call, "prepare_end").back()->data.get(), *input, end_seen(call));
}

bool failed_to_prepare(const Call& call, const Story&) {
  if (cause_of(call) == "prepare_failed") return true;
  return !notes_of(call, "prepare_begin").empty() && notes_of(call, "prepare_end").empty();
}

Expectation<Call> has_the_cause(std::string_view cause) {
  return [cause](const Call& call, const Story&) -> Complaint {
    if (!is_error(call)) return finding("call " + call.id + " is not an error", end_seen(call));
    return differ("cause of call " + call.id, Json(cause), cause_of(call), end_seen(call));
  };
}

bool siblings_have_ended(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  return batch == nullptr || std::ranges::all_of(calls_of(*batch, story), [](const Call* sibling) {
           return end_of(*sibling) != nullptr;
         });
}

Complaint batch_goes_on(const Call& call, const Story& story) {
  return require(siblings_have_ended(call, story), "a sibling of the failed call has no end",
                 end_seen(call));
}

bool has_unreadable_arguments(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  return !call.arguments_error.empty() && batch != nullptr && is_normal(*batch) &&
         batch->stop_reason != "length" && abort_during(call, story) < 0;
}

/// The words of whoever read the arguments: over a wire that is the engine's own client, which says
/// so in the answer as the engine has it. Empty where the engine does not show them: then only the
/// tool's name can be judged.
std::string words_of_the_parser(const Call& call, const Story& story) {
  if (!is_live(story)) return call.arguments_error;
  for (const auto index : story.answers) {
    const Event* answer = story.messages[index];
    if (answer->seq < batch_of(call, story)->response->seq) continue;
    for (const ShownCall& told : calls_in(answer->as<MessageEnd>()->message.get())) {
      if (told.id == call.id) return told.arguments_error;
    }
  }
  return "";
}

Complaint names_tool_and_cause(const Call& call, const Story& story) {
  const auto text = result_text(call);
  return require(text.find(call.name) != std::string::npos &&
                     text.find(words_of_the_parser(call, story)) != std::string::npos,
                 "the error names not both the tool and what the parser said", end_seen(call));
}

/// PIPE-17: two calls of a batch with equal raw arguments, the first changed by a handler.
bool has_equal_arguments(const Batch& batch, const Story& story) {
  const auto calls = calls_of(batch, story);
  return calls.size() >= 2 && equal_json(calls[0]->raw.get(), calls[1]->raw.get()) &&
         calls[0]->name == calls[1]->name && hooks_changed_input(*calls[0], story) &&
         validated_input(*calls[1]) != nullptr;
}

Complaint objects_are_apart(const Batch& batch, const Story& story) {
  const auto calls = calls_of(batch, story);
  return differ("a change of one call's arguments shows in another call",
                *validated_input(*calls[0]), *validated_input(*calls[1]), end_seen(*calls[1]));
}

}  // namespace

std::vector<Rule> pipe_rules() {
  return {
      rule("PIPE-02",
           "preparation runs once, on the model's arguments, and its value goes on (coerced as "
           "PIPE-30 allows); triggered by the notes prepare_begin and prepare_end around it")
          .for_each_call()
          .among({"notify"})
          .when(has_prepared)
          .expect(prepares_once)
          .expect(validates_what_was_prepared),
      rule("PIPE-04",
           "a throwing preparation ends the call alone: cause prepare_failed, no hook, no execute; "
           "triggered by that cause or a note prepare_begin without prepare_end")
          .for_each_call()
          .when(failed_to_prepare)
          .none("tool_call")
          .none("execute_begin")
          .none("tool_result")
          .expect(has_the_cause("prepare_failed"))
          .expect(batch_goes_on),
      rule("PIPE-06", "execute gets the object as the handlers left it, if they changed it")
          .for_each_call()
          .among({"hook_return"})
          .when(hooks_changed_input)
          .expect(executes_what_hooks_left),
      rule("TOOL-07",
           "execute gets what the last handler left; triggered when that is not the raw arguments")
          .for_each_call()
          .among({"hook_return"})
          .when(runs_with_other_arguments)
          .expect(executes_what_hooks_left),
      rule("PIPE-09",
           "tool_execution_start holds the provider's arguments although execute got others")
          .for_each_call()
          .when(executes_changed_arguments)
          .expect(start_stays_raw),
      rule("PIPE-15",
           "a call with argumentsError is an error that names tool and cause, and does not run")
          .for_each_call()
          .when(has_unreadable_arguments)
          .none("tool_call")
          .none("execute_begin")
          .expect(has_the_cause("invalid_arguments"))
          .expect(names_tool_and_cause),
      rule("PIPE-17",
           "two calls with equal arguments: a handler's change of the first is not in the second")
          .for_each_batch()
          .when(has_equal_arguments)
          .expect(objects_are_apart),
  };
}

}  // namespace plumb::invariants
