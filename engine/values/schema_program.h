// SPDX-License-Identifier: Apache-2.0
// Inside of the JSON Schema validator: what a schema is compiled into. Nodes point at each other
// and into the documents, which the program owns; nothing here changes once compile_schema has
// returned.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/values/ecma_pattern.h"
#include "engine/values/json.h"
#include "engine/values/json_schema.h"

namespace plumb {

struct SchemaNode;

/// A schema with a URI of its own: a document, or a subschema with `$id`.
struct SchemaResource {
  std::string uri;
  const Json* root = nullptr;
  SchemaDraft draft = SchemaDraft::draft_2020_12;
  bool has_recursive_anchor = false;
  bool has_validation_vocabulary = true;
  std::map<std::string, const Json*> anchors;
  std::map<std::string, const Json*> dynamic_anchors;

  const SchemaNode* root_node = nullptr;                   ///< Set where `$recursiveRef` is used.
  std::map<std::string, const SchemaNode*> dynamic_nodes;  ///< Set where `$dynamicRef` is used.
};

// The types of JSON as bits of a set; an integer has two.
inline constexpr std::uint8_t kSchemaNull = 1;
inline constexpr std::uint8_t kSchemaBoolean = 2;
inline constexpr std::uint8_t kSchemaInteger = 4;
inline constexpr std::uint8_t kSchemaNumber = 8;
inline constexpr std::uint8_t kSchemaString = 16;
inline constexpr std::uint8_t kSchemaArray = 32;
inline constexpr std::uint8_t kSchemaObject = 64;

struct SchemaNumberLimits {
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<double> exclusive_minimum;
  std::optional<double> exclusive_maximum;
  std::optional<double> multiple_of;
};

/// A range of counts; doubles, because a schema may say 2.0 or 1e30.
struct SchemaCounts {
  std::optional<double> min;
  std::optional<double> max;
};

struct SchemaDependency {
  std::string property;
  std::vector<std::string> required;
  const SchemaNode* schema = nullptr;
};

struct SchemaNode {
  const SchemaResource* resource = nullptr;
  const Json* source = nullptr;
  std::optional<bool> boolean;  ///< A schema that is true or false.

  const SchemaNode* reference = nullptr;
  const SchemaNode* dynamic_reference = nullptr;
  std::string dynamic_anchor;  ///< Looked up in the dynamic scope when not empty.
  bool is_recursive_reference = false;

  std::optional<std::uint8_t> types;
  const Json* constant = nullptr;
  const Json* enumeration = nullptr;
  SchemaNumberLimits numbers;
  SchemaCounts length;
  std::optional<EcmaPattern> pattern;
  std::string format;

  SchemaCounts items_count;
  bool has_unique_items = false;
  std::vector<const SchemaNode*> prefix_items;
  const SchemaNode* items = nullptr;  ///< For the items after the prefix.
  const SchemaNode* contains = nullptr;
  SchemaCounts contains_count;
  const SchemaNode* unevaluated_items = nullptr;

  SchemaCounts properties_count;
  std::vector<std::string> required;
  std::map<std::string, const SchemaNode*, std::less<>> properties;
  std::vector<std::pair<EcmaPattern, const SchemaNode*>> pattern_properties;
  const SchemaNode* additional_properties = nullptr;
  const SchemaNode* property_names = nullptr;
  std::vector<SchemaDependency> dependencies;
  const SchemaNode* unevaluated_properties = nullptr;

  std::vector<const SchemaNode*> all_of;
  std::vector<const SchemaNode*> any_of;
  std::vector<const SchemaNode*> one_of;
  const SchemaNode* negated = nullptr;
  const SchemaNode* condition = nullptr;
  const SchemaNode* consequence = nullptr;
  const SchemaNode* alternative = nullptr;
};

struct SchemaProgram {
  std::vector<std::unique_ptr<const Json>> documents;  ///< The first is the schema itself.
  std::vector<std::unique_ptr<SchemaResource>> resources;
  std::vector<std::unique_ptr<SchemaNode>> nodes;
  const SchemaNode* root = nullptr;
  bool tracks_evaluated = false;  ///< Some node uses unevaluatedItems or unevaluatedProperties.
  bool asserts_formats = false;
  std::vector<SchemaError> diagnostics;
};

/// Runs a program; `errors` null asks for the verdict only.
bool run_schema(const SchemaProgram& program, const Json& value, std::vector<SchemaError>* errors);

/// The verdict of one node of the program on a value.
bool run_schema_node(const SchemaProgram& program, const SchemaNode& node, const Json& value);

}  // namespace plumb
