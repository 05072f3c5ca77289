// SPDX-License-Identifier: Apache-2.0
// Inside of the JSON Schema validator: who owns which subschema, and where a `$ref` leads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/values/schema_program.h"

namespace plumb {

/// Where a reference leads.
struct SchemaTarget {
  const Json* schema = nullptr;
  SchemaResource* resource = nullptr;
  std::string anchor;  ///< The plain name it was found by, or empty.
};

/// Finds resources and anchors in documents, and loads further documents on demand.
/// Writes documents and resources into the program. One compilation.
class SchemaIndex final {
 public:
  SchemaIndex(SchemaProgram& program, const SchemaOptions& options)
      : program_(program), options_(options) {}

  SchemaResource& add_document(Json document, const std::string& uri);

  /// The owner of `schema`; a schema in an unknown place is taken in as part of `fallback`.
  SchemaResource& owner_of(const Json& schema, SchemaResource& fallback);

  /// Nothing when the reference leads nowhere.
  std::optional<SchemaTarget> resolve(SchemaResource& from, std::string_view reference);

  /// Where `schema` stands, as a JSON Pointer, after its document's URI if it was loaded.
  std::string locate(const Json& schema) const;

 private:
  void scan(const Json& schema, SchemaResource& owner, bool is_root);
  void scan_children(const Json& schema, SchemaResource& owner);
  SchemaResource& enter_id(const Json& schema, SchemaResource& owner, bool is_root);
  SchemaResource& add_resource(const Json& root, const std::string& uri);
  SchemaResource* find_resource(const std::string& uri);
  SchemaDraft draft_of(const Json& schema, SchemaDraft fallback);
  bool has_validation_vocabulary(const Json& schema);
  std::optional<SchemaTarget> follow_pointer(SchemaResource& from, std::string_view pointer) const;

  SchemaProgram& program_;
  const SchemaOptions& options_;
  std::map<std::string, SchemaResource*> by_uri_;
  std::unordered_map<const Json*, SchemaResource*> owners_;  // Looked up only, never iterated.
};

/// A member of an object, or null.
const Json* schema_member(const Json& schema, std::string_view key);

}  // namespace plumb
