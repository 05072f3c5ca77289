// SPDX-License-Identifier: Apache-2.0
#include "engine/values/coercion.h"

#include <algorithm>

#include "engine/values/schema_program.h"
#include "engine/values/schema_values.h"

namespace plumb {

namespace {

std::optional<Json> number_of_text(const std::string& text) {
  const auto is_edge = [](char c) { return (c >= '0' && c <= '9') || c == '-'; };
  if (text.empty() || !is_edge(text.front()) || !is_edge(text.back())) return {};
  auto number = parse_json(text);
  return number && number->is_number() ? std::optional(*std::move(number)) : std::nullopt;
}

std::optional<Json> scalar_of_text(const std::string& text, std::uint8_t types) {
  if (auto number = number_of_text(text); number && (types_of(*number) & types) != 0) return number;
  const bool is_boolean = text == "true" || text == "false";
  if (is_boolean && (types & kSchemaBoolean) != 0) return Json(text == "true");
  return {};
}

class Coercer final {
 public:
  explicit Coercer(const SchemaProgram& program) : program_(program) {}

  void coerce(const SchemaNode& node, Json& value) {
    // Unions of recursive schemas could be tried without end.
    if (node.boolean || depth_ == kJsonDepthMax || steps_ == kCoercionStepsMax) return;
    ++steps_;
    if (fits(node, value)) return;
    ++depth_;
    if (node.reference != nullptr) coerce(*node.reference, value);
    if (node.dynamic_reference != nullptr) coerce(*node.dynamic_reference, value);
    for (const SchemaNode* const schema : node.all_of) coerce(*schema, value);
    coerce_union(node.any_of, value);
    coerce_union(node.one_of, value);
    coerce_type(node, value);
    if (value.is_object()) coerce_members(node, value);
    if (value.is_array()) coerce_elements(node, value);
    --depth_;
  }

 private:
  bool fits(const SchemaNode& node, const Json& value) const {
    return run_schema_node(program_, node, value);
  }

  void coerce_union(const std::vector<const SchemaNode*>& alternatives, Json& value) {
    const auto fits_value = [&](const SchemaNode* schema) { return fits(*schema, value); };
    if (std::ranges::any_of(alternatives, fits_value)) return;
    for (const SchemaNode* const schema : alternatives) {
      Json candidate = value;
      coerce(*schema, candidate);
      if (!fits(*schema, candidate)) continue;
      value = std::move(candidate);
      return;
    }
  }

  static void coerce_type(const SchemaNode& node, Json& value) {
    if (!node.types || (types_of(value) & *node.types) != 0) return;
    const auto* const text = value.get_ptr<const std::string*>();
    auto scalar = text != nullptr ? scalar_of_text(*text, *node.types) : std::nullopt;
    if (scalar) {
      value = *std::move(scalar);
    } else if ((*node.types & kSchemaArray) != 0 && !value.is_null()) {
      Json element = std::move(value);
      value = Json::array();
      value.push_back(std::move(element));
    }
  }

  void coerce_members(const SchemaNode& node, Json& object) {
    for (const auto& [key, schema] : node.properties) {
      const auto member = object.find(key);
      if (member == object.end()) continue;
      const bool is_required = std::ranges::find(node.required, key) != node.required.end();
      if (member->is_null() && !is_required && !fits(*schema, *member)) {
        object.erase(member);
      } else {
        coerce(*schema, *member);
      }
    }
    for (auto member = object.begin(); member != object.end(); ++member) {
      if (!node.properties.contains(member.key()))
        coerce_unnamed(node, member.key(), member.value());
    }
  }

  // A property that only a pattern or additionalProperties speaks of.
  void coerce_unnamed(const SchemaNode& node, const std::string& key, Json& value) {
    bool is_known = false;
    for (const auto& [pattern, schema] : node.pattern_properties) {
      if (!pattern.search(key).value_or(false)) continue;
      is_known = true;
      coerce(*schema, value);
    }
    if (!is_known && node.additional_properties != nullptr) {
      coerce(*node.additional_properties, value);
    }
  }

  void coerce_elements(const SchemaNode& node, Json& array) {
    for (std::size_t i = 0; i < array.size(); ++i) {
      const bool is_prefix = i < node.prefix_items.size();
      const SchemaNode* const schema = is_prefix ? node.prefix_items[i] : node.items;
      if (schema != nullptr) coerce(*schema, array[i]);
    }
  }

  const SchemaProgram& program_;
  std::int64_t depth_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

Json coerce_arguments(const Json& arguments, const JsonSchema& schema) {
  Json copy = arguments;
  Coercer(schema.program()).coerce(*schema.program().root, copy);
  return copy;
}

Json coerce_arguments(const Json& arguments, const Json& schema) {
  const auto compiled = compile_schema(schema);
  return compiled ? coerce_arguments(arguments, *compiled) : arguments;
}

}  // namespace plumb
