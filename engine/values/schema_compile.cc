// SPDX-License-Identifier: Apache-2.0
// Compiles a schema into nodes. A list of nodes to fill replaces recursion, so that a long chain of
// references costs no stack.
#include <algorithm>
#include <unordered_map>

#include "engine/values/schema_index.h"

namespace plumb {

namespace {

// Deeper than the reader allows, as code can build it, nothing here may recurse into it.
bool is_schema_too_deep(const Json& value, std::int64_t depth) {
  if (!value.is_structured()) return false;
  if (depth == 0) return true;
  return std::ranges::any_of(
      value, [depth](const Json& child) { return is_schema_too_deep(child, depth - 1); });
}

std::uint8_t type_bit(std::string_view name) {
  if (name == "null") return kSchemaNull;
  if (name == "boolean") return kSchemaBoolean;
  if (name == "integer") return kSchemaInteger;
  if (name == "number") return kSchemaNumber;
  if (name == "string") return kSchemaString;
  if (name == "array") return kSchemaArray;
  return name == "object" ? kSchemaObject : 0;
}

/// One compilation. The first refusal is kept in `error_`; the rest of the work is then harmless.
class SchemaCompiler final {
 public:
  SchemaCompiler(SchemaProgram& program, const SchemaOptions& options)
      : program_(program), options_(options), index_(program, options) {}

  std::optional<Error> compile(Json schema) {
    SchemaResource& root = index_.add_document(std::move(schema), "");
    program_.root = node_for(*root.root, root);
    do {
      fill_waiting();
    } while (add_dynamic_nodes());
    return std::move(error_);
  }

 private:
  struct Waiting {
    SchemaNode* node;
    SchemaResource* resource;
  };

  void refuse(const Json& at, std::string message, ErrorCode code = ErrorCode::rejected) {
    if (!error_) error_ = Error{code, std::move(message), index_.locate(at)};
  }

  const SchemaNode* node_for(const Json& schema, SchemaResource& fallback) {
    if (const auto known = nodes_.find(&schema); known != nodes_.end()) return known->second;
    program_.nodes.push_back(std::make_unique<SchemaNode>());
    SchemaNode* const node = program_.nodes.back().get();
    node->source = &schema;
    nodes_[&schema] = node;
    waiting_.push_back({node, &index_.owner_of(schema, fallback)});
    return node;
  }

  void fill_waiting() {
    while (!waiting_.empty() && !error_) {
      const Waiting next = waiting_.back();
      waiting_.pop_back();
      fill(*next.node, *next.resource);
    }
  }

  // The targets that a dynamic reference may choose at run time; true when there is more to fill.
  bool add_dynamic_nodes() {
    if (!has_dynamic_references_ || error_) return false;
    for (std::size_t i = 0; i < program_.resources.size(); ++i) {
      SchemaResource& resource = *program_.resources[i];
      if (resource.has_recursive_anchor) resource.root_node = node_for(*resource.root, resource);
      for (const auto& [name, schema] : resource.dynamic_anchors) {
        resource.dynamic_nodes[name] = node_for(*schema, resource);
      }
    }
    return !waiting_.empty();
  }

  void fill(SchemaNode& node, SchemaResource& resource) {
    const Json& schema = *node.source;
    node.resource = &resource;
    if (schema.is_boolean()) {
      node.boolean = schema.get<bool>();
      return;
    }
    if (!schema.is_object()) return refuse(schema, "expected a schema: an object or a boolean");
    if (const Json* reference = member(node, "$ref")) {
      node.reference = follow(*reference, resource).first;
      if (resource.draft == SchemaDraft::draft_7) return;
    }
    fill_dynamic_reference(node, resource);
    if (resource.has_validation_vocabulary) fill_assertions(node);
    fill_format(node);
    fill_items(node, resource);
    fill_properties(node, resource);
    fill_combinations(node, resource);
    fill_dependencies(node, resource);
    fill_unevaluated(node, resource);
  }

  static const Json* member(const SchemaNode& node, std::string_view key) {
    return schema_member(*node.source, key);
  }

  std::pair<const SchemaNode*, std::string> follow(const Json& reference, SchemaResource& from) {
    const auto* const text = reference.get_ptr<const std::string*>();
    if (text == nullptr) {
      refuse(reference, "expected a string");
      return {};
    }
    auto target = index_.resolve(from, *text);
    if (!target) {
      refuse(reference, "reference '" + *text + "' leads nowhere");
      return {};
    }
    return {node_for(*target->schema, *target->resource), std::move(target->anchor)};
  }

  void fill_dynamic_reference(SchemaNode& node, SchemaResource& resource) {
    const Json* const dynamic = member(node, "$dynamicRef");
    if (resource.draft == SchemaDraft::draft_2020_12 && dynamic != nullptr) {
      has_dynamic_references_ = true;
      auto [target, anchor] = follow(*dynamic, resource);
      node.dynamic_reference = target;
      if (target == nullptr || anchor.empty()) return;
      // Without a dynamic anchor of that name at its first target it is a plain reference.
      const SchemaResource& owner = index_.owner_of(*target->source, resource);
      if (owner.dynamic_anchors.contains(anchor)) node.dynamic_anchor = std::move(anchor);
    }
    if (resource.draft == SchemaDraft::draft_2019_09 && member(node, "$recursiveRef") != nullptr) {
      has_dynamic_references_ = true;
      node.dynamic_reference = node_for(*resource.root, resource);
      node.is_recursive_reference = true;
    }
  }

  void fill_assertions(SchemaNode& node) {
    fill_types(node);
    node.constant = member(node, "const");
    node.enumeration = member(node, "enum");
    if (node.enumeration != nullptr && !node.enumeration->is_array()) {
      refuse(*node.enumeration, "expected an array");
    }
    read(node, "minimum", node.numbers.minimum);
    read(node, "maximum", node.numbers.maximum);
    read(node, "exclusiveMinimum", node.numbers.exclusive_minimum);
    read(node, "exclusiveMaximum", node.numbers.exclusive_maximum);
    read(node, "multipleOf", node.numbers.multiple_of);
    if (node.numbers.multiple_of && *node.numbers.multiple_of <= 0) {
      refuse(*member(node, "multipleOf"), "expected a number above 0");
    }
    read_counts(node, "Length", node.length);
    read_counts(node, "Items", node.items_count);
    read_counts(node, "Properties", node.properties_count);
    if (const Json* unique = member(node, "uniqueItems")) {
      if (!unique->is_boolean()) return refuse(*unique, "expected a boolean");
      node.has_unique_items = unique->get<bool>();
    }
    if (const Json* required = member(node, "required")) node.required = strings(*required);
    if (const Json* pattern = member(node, "pattern")) fill_pattern(node, *pattern);
  }

  void fill_types(SchemaNode& node) {
    const Json* const type = member(node, "type");
    if (type == nullptr) return;
    node.types = 0;
    const auto names = type->is_array() ? strings(*type) : strings(Json::array({*type}), *type);
    for (const std::string& name : names) {
      const std::uint8_t bit = type_bit(name);
      node.types = static_cast<std::uint8_t>(*node.types | bit);
      if (bit == 0)
        diagnose(*type, "type", "type '" + name + "' is not JSON's and matches nothing");
    }
  }

  void diagnose(const Json& at, std::string keyword, std::string message) {
    program_.diagnostics.push_back({index_.locate(at), std::move(keyword), std::move(message)});
  }

  void fill_pattern(SchemaNode& node, const Json& pattern) {
    const auto* const source = pattern.get_ptr<const std::string*>();
    if (source == nullptr) return refuse(pattern, "expected a string");
    node.pattern = compile_pattern(*source, pattern, "pattern");
  }

  std::optional<EcmaPattern> compile_pattern(const std::string& source, const Json& at,
                                             std::string keyword) {
    auto pattern = EcmaPattern::compile(source);
    if (pattern) return *std::move(pattern);
    if (options_.skip_bad_patterns) {
      diagnose(at, std::move(keyword), pattern.error().message);
    } else {
      refuse(at, pattern.error().message);
    }
    return {};
  }

  void read(const SchemaNode& node, std::string_view keyword, std::optional<double>& out) {
    const Json* const value = member(node, keyword);
    if (value == nullptr) return;
    if (!value->is_number()) return refuse(*value, "expected a number");
    out = value->get<double>();
  }

  void read_counts(const SchemaNode& node, const std::string& what, SchemaCounts& counts) {
    read(node, "min" + what, counts.min);
    read(node, "max" + what, counts.max);
  }

  std::vector<std::string> strings(const Json& list) { return strings(list, list); }

  std::vector<std::string> strings(const Json& list, const Json& at) {
    const bool is_list = list.is_array() && std::ranges::all_of(list, &Json::is_string);
    if (!is_list) {
      refuse(at, "expected an array of strings");
      return {};
    }
    return list.get<std::vector<std::string>>();
  }

  void fill_format(SchemaNode& node) {
    const Json* const format = member(node, "format");
    if (format != nullptr && format->is_string()) node.format = format->get<std::string>();
  }

  const SchemaNode* child(const SchemaNode& node, std::string_view keyword,
                          SchemaResource& resource) {
    const Json* const schema = member(node, keyword);
    return schema == nullptr ? nullptr : node_for(*schema, resource);
  }

  std::vector<const SchemaNode*> children(const SchemaNode& node, std::string_view keyword,
                                          SchemaResource& resource) {
    const Json* const list = member(node, keyword);
    if (list == nullptr) return {};
    if (!list->is_array()) {
      refuse(*list, "expected an array of schemas");
      return {};
    }
    std::vector<const SchemaNode*> nodes;
    for (const Json& schema : *list) nodes.push_back(node_for(schema, resource));
    return nodes;
  }

  // A tuple as draft 7 writes it (`items` a list) is read under every draft: generators of tool
  // schemas mix it with newer keywords.
  void fill_items(SchemaNode& node, SchemaResource& resource) {
    const Json* const items = member(node, "items");
    const bool is_2020 = resource.draft == SchemaDraft::draft_2020_12;
    if (is_2020) node.prefix_items = children(node, "prefixItems", resource);
    if (items != nullptr && !items->is_array()) {
      node.items = node_for(*items, resource);
    } else if (items != nullptr && node.prefix_items.empty()) {
      node.prefix_items = children(node, "items", resource);
      node.items = child(node, "additionalItems", resource);
    }
    node.contains = child(node, "contains", resource);
    if (resource.draft != SchemaDraft::draft_7 && resource.has_validation_vocabulary) {
      read_counts(node, "Contains", node.contains_count);
    }
  }

  void fill_properties(SchemaNode& node, SchemaResource& resource) {
    if (const Json* properties = object_member(node, "properties")) {
      for (const auto& property : properties->items()) {
        node.properties[property.key()] = node_for(property.value(), resource);
      }
    }
    if (const Json* patterns = object_member(node, "patternProperties")) {
      for (const auto& entry : patterns->items()) {
        auto pattern = compile_pattern(entry.key(), entry.value(), "patternProperties");
        const SchemaNode* const schema = node_for(entry.value(), resource);
        if (pattern) node.pattern_properties.emplace_back(*std::move(pattern), schema);
      }
    }
    node.additional_properties = child(node, "additionalProperties", resource);
    node.property_names = child(node, "propertyNames", resource);
  }

  const Json* object_member(const SchemaNode& node, std::string_view keyword) {
    const Json* const value = member(node, keyword);
    if (value == nullptr || value->is_object()) return value;
    refuse(*value, "expected an object");
    return nullptr;
  }

  void fill_combinations(SchemaNode& node, SchemaResource& resource) {
    node.all_of = children(node, "allOf", resource);
    node.any_of = children(node, "anyOf", resource);
    node.one_of = children(node, "oneOf", resource);
    node.negated = child(node, "not", resource);
    node.condition = child(node, "if", resource);
    if (node.condition == nullptr) return;
    node.consequence = child(node, "then", resource);
    node.alternative = child(node, "else", resource);
  }

  void fill_dependencies(SchemaNode& node, SchemaResource& resource) {
    for (const std::string_view keyword :
         {"dependencies", "dependentRequired", "dependentSchemas"}) {
      const bool is_newer = keyword != "dependencies";
      if (is_newer && resource.draft == SchemaDraft::draft_7) continue;
      const Json* const entries = object_member(node, keyword);
      if (entries == nullptr) continue;
      for (const auto& entry : entries->items()) {
        node.dependencies.push_back(dependency_of(entry.key(), entry.value(), resource));
      }
    }
  }

  SchemaDependency dependency_of(const std::string& property, const Json& needed,
                                 SchemaResource& resource) {
    SchemaDependency dependency{property, {}, nullptr};
    if (needed.is_array()) {
      dependency.required = strings(needed);
    } else {
      dependency.schema = node_for(needed, resource);
    }
    return dependency;
  }

  void fill_unevaluated(SchemaNode& node, SchemaResource& resource) {
    if (resource.draft == SchemaDraft::draft_7) return;
    node.unevaluated_items = child(node, "unevaluatedItems", resource);
    node.unevaluated_properties = child(node, "unevaluatedProperties", resource);
    if (node.unevaluated_items != nullptr || node.unevaluated_properties != nullptr) {
      program_.tracks_evaluated = true;
    }
  }

  SchemaProgram& program_;
  const SchemaOptions& options_;
  SchemaIndex index_;
  std::unordered_map<const Json*, SchemaNode*> nodes_;  // Looked up only, never iterated.
  std::vector<Waiting> waiting_;
  bool has_dynamic_references_ = false;
  std::optional<Error> error_;
};

}  // namespace

Result<JsonSchema> compile_schema(const Json& schema, const SchemaOptions& options) {
  if (is_schema_too_deep(schema, kJsonDepthMax)) {
    return fail(ErrorCode::exhausted,
                "schema nested deeper than " + std::to_string(kJsonDepthMax) + " levels");
  }
  auto program = std::make_shared<SchemaProgram>();
  program->asserts_formats = options.assert_formats;
  if (auto error = SchemaCompiler(*program, options).compile(schema)) {
    return std::unexpected(*std::move(error));
  }
  return JsonSchema(std::move(program));
}

std::vector<SchemaError> JsonSchema::validate(const Json& value) const {
  // The quiet run is the fast one, and nearly every value fits.
  std::vector<SchemaError> errors;
  if (!accepts(value)) run_schema(*program_, value, &errors);
  return errors;
}

bool JsonSchema::accepts(const Json& value) const {
  return run_schema(*program_, value, nullptr);
}

const std::vector<SchemaError>& JsonSchema::diagnostics() const {
  return program_->diagnostics;
}

const Json& JsonSchema::source() const {
  return *program_->documents.front();
}

}  // namespace plumb
