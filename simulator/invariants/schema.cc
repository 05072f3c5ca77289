// SPDX-License-Identifier: Apache-2.0
// Rules that ask the tool's declared schema.
#include <algorithm>
#include <optional>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Json& parameters_of(const Call& call, const Story& story) {
  static const Json kNone;
  const Json* tool = tool_of(call, story);
  return tool == nullptr ? kNone : at(*tool, "parameters");
}

/// Nothing when the schema is not known or can not be used: then nothing can be judged by it.
std::optional<bool> fits_schema(const Call& call, const Json& value, const Story& story) {
  const Json& parameters = parameters_of(call, story);
  if (!parameters.is_object()) return std::nullopt;
  const JsonSchema* schema = story.schema(parameters);
  if (schema == nullptr) return std::nullopt;
  return schema->accepts(value);
}

const Event* input_event(const Call& call) {
  const Event* hook = first(call, "tool_call");
  return hook != nullptr ? hook : first(call, "execute_begin");
}

bool lets_invalid_input_pass(const Call& call, const Story& story) {
  const Json* input = validated_input(call);
  return input != nullptr && fits_schema(call, *input, story) == false;
}

bool is_invalid(const Call& call, const Story& story) {
  return cause_of(call) == "invalid_arguments" || lets_invalid_input_pass(call, story);
}

Complaint input_is_valid(const Call& call, const Story& story) {
  return require(!lets_invalid_input_pass(call, story),
                 "handlers or execute get arguments that do not fit the schema", input_event(call));
}

Complaint is_refused(const Call& call, const Story&) {
  const Event* end = first(call, "tool_execution_end");
  if (end == nullptr) return finding("call " + call.id + " has no end", nullptr);
  return require(is_error(call), "invalid arguments are no error", end);
}

bool passes_all_steps(const Call& call, const Story&) {
  return has_executed(call) && count(call, "tool_call") > 0;
}

/// Handlers left a value that the schema refuses although it accepted what they were given.
bool became_invalid(const Call& call, const Story& story) {
  const Json* before_hooks = validated_input(call);
  const Json* after_hooks = input_after_hooks(call);
  if (after_hooks == nullptr || stopper_of(call) != nullptr) return false;
  if (abort_during(call, story) >= 0) return false;
  return fits_schema(call, *before_hooks, story) == true &&
         fits_schema(call, *after_hooks, story) == false;
}

Complaint runs_unchanged(const Call& call, const Story&) {
  const Event* begun = first(call, "execute_begin");
  if (begun == nullptr) {
    return finding("the arguments were checked again after the handlers",
                   first(call, "tool_execution_end"));
  }
  return differ("execute gets other arguments than the handlers left", *input_after_hooks(call),
                begin_of(call)->args.get(), begun);
}

// ------------------------------------------------------------------ PIPE-30

bool is_required(const Json& schema, const std::string& key) {
  return contains(strings_in(at(schema, "required")), key);
}

/// Whether a value that is no string stands where the schema asks for a string. Null of an optional
/// property does not count: it may be dropped.
bool asks_string_of_other(const Json& schema, const Json& value) {
  if (view_at(schema, "type") == "string") return !value.is_string();
  if (value.is_array()) {
    const Json& items = at(schema, "items");
    return std::ranges::any_of(value,
                               [&](const Json& item) { return asks_string_of_other(items, item); });
  }
  const auto* members = value.get_ptr<const Json::object_t*>();
  if (members == nullptr) return false;
  const Json& properties = at(schema, "properties");
  return std::ranges::any_of(*members, [&](const auto& one) {
    const auto& [key, part] = one;
    const bool may_drop = part.is_null() && !is_required(schema, key);
    return !may_drop && asks_string_of_other(at(properties, key), part);
  });
}

/// What validation was given: what the preparation returned, else the raw arguments; null when the
/// preparation did not return.
const Json* unvalidated(const Call& call) {
  const Json* value = &call.raw.get();
  for (const Event* event : call.events) {
    const auto* note = event->as<Notify>();
    if (note == nullptr) continue;
    if (note->topic == "prepare_begin") value = nullptr;
    if (note->topic == "prepare_end") value = &note->data.get();
  }
  return value;
}

bool needs_a_string(const Call& call, const Story& story) {
  const Json* value = unvalidated(call);
  return story.is_edition("seed") && is_declared(call, story) && value != nullptr &&
         call.arguments_error.empty() && abort_during(call, story) < 0 &&
         is_normal(*batch_of(call, story)) && batch_of(call, story)->stop_reason != "length" &&
         asks_string_of_other(parameters_of(call, story), *value);
}

Complaint is_invalid_arguments(const Call& call, const Story&) {
  const Event* end = first(call, "tool_execution_end");
  if (has_executed(call)) {
    return finding("a value was turned into a string", first(call, "execute_begin"));
  }
  return differ("cause of call " + call.id, Json("invalid_arguments"), cause_of(call), end);
}

}  // namespace

std::vector<Rule> schema_rules() {
  return {
      rule("PIPE-01",
           "start, tool_call handlers on arguments that fit the schema, execute, tool_result, end: "
           "in this order for each call with handlers that executes")
          .for_each_call()
          .among({"tool_call"})
          .when(passes_all_steps)
          .expect(input_is_valid)
          .exactly_one("execute_begin")
          .order({"tool_execution_start", "tool_call", "tool_call_return", "execute_begin",
                  "execute_end", "tool_execution_end"})
          .order_of_present({"execute_end", "tool_result", "tool_execution_end"}),
      rule("PIPE-03",
           "arguments that do not fit the schema end the call: no hook, no execute, an error")
          .for_each_call()
          .when(is_invalid)
          .none("tool_call")
          .none("execute_begin")
          .none("tool_result")
          .expect(is_refused),
      rule("PIPE-07",
           "execute gets what the handlers left although the schema refuses it; triggered by a "
           "handler that makes fitting arguments unfit")
          .for_each_call()
          .among({"hook_return"})
          .when(became_invalid)
          .expect(runs_unchanged),
      rule("PIPE-30",
           "a value that is no string where the schema asks for one is refused as "
           "invalid_arguments, never turned into text")
          .for_each_call()
          .when(needs_a_string)
          .none("execute_begin")
          .none("tool_call")
          .expect(is_invalid_arguments),
  };
}

}  // namespace plumb::invariants
