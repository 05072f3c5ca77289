// SPDX-License-Identifier: Apache-2.0
// JSON Schema, drafts 7, 2019-09 and 2020-12: compiled once, then asked many times. It never
// changes a value (see coercion.h) and never fails while validating; what is wrong with a schema is
// said when it is compiled.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb {

/// Schemas that one validation may look into: unions of recursive schemas multiply.
inline constexpr std::int64_t kSchemaStepsMax = 2'000'000;

enum class SchemaDraft : std::uint8_t { draft_7, draft_2019_09, draft_2020_12 };

struct SchemaOptions {
  /// The draft of a schema without `$schema`.
  SchemaDraft draft = SchemaDraft::draft_2020_12;
  /// `format` is an annotation unless this is set; then the known formats are checked.
  bool assert_formats = false;
  /// A pattern that cannot be compiled is left out and named in `diagnostics` instead of refused.
  bool skip_bad_patterns = false;
  /// Finds a document that a `$ref` names by its absolute URI (without fragment); nothing if
  /// unknown.
  std::function<std::optional<Json>(const std::string& uri)> load;
};

/// One reason why a value does not fit. `path` is the JSON Pointer of the value; a missing or
/// unknown property is reported at its own path.
struct SchemaError {
  std::string path;
  std::string keyword;
  std::string message;

  bool operator==(const SchemaError&) const = default;
};

struct SchemaProgram;

/// A compiled schema. Immutable, thread-safe, cheap to copy.
class JsonSchema final {
 public:
  explicit JsonSchema(std::shared_ptr<const SchemaProgram> program)
      : program_(std::move(program)) {}

  /// Every reason in schema order; empty when `value` fits. Nesting of more than kJsonDepthMax
  /// schemas, or a pattern that needs too many steps, is a reason too.
  std::vector<SchemaError> validate(const Json& value) const;

  /// Whether `value` fits; stops at the first reason.
  bool accepts(const Json& value) const;

  /// What was odd but bearable in the schema: types that JSON does not have (they match nothing)
  /// and patterns left out. `path` is the JSON Pointer within the schema.
  const std::vector<SchemaError>& diagnostics() const;

  /// The schema as it was given.
  const Json& source() const;

  /// The compiled form; for this room only (schema_program.h).
  const SchemaProgram& program() const { return *program_; }

 private:
  // Shared, because a tool's definition is copied into snapshots while calls validate against it.
  std::shared_ptr<const SchemaProgram> program_;
};

/// Errors: rejected, for a schema that cannot be used: a keyword with a value of the wrong type, an
/// unresolved `$ref`, an invalid pattern; exhausted, for nesting beyond kJsonDepthMax. `where` is
/// the JSON Pointer of the offending keyword within the schema (after the document's URI when it
/// was loaded).
Result<JsonSchema> compile_schema(const Json& schema, const SchemaOptions& options = {});

}  // namespace plumb
