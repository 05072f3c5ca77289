// SPDX-License-Identifier: Apache-2.0
// A tool's declared schema, compiled once: coercion on a copy and validation of arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/values/shared_json.h"

namespace plumb::engine {

/// Which values may change on their way into validation: `meaning` keeps every value's meaning
/// (PIPE-30, seed); `text` also makes strings of numbers, booleans and null (PIPE-12, pi-1.6.0).
enum class CoercionProfile : std::uint8_t { meaning, text };

/// One reason why a value does not fit: `path` is a JSON pointer, "" for the root.
struct SchemaIssue {
  std::string path;
  std::string reason;
  bool operator==(const SchemaIssue&) const = default;
};

/// Immutable once compiled. Thread-compatible.
class ParameterSchema {
 public:
  /// Errors: invalid, with the JSON pointer of the bad place in the message.
  static Result<std::shared_ptr<const ParameterSchema>> compile(const SharedJson& schema);

  ~ParameterSchema();
  /// The value coerced towards the schema: itself when it fits; what cannot be made to fit is left
  /// as it is.
  Json coerce(Json value, CoercionProfile profile) const;
  bool accepts(const Json& value) const;
  /// Empty when `value` fits.
  std::vector<SchemaIssue> check(const Json& value) const;

 private:
  struct State;
  explicit ParameterSchema(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace plumb::engine
