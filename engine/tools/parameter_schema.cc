// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/parameter_schema.h"

#include <utility>

#include "engine/values/coercion.h"
#include "engine/values/json_schema.h"

namespace plumb::engine {
namespace {

/// Borrowed from `root`; null when the pointer leads nowhere.
Json* find_place(Json& root, const std::string& pointer) {
  // Not const underneath: the root is ours.
  return const_cast<Json*>(find_pointer(std::as_const(root), pointer));
}

bool has_error_at(const std::vector<SchemaError>& errors, const std::string& path) {
  for (const auto& error : errors) {
    if (error.path == path && error.keyword == "type") return true;
  }
  return false;
}

/// Numbers, booleans and null as their text, where that is what the schema asks for (PIPE-12).
Json with_texts(Json value, const JsonSchema& schema) {
  for (const auto& error : schema.validate(value)) {
    Json* const place = error.keyword == "type" ? find_place(value, error.path) : nullptr;
    if (place == nullptr || place->is_structured() || place->is_string()) continue;
    const Json before = std::exchange(*place, Json(dump_json(*place)));
    if (has_error_at(schema.validate(value), error.path)) *find_place(value, error.path) = before;
  }
  return value;
}

}  // namespace

struct ParameterSchema::State {
  explicit State(JsonSchema compiled) : schema(std::move(compiled)) {}
  JsonSchema schema;
};

ParameterSchema::ParameterSchema(std::unique_ptr<State> state) : state_(std::move(state)) {}

ParameterSchema::~ParameterSchema() = default;

Result<std::shared_ptr<const ParameterSchema>> ParameterSchema::compile(const SharedJson& schema) {
  auto compiled = compile_schema(schema.get());
  if (!compiled) {
    const Error& error = compiled.error();
    const std::string at = error.where.empty() ? "" : " at " + error.where;
    return fail(ErrorCode::invalid, error.message + at);
  }
  auto state = std::make_unique<State>(*std::move(compiled));
  return std::shared_ptr<const ParameterSchema>(new ParameterSchema(std::move(state)));
}

Json ParameterSchema::coerce(Json value, CoercionProfile profile) const {
  Json coerced = coerce_arguments(value, state_->schema);
  return profile == CoercionProfile::text ? with_texts(std::move(coerced), state_->schema)
                                          : coerced;
}

bool ParameterSchema::accepts(const Json& value) const {
  return state_->schema.accepts(value);
}

std::vector<SchemaIssue> ParameterSchema::check(const Json& value) const {
  std::vector<SchemaIssue> issues;
  for (auto& error : state_->schema.validate(value)) {
    issues.push_back(SchemaIssue{std::move(error.path), std::move(error.message)});
  }
  return issues;
}

}  // namespace plumb::engine
