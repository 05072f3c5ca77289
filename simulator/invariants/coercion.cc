// SPDX-License-Identifier: Apache-2.0
// Arguments that are fitted to the schema before they are checked (PIPE-12, pi-1.6.0).
#include <algorithm>
#include <optional>
#include <string>

#include "engine/values/json_schema.h"
#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

bool has_simple_type(const Json& schema, const char* name) {
  return at(schema, "type") == name;
}

bool is_numeric(const Json& schema) {
  return has_simple_type(schema, "number") || has_simple_type(schema, "integer");
}

bool is_accepted(const Json& schema, const Json& value) {
  const auto compiled = compile_schema(schema);
  return compiled && compiled->accepts(value);
}

/// A number as a model may write it in a text.
std::optional<Json> number_in(const std::string& text) {
  const bool has_edges = !text.empty() && std::string_view("-0123456789").contains(text.front()) &&
                         std::string_view("0123456789").contains(text.back());
  if (!has_edges) return std::nullopt;
  auto number = parse_json(text);
  return number && number->is_number() ? std::optional(*std::move(number)) : std::nullopt;
}

/// The value as one of the schema's simple type, if the rule has a way; else nothing.
std::optional<Json> as_simple(const Json& schema, const Json& value) {
  if (value.is_string() && is_numeric(schema)) return number_in(value.get<std::string>());
  if ((value == "true" || value == "false") && has_simple_type(schema, "boolean")) {
    return Json(value == "true");
  }
  if (value.is_number_integer() && has_simple_type(schema, "string")) return dump_json(value);
  return std::nullopt;
}

/// What execute must get for a member; nothing where the rule does not say.
std::optional<Json> fitted_member(const Json& schema, const Json& value) {
  if (is_accepted(schema, value)) return value;
  if (has_simple_type(schema, "array") && !value.is_array() && !value.is_null()) {
    const auto element = fitted_member(at(schema, "items"), value);
    if (!element) return std::nullopt;
    Json list = Json::array();
    list.push_back(*element);
    return list;
  }
  auto simple = as_simple(schema, value);
  return simple && is_accepted(schema, *simple) ? simple : std::nullopt;
}

/// `is_known`: each member fits, or the rule says what becomes of it. `is_refused`: a number is
/// asked for and a text that is none was given.
struct FittedArguments {
  Json arguments;
  bool is_known = true;
  bool is_refused = false;
};

void fit_member(FittedArguments& fitted, const std::string& key, const Json& schema,
                bool is_required) {
  const Json value = fitted.arguments[key];
  if (value.is_null() && !is_required && !is_accepted(schema, value)) {
    fitted.arguments.erase(key);
    return;
  }
  const auto member = fitted_member(schema, value);
  if (member) {
    fitted.arguments[key] = *member;
    return;
  }
  fitted.is_known = false;
  fitted.is_refused = fitted.is_refused || (value.is_string() && is_numeric(schema));
}

/// By the declared parameters: members that have a schema of their own.
FittedArguments fitted_arguments(const Call& call, const Story& story) {
  FittedArguments fitted{call.raw.get(), true, false};
  const Json* tool = tool_of(call, story);
  if (tool == nullptr) return fitted;
  const Json& parameters = at(*tool, "parameters");
  const auto required = strings_in(at(parameters, "required"));
  for (const auto& [key, value] : call.raw.get().items()) {
    const Json& schema = at(at(parameters, "properties"), key);
    if (schema.is_object()) fit_member(fitted, key, schema, contains(required, key));
  }
  return fitted;
}

/// Nothing prepared, blocked or cut the call.
bool is_plainly_validated(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  const Json* tool = tool_of(call, story);
  if (tool != nullptr && at(*tool, "prepares") == true) return false;
  return batch != nullptr && is_normal(*batch) && batch->stop_reason != "length" &&
         is_declared(call, story) && call.arguments_error.empty() && start_of(call) != nullptr &&
         call.raw.get().is_object() && all(call, "notify").empty() && abort_during(call, story) < 0;
}

bool needs_fitting(const Call& call, const Story& story) {
  if (story.is_edition("seed") || !is_plainly_validated(call, story)) return false;
  const auto wanted = fitted_arguments(call, story);
  return wanted.is_refused || (wanted.is_known && wanted.arguments != call.raw.get());
}

Complaint gets_fitted_arguments(const Call& call, const Story& story) {
  const auto wanted = fitted_arguments(call, story);
  const Json* input = validated_input(call);
  const Event* end = first(call, "tool_execution_end");
  if (wanted.is_refused) {
    return require(input == nullptr && is_error(call),
                   "a text that is no number is not refused where one is asked for", end);
  }
  if (input == nullptr) return finding("arguments that can be fitted are refused", end);
  return differ("the validated arguments are not those that fit the schema", wanted.arguments,
                *input, first(call, "tool_execution_start"));
}

Complaint models_arguments_stay(const Call& call, const Story&) {
  return differ("the model's own arguments are changed", call.raw.get(), start_of(call)->args.get(),
                first(call, "tool_execution_start"));
}

}  // namespace

std::vector<Rule> coercion_rules() {
  return {
      rule("PIPE-12",
           "in pi-1.6.0 texts that are numbers or booleans, single values for lists, numbers for "
           "texts and null of what is optional are fitted to the schema on a copy; another text "
           "for a number is refused")
          .for_each_call()
          .when(needs_fitting)
          .expect(gets_fitted_arguments)
          .expect(models_arguments_stay),
  };
}

}  // namespace plumb::invariants
