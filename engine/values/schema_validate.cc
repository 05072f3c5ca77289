// SPDX-License-Identifier: Apache-2.0
// Walks a value with a compiled schema. One walk serves both uses: quiet (stop at the first reason)
// and collecting; branches of anyOf, oneOf, not, if and contains are always quiet.
#include <algorithm>
#include <set>

#include "engine/values/canonical_json.h"
#include "engine/values/schema_format.h"
#include "engine/values/schema_program.h"
#include "engine/values/schema_values.h"
#include "engine/values/utf8.h"

namespace plumb {

namespace {

/// What the schemas so far have looked at, for unevaluatedItems and unevaluatedProperties.
struct Evaluated {
  std::set<std::string_view> properties;
  std::int64_t items = 0;  ///< All before this index.
  bool has_all_items = false;
  std::set<std::int64_t> other_items;

  void merge(const Evaluated& other) {
    properties.insert(other.properties.begin(), other.properties.end());
    items = std::max(items, other.items);
    has_all_items = has_all_items || other.has_all_items;
    other_items.insert(other.other_items.begin(), other.other_items.end());
  }
};

class SchemaValidator final {
 public:
  SchemaValidator(const SchemaProgram& program, std::vector<SchemaError>* errors)
      : program_(program), errors_(errors), all_errors_(errors) {}

  bool validate(const SchemaNode& node, const Json& value) {
    const bool is_valid = run_child(node, value);
    if (!failure_) return is_valid;
    if (all_errors_ != nullptr) all_errors_->push_back(*std::move(failure_));
    return false;
  }

 private:
  using Check = bool (SchemaValidator::*)(const SchemaNode&, const Json&, Evaluated*);

  bool run(const SchemaNode& node, const Json& value, Evaluated* seen) {
    if (failure_) return false;
    if (node.boolean) return *node.boolean || report("false", "not allowed");
    if (depth_ == kJsonDepthMax) return give_up("depth", "too many nested schemas and references");
    if (++steps_ > kSchemaStepsMax) return give_up("steps", "too many schemas to look into");
    ++depth_;
    const bool is_entered = scope_.empty() || scope_.back() != node.resource;
    if (is_entered) scope_.push_back(node.resource);
    const bool is_valid = run_checks(node, value, seen);
    if (is_entered) scope_.pop_back();
    --depth_;
    return is_valid;
  }

  bool run_checks(const SchemaNode& node, const Json& value, Evaluated* seen) {
    static constexpr Check kChecks[] = {
        &SchemaValidator::check_references,  &SchemaValidator::check_any_value,
        &SchemaValidator::check_typed_value, &SchemaValidator::check_combinations,
        &SchemaValidator::check_condition,   &SchemaValidator::check_dependencies,
        &SchemaValidator::check_unevaluated};
    bool is_valid = true;
    for (const Check check : kChecks) {
      if ((this->*check)(node, value, seen)) continue;
      is_valid = false;
      if (errors_ == nullptr) break;
    }
    return is_valid;
  }

  // Nothing else may decide afterwards, or a `not` would turn a search without an answer into a
  // yes.
  bool give_up(std::string keyword, std::string message) {
    failure_ = SchemaError{path_, std::move(keyword), std::move(message)};
    return false;
  }

  bool report(std::string_view keyword, std::string_view message) {
    if (errors_ != nullptr) errors_->push_back({path_, std::string(keyword), std::string(message)});
    return false;
  }

  bool report_at(std::string_view property, std::string_view keyword, std::string_view message) {
    if (errors_ == nullptr) return false;
    errors_->push_back(
        {path_ + '/' + pointer_escape(property), std::string(keyword), std::string(message)});
    return false;
  }

  // Messages are made only when somebody reads them.
  template <class Message>
  bool expect(bool holds, std::string_view keyword, const Message& message) {
    if (holds) return true;
    return errors_ == nullptr ? false : report(keyword, message());
  }

  bool run_child(const SchemaNode& node, const Json& value) {
    if (!program_.tracks_evaluated) return run(node, value, nullptr);
    Evaluated seen;
    return run(node, value, &seen);
  }

  bool run_member(const SchemaNode& node, const Json& value, std::string_view token) {
    if (errors_ == nullptr) return run_child(node, value);
    const std::size_t size = path_.size();
    path_ += '/' + pointer_escape(token);
    const bool is_valid = run_child(node, value);
    path_.resize(size);
    return is_valid;
  }

  bool run_in_place(const SchemaNode& node, const Json& value, Evaluated* seen) {
    if (seen == nullptr) return run(node, value, nullptr);
    Evaluated own;
    const bool is_valid = run(node, value, &own);
    if (is_valid) seen->merge(own);
    return is_valid;
  }

  bool run_quietly(const SchemaNode& node, const Json& value, Evaluated* seen) {
    std::vector<SchemaError>* const errors = std::exchange(errors_, nullptr);
    const bool is_valid = run_in_place(node, value, seen);
    errors_ = errors;
    return is_valid;
  }

  // For an answer that leaves nothing evaluated behind.
  bool fits_quietly(const SchemaNode& node, const Json& value) {
    Evaluated own;
    return run_quietly(node, value, program_.tracks_evaluated ? &own : nullptr);
  }

  bool check_references(const SchemaNode& node, const Json& value, Evaluated* seen) {
    if (node.reference != nullptr && !run_in_place(*node.reference, value, seen)) return false;
    if (node.dynamic_reference == nullptr) return true;
    return run_in_place(*dynamic_target(node), value, seen);
  }

  // The outermost resource in the dynamic scope that has the anchor decides.
  const SchemaNode* dynamic_target(const SchemaNode& node) const {
    if (node.is_recursive_reference && !node.dynamic_reference->resource->has_recursive_anchor) {
      return node.dynamic_reference;
    }
    for (const SchemaResource* const resource : scope_) {
      if (node.is_recursive_reference && resource->root_node != nullptr) return resource->root_node;
      const auto found = resource->dynamic_nodes.find(node.dynamic_anchor);
      if (!node.is_recursive_reference && found != resource->dynamic_nodes.end()) {
        return found->second;
      }
    }
    return node.dynamic_reference;
  }

  bool check_any_value(const SchemaNode& node, const Json& value, Evaluated* /*seen*/) {
    bool is_valid = expect(!node.types || (types_of(value) & *node.types) != 0, "type", [&] {
      const std::uint8_t found = types_of(value);
      const bool is_number = (found & kSchemaNumber) != 0;
      return "expected " + type_names(*node.types) + " but found " +
             type_names(is_number ? std::uint8_t{kSchemaNumber} : found);
    });
    is_valid &= expect(node.constant == nullptr || equal_json(*node.constant, value), "const",
                       [&] { return "expected " + dump_json(*node.constant); });
    if (node.enumeration == nullptr) return is_valid;
    const bool is_listed = std::ranges::any_of(
        *node.enumeration, [&value](const Json& listed) { return equal_json(listed, value); });
    return expect(is_listed, "enum",
                  [&] { return "expected one of " + list_values(*node.enumeration); }) &&
           is_valid;
  }

  bool check_typed_value(const SchemaNode& node, const Json& value, Evaluated* seen) {
    if (value.is_object()) return check_object(node, value, seen);
    if (value.is_array()) return check_array(node, value, seen);
    if (value.is_string()) return check_string(node, value.get_ref<const std::string&>());
    return !value.is_number() || check_number(node.numbers, value.get<double>());
  }

  bool check_number(const SchemaNumberLimits& limits, double number) {
    const auto [low, high, above, below, step] = limits;
    bool is_valid = expect(!low || number >= *low, "minimum",
                           [&] { return "expected at least " + ecmascript_number(*low); });
    is_valid &= expect(!high || number <= *high, "maximum",
                       [&] { return "expected at most " + ecmascript_number(*high); });
    is_valid &= expect(!above || number > *above, "exclusiveMinimum",
                       [&] { return "expected more than " + ecmascript_number(*above); });
    is_valid &= expect(!below || number < *below, "exclusiveMaximum",
                       [&] { return "expected less than " + ecmascript_number(*below); });
    is_valid &= expect(!step || is_multiple(number, *step), "multipleOf",
                       [&] { return "expected a multiple of " + ecmascript_number(*step); });
    return is_valid;
  }

  bool check_string(const SchemaNode& node, const std::string& text) {
    bool is_valid = true;
    if (node.length.min || node.length.max) {
      is_valid = check_count(node.length, count_code_points(text), "Length", "characters");
    }
    if (node.pattern) is_valid &= check_pattern(*node.pattern, text);
    if (!program_.asserts_formats || node.format.empty()) return is_valid;
    return expect(matches_format(node.format, text), "format",
                  [&] { return "expected text in the format " + node.format; }) &&
           is_valid;
  }

  bool check_pattern(const EcmaPattern& pattern, const std::string& text) {
    return expect(matches(pattern, text, "pattern"), "pattern",
                  [&] { return "expected text that matches '" + pattern.source() + "'"; });
  }

  bool matches(const EcmaPattern& pattern, std::string_view text, std::string_view keyword) {
    const auto found = pattern.search(text);
    return found ? *found : give_up(std::string(keyword), found.error().message);
  }

  // `what` is the keyword's tail: minLength, maxItems, ...
  bool check_count(const SchemaCounts& counts, std::int64_t count, const char* what,
                   const char* unit) {
    const auto number = static_cast<double>(count);
    const auto found = [&] {
      return std::string(" ") + unit + " but found " + std::to_string(count);
    };
    const bool is_enough = !counts.min || number >= *counts.min;
    const bool is_few = !counts.max || number <= *counts.max;
    if (is_enough && is_few) return true;
    if (errors_ == nullptr) return false;
    if (!is_enough) {
      report("min" + std::string(what),
             "expected at least " + ecmascript_number(*counts.min) + found());
    }
    if (!is_few) {
      report("max" + std::string(what),
             "expected at most " + ecmascript_number(*counts.max) + found());
    }
    return false;
  }

  bool check_array(const SchemaNode& node, const Json& value, Evaluated* seen) {
    const auto size = static_cast<std::int64_t>(value.size());
    bool is_valid = check_count(node.items_count, size, "Items", "items");
    is_valid &= expect(!node.has_unique_items || !has_equal_elements(value), "uniqueItems",
                       [] { return "expected no two equal items"; });
    is_valid &= check_items(node, value, seen);
    if (node.contains != nullptr) is_valid &= check_contains(node, value, seen);
    return is_valid;
  }

  bool check_items(const SchemaNode& node, const Json& value, Evaluated* seen) {
    bool is_valid = true;
    const std::size_t prefix = std::min(node.prefix_items.size(), value.size());
    const std::size_t end = node.items != nullptr ? value.size() : prefix;
    for (std::size_t i = 0; i < end && (is_valid || errors_ != nullptr); ++i) {
      const SchemaNode& schema = i < prefix ? *node.prefix_items[i] : *node.items;
      is_valid &= run_member(schema, value[i], std::to_string(i));
    }
    if (seen == nullptr) return is_valid;
    seen->items = std::max(seen->items, static_cast<std::int64_t>(prefix));
    seen->has_all_items = seen->has_all_items || node.items != nullptr;
    return is_valid;
  }

  bool check_contains(const SchemaNode& node, const Json& value, Evaluated* seen) {
    const bool is_evaluating =
        seen != nullptr && node.resource->draft == SchemaDraft::draft_2020_12;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!fits_quietly(*node.contains, value[i])) continue;
      ++count;
      if (is_evaluating) seen->other_items.insert(static_cast<std::int64_t>(i));
    }
    const SchemaCounts counts{node.contains_count.min.value_or(1), node.contains_count.max};
    if (!node.contains_count.min && count == 0) {
      return report("contains", "expected an item that fits the schema of contains");
    }
    return check_count(counts, count, "Contains", "items that fit");
  }

  bool check_object(const SchemaNode& node, const Json& value, Evaluated* seen) {
    const auto size = static_cast<std::int64_t>(value.size());
    bool is_valid = check_count(node.properties_count, size, "Properties", "properties");
    for (const std::string& key : node.required) {
      if (value.contains(key)) continue;
      is_valid = report_at(key, "required", "missing");
      if (errors_ == nullptr) return false;
    }
    const bool has_property_schemas =
        !node.properties.empty() || !node.pattern_properties.empty() ||
        node.additional_properties != nullptr || node.property_names != nullptr;
    if (!has_property_schemas) return is_valid;
    for (auto member = value.begin(); member != value.end(); ++member) {
      if (!is_valid && errors_ == nullptr) return false;
      is_valid &= check_property(node, member.key(), member.value(), seen);
    }
    return is_valid;
  }

  bool check_property(const SchemaNode& node, const std::string& key, const Json& value,
                      Evaluated* seen) {
    bool is_known = false;
    bool is_valid = true;
    if (const auto found = node.properties.find(key); found != node.properties.end()) {
      is_known = true;
      is_valid &= run_member(*found->second, value, key);
    }
    for (const auto& [pattern, schema] : node.pattern_properties) {
      if (!matches(pattern, key, "patternProperties")) continue;
      is_known = true;
      is_valid &= run_member(*schema, value, key);
    }
    if (!is_known && node.additional_properties != nullptr) {
      is_known = true;
      is_valid &= check_unknown(*node.additional_properties, "additionalProperties", key, value);
    }
    if (is_known && seen != nullptr) seen->properties.insert(key);
    if (node.property_names != nullptr)
      is_valid &= run_member(*node.property_names, Json(key), key);
    return is_valid;
  }

  bool check_unknown(const SchemaNode& schema, std::string_view keyword, const std::string& key,
                     const Json& value) {
    if (schema.boolean == false) return report_at(key, keyword, "unknown property");
    return run_member(schema, value, key);
  }

  bool check_combinations(const SchemaNode& node, const Json& value, Evaluated* seen) {
    bool is_valid = true;
    for (const SchemaNode* const schema : node.all_of) {
      is_valid &= run_in_place(*schema, value, seen);
      if (!is_valid && errors_ == nullptr) return false;
    }
    if (!node.any_of.empty()) {
      is_valid &= expect(count_fitting(node.any_of, value, seen, seen == nullptr) > 0, "anyOf",
                         [&] { return no_alternative(node.any_of); });
    }
    if (!node.one_of.empty()) {
      const std::int64_t count = count_fitting(node.one_of, value, seen, false);
      is_valid &= expect(count == 1, "oneOf", [&] {
        if (count == 0) return no_alternative(node.one_of);
        return "fits " + std::to_string(count) + " alternatives where exactly one was expected";
      });
    }
    if (node.negated == nullptr) return is_valid;
    return expect(!fits_quietly(*node.negated, value), "not",
                  [] { return "fits the schema that it must not fit"; }) &&
           is_valid;
  }

  std::int64_t count_fitting(const std::vector<const SchemaNode*>& schemas, const Json& value,
                             Evaluated* seen, bool is_one_enough) {
    std::int64_t count = 0;
    for (const SchemaNode* const schema : schemas) {
      if (is_one_enough && count > 0) break;
      if (run_quietly(*schema, value, seen)) ++count;
    }
    return count;
  }

  // A union of literals is told by its values, any other by their number.
  static std::string no_alternative(const std::vector<const SchemaNode*>& schemas) {
    Json values = Json::array();
    for (const SchemaNode* const schema : schemas) {
      if (schema->constant == nullptr) {
        return "fits none of " + std::to_string(schemas.size()) + " alternatives";
      }
      values.push_back(*schema->constant);
    }
    return "expected one of " + list_values(values);
  }

  bool check_condition(const SchemaNode& node, const Json& value, Evaluated* seen) {
    if (node.condition == nullptr) return true;
    const bool holds = run_quietly(*node.condition, value, seen);
    const SchemaNode* const branch = holds ? node.consequence : node.alternative;
    return branch == nullptr || run_in_place(*branch, value, seen);
  }

  bool check_dependencies(const SchemaNode& node, const Json& value, Evaluated* seen) {
    if (!value.is_object()) return true;
    bool is_valid = true;
    for (const SchemaDependency& dependency : node.dependencies) {
      if (!value.contains(dependency.property)) continue;
      for (const std::string& key : dependency.required) {
        if (value.contains(key)) continue;
        is_valid =
            report_at(key, "dependentRequired", "missing; '" + dependency.property + "' needs it");
      }
      if (dependency.schema != nullptr) is_valid &= run_in_place(*dependency.schema, value, seen);
    }
    return is_valid;
  }

  bool check_unevaluated(const SchemaNode& node, const Json& value, Evaluated* seen) {
    if (node.unevaluated_properties != nullptr && value.is_object()) {
      return check_unevaluated_properties(*node.unevaluated_properties, value, *seen);
    }
    if (node.unevaluated_items != nullptr && value.is_array() && !seen->has_all_items) {
      return check_unevaluated_items(*node.unevaluated_items, value, *seen);
    }
    return true;
  }

  bool check_unevaluated_properties(const SchemaNode& schema, const Json& value, Evaluated& seen) {
    bool is_valid = true;
    for (auto member = value.begin(); member != value.end(); ++member) {
      if (!seen.properties.insert(member.key()).second) continue;
      is_valid &= check_unknown(schema, "unevaluatedProperties", member.key(), member.value());
    }
    return is_valid;
  }

  bool check_unevaluated_items(const SchemaNode& schema, const Json& value, Evaluated& seen) {
    bool is_valid = true;
    for (auto i = static_cast<std::size_t>(seen.items); i < value.size(); ++i) {
      if (seen.other_items.contains(static_cast<std::int64_t>(i))) continue;
      is_valid &= run_member(schema, value[i], std::to_string(i));
    }
    seen.has_all_items = true;
    return is_valid;
  }

  const SchemaProgram& program_;
  std::vector<SchemaError>* errors_;  ///< Null while quiet.
  std::vector<SchemaError>* all_errors_;
  std::vector<const SchemaResource*> scope_;
  std::string path_;
  std::int64_t depth_ = 0;
  std::int64_t steps_ = 0;
  std::optional<SchemaError> failure_;
};

}  // namespace

bool run_schema(const SchemaProgram& program, const Json& value, std::vector<SchemaError>* errors) {
  return SchemaValidator(program, errors).validate(*program.root, value);
}

bool run_schema_node(const SchemaProgram& program, const SchemaNode& node, const Json& value) {
  return SchemaValidator(program, nullptr).validate(node, value);
}

}  // namespace plumb
