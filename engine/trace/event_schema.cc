// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of traces, made from the same field lists as reader and writer.
#include <array>
#include <type_traits>
#include <utility>

#include "engine/trace/event_json.h"
#include "engine/trace/event_members.h"
#include "engine/trace/visit_payload.h"

namespace plumb {
namespace {

constexpr std::array<std::string_view, 5> kSchemaSources{"engine", "port", "llm", "host", "probe"};
constexpr std::array<std::string_view, 3> kSchemaZones{"system", "tools", "messages"};
constexpr std::array<std::string_view, 3> kSchemaDeterminisms{"hermetic", "replayed", "live"};

struct SchemaWriter {
  Json& properties;

  void set(std::string_view name, Json schema) const {
    properties[std::string(name)] = std::move(schema);
  }
  void operator()(std::string_view name, const std::string&) const {
    set(name, {{"type", "string"}});
  }
  void operator()(std::string_view name, const PrefixHash&) const {
    set(name, {{"type", "string"}});
  }
  void operator()(std::string_view name, std::int64_t) const { set(name, {{"type", "integer"}}); }
  void operator()(std::string_view name, bool) const { set(name, {{"type", "boolean"}}); }
  void operator()(std::string_view name, const SharedJson&) const { set(name, true); }
  void operator()(std::string_view name, const std::vector<std::string>&) const {
    set(name, {{"type", "array"}, {"items", {{"type", "string"}}}});
  }
  void operator()(std::string_view name, const std::vector<RequestBlock>&) const {
    set(name, {{"type", "array"}, {"items", {{"$ref", "#/$defs/block"}}}});
  }
};

/// Members that an event of the kind must have, in the order of its fields.
struct RequiredWriter {
  Json& required;
  std::string_view kind;

  void operator()(std::string_view name, [[maybe_unused]] const auto& value) const {
    using Value = std::remove_cvref_t<decltype(value)>;
    if (kIsAlwaysWritten<Value> || is_required_member(kind, name)) required.push_back(name);
  }
};

template <class T>
Json kind_schema() {
  Json properties;
  properties["seq"] = {{"type", "integer"}, {"minimum", 0}};
  properties["at"] = {{"type", "integer"}, {"minimum", 0}};
  properties["src"] = {{"enum", kSchemaSources}};
  properties["kind"] = {{"const", T::kKind}};
  properties["call"] = {{"type", "string"}};
  properties["cause"] = {{"type", "integer"}};
  const T value;
  T::fields(value, SchemaWriter{properties});
  Json required = Json::array({"seq", "at", "src", "kind"});
  if (is_required_member(T::kKind, "call")) required.push_back("call");
  T::fields(value, RequiredWriter{required, T::kKind});
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

Json header_schema() {
  const Json text = {{"type", "string"}};
  return {
      {"type", "object"},
      {"properties",
       {{"schema", {{"const", kTraceSchema}}},
        {"subject", {{"type", "string"}, {"minLength", 1}}},
        {"engine", {{"enum", {"session", "durable"}}}},
        {"edition", {{"enum", {"seed", "pi-1.6.0"}}}},
        {"seed", {{"type", "integer"}, {"minimum", 0}}},
        {"determinism", {{"enum", kSchemaDeterminisms}}},
        {"clock", {{"enum", {"virtual", "real"}}}},
        {"emits", {{"type", "array"}, {"items", {{"enum", kEventKinds}}}, {"uniqueItems", true}}},
        {"declares", {{"type", "object"}, {"additionalProperties", text}}}}},
      {"required", {"schema", "subject", "engine", "edition", "seed", "determinism", "clock"}},
      {"additionalProperties", false}};
}

}  // namespace

Json trace_schema() {
  Json defs;
  defs["header"] = header_schema();
  defs["block"] = {{"type", "object"},
                   {"properties", {{"zone", {{"enum", kSchemaZones}}}, {"body", true}}},
                   {"required", {"zone", "body"}},
                   {"additionalProperties", false}};
  defs["end"] = {{"type", "object"},
                 {"properties",
                  {{"end", {{"const", true}}}, {"events", {{"type", "integer"}, {"minimum", 0}}}}},
                 {"required", {"end", "events"}},
                 {"additionalProperties", false}};
  Json lines = Json::array({{{"$ref", "#/$defs/header"}}, {{"$ref", "#/$defs/end"}}});
  for_each_kind([&defs]<class Kind>(std::type_identity<Kind>) {
    defs[std::string(Kind::kKind)] = kind_schema<Kind>();
  });
  for (const auto kind : kEventKinds) {
    lines.push_back({{"$ref", "#/$defs/" + std::string(kind)}});
  }
  Json schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["$id"] = "urn:plumbline:trace:1";
  schema["title"] = "One line of a plumbline trace: the header first, then events, the end last";
  schema["oneOf"] = std::move(lines);
  schema["$defs"] = std::move(defs);
  return schema;
}

}  // namespace plumb
