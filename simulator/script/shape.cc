// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/shape.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "engine/values/suggest.h"
#include "engine/values/utf8.h"
#include "simulator/script/error_list.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

constexpr std::int64_t kShownTextMax = 40;

std::string noun_of_type(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNouns = {{
      {"string", "text"},
      {"integer", "a whole number"},
      {"number", "a number"},
      {"boolean", "true or false"},
      {"null", "nothing"},
      {"array", "a list"},
      {"object", "a map"},
  }};
  for (const auto& [name, noun] : kNouns) {
    if (name == type) return std::string(noun);
  }
  return std::string(type);
}

bool has_type(const Json& value, std::string_view type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

std::string describe_value(const Json& value) {
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    return std::ssize(text) <= kShownTextMax ? "text " + in_quotes(text) : "text";
  }
  if (value.is_array()) return "a list";
  if (value.is_object()) return "a map";
  return value.is_null() ? "nothing" : dump_json(value);
}

/// The types that a schema without references accepts; empty: any.
std::vector<std::string> types_of(const Json& schema) {
  if (const auto type = schema.find("type"); type != schema.end()) {
    if (type->is_string()) return {type->get<std::string>()};
    return type->get<std::vector<std::string>>();
  }
  const auto values = schema.find("enum");
  if (values == schema.end()) return {};
  return {values->front().is_string() ? "string" : "boolean"};
}

std::vector<std::string> words_of(const Json& values) {
  std::vector<std::string> words;
  for (const Json& value : values) {
    words.push_back(value.is_string() ? value.get<std::string>() : dump_json(value));
  }
  return words;
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

class ShapeChecker final {
 public:
  ShapeChecker(const YamlDocument& document, const Json& root, const FormatCheck& check_format)
      : document_(document), root_(root), check_format_(check_format), errors_(document.file) {}

  std::vector<Error> run() {
    check(document_.view(), root_, "this document");
    return errors_.take();
  }

 private:
  void report(Place place, std::string message) { errors_.add(place, std::move(message)); }

  const Json* resolve(const Json* schema) const {
    const auto reference = schema->find("$ref");
    if (reference == schema->end()) return schema;
    const Json* target =
        find_pointer(root_, std::string_view(reference->get_ref<const std::string&>()).substr(1));
    PLUMB_ASSERT(target != nullptr);
    return target;
  }

  /// `name`: how messages call the value: its key in quotes, or "an entry of 'key'".
  void check(YamlView view, const Json& unresolved, const std::string& name) {
    const Json& schema = *resolve(&unresolved);
    if (const auto branches = schema.find("anyOf"); branches != schema.end()) {
      return check_branches(view, *branches, name);
    }
    if (!check_type(view, {&schema, 1}, name)) return;
    if (const auto values = schema.find("enum"); values != schema.end()) {
      check_word(view, *values, name);
    }
    if (view.value->is_string()) check_text(view, schema, name);
    if (view.value->is_number()) check_number(view, schema, name);
    if (view.value->is_array()) check_list(view, schema, name);
    if (view.value->is_object()) check_map(view, schema, name);
  }

  /// The branches of an anyOf differ by type; the first that takes the value's type is meant.
  void check_branches(YamlView view, const Json& branches, const std::string& name) {
    std::vector<Json> resolved;
    for (const Json& branch : branches) {
      const Json& schema = *resolve(&branch);
      const auto types = types_of(schema);
      const auto fits = [&](const std::string& type) { return has_type(*view.value, type); };
      if (types.empty() || std::ranges::any_of(types, fits)) return check(view, schema, name);
      resolved.push_back(schema);
    }
    check_type(view, resolved, name);
  }

  bool check_type(YamlView view, std::span<const Json> schemas, const std::string& name) {
    std::vector<std::string> nouns;
    for (const Json& schema : schemas) {
      const auto types = types_of(schema);
      if (types.empty()) return true;
      for (const std::string& type : types) {
        if (has_type(*view.value, type)) return true;
        add_once(nouns, noun_of_type(type));
      }
    }
    report(view.place(),
           name + " is " + describe_value(*view.value) + ", expected " + joined(nouns, "or"));
    return false;
  }

  void check_word(YamlView view, const Json& values, const std::string& name) {
    if (std::ranges::find(values, *view.value) != values.end()) return;
    const std::string word =
        view.value->is_string() ? view.value->get<std::string>() : dump_json(*view.value);
    report(view.place(), name + " is " + in_quotes(word) + advice(word, words_of(values)));
  }

  void check_text(YamlView view, const Json& schema, const std::string& name) {
    const std::string& text = view.value->get_ref<const std::string&>();
    if (text.empty() && schema.contains("minLength")) {
      return report(view.place(), name + " is empty, expected text");
    }
    if (schema.contains("minLength") && count_code_points(text) < schema["minLength"]) {
      report(view.place(), name + " is shorter than " + dump_json(schema["minLength"]));
    }
    if (schema.contains("maxLength") && count_code_points(text) > schema["maxLength"]) {
      report(view.place(), name + " is longer than " + dump_json(schema["maxLength"]));
    }
    if (schema.contains("format")) check_format(view.place(), schema["format"], text);
  }

  void check_format(Place place, const Json& format, const std::string& text) {
    const std::string problem = check_format_(format.get_ref<const std::string&>(), text);
    if (!problem.empty()) report(place, problem);
  }

  void check_number(YamlView view, const Json& schema, const std::string& name) {
    if (schema.contains("minimum") && *view.value < schema["minimum"]) {
      report(view.place(), name + " is " + dump_json(*view.value) + ", expected at least " +
                               dump_json(schema["minimum"]));
    }
    if (schema.contains("maximum") && *view.value > schema["maximum"]) {
      report(view.place(), name + " is " + dump_json(*view.value) + ", expected at most " +
                               dump_json(schema["maximum"]));
    }
  }

  void check_list(YamlView view, const Json& schema, const std::string& name) {
    if (schema.contains("minItems") && view.size() < schema["minItems"]) {
      report(view.place(), name + " has " + std::to_string(view.size()) +
                               " entries, expected at least " + dump_json(schema["minItems"]));
    }
    if (schema.contains("maxItems") && view.size() > schema["maxItems"]) {
      report(view.place(), name + " has " + std::to_string(view.size()) +
                               " entries, expected at most " + dump_json(schema["maxItems"]));
    }
    if (schema.value("uniqueItems", false)) check_twins(view, name);
    if (!schema.contains("items")) return;
    const std::string entry = name.starts_with("an entry of ") ? name : "an entry of " + name;
    for (std::int64_t i = 0; i < view.size(); ++i) check(view.element(i), schema["items"], entry);
  }

  void check_twins(YamlView view, const std::string& name) {
    std::set<std::string> seen;
    for (std::int64_t i = 0; i < view.size(); ++i) {
      const YamlView element = view.element(i);
      if (seen.insert(dump_json(*element.value)).second) continue;
      report(element.place(), name + " has " + describe_value(*element.value) + " twice");
    }
  }

  /// What one key of the map is called: a step, a verb, or just a key.
  static std::string key_noun(const Json& schema) { return schema.value("title", "key"); }

  void check_map(YamlView view, const Json& schema, const std::string& name) {
    check_size(view, schema, name);
    std::int64_t index = 0;
    for (const auto& item : view.value->items()) {
      check_member(view.member_at(index++), item.key(), schema, name);
    }
    if (!schema.contains("required")) return;
    const bool is_closed = schema.value("additionalProperties", Json()) == Json(false);
    for (const Json& key : schema["required"]) {
      if (view.value->contains(key.get_ref<const std::string&>())) continue;
      if (is_closed && is_mistyped(view, key, schema)) continue;
      report(view.place(), "missing key " + in_quotes(key.get_ref<const std::string&>()) +
                               (name == "this document" ? "" : " in " + name));
    }
  }

  /// Told already as the unknown key that it was meant to be.
  static bool is_mistyped(YamlView view, const Json& key, const Json& schema) {
    const auto known = known_keys(schema);
    const std::vector<std::string_view> names(known.begin(), known.end());
    return std::ranges::any_of(view.value->items(), [&](const auto& item) {
      if (std::ranges::find(known, item.key()) != known.end()) return false;
      return did_you_mean(item.key(), names) == key.get_ref<const std::string&>();
    });
  }

  void check_size(YamlView view, const Json& schema, const std::string& name) {
    if (schema.contains("minProperties") && view.size() < schema["minProperties"]) {
      report(view.place(), name + " is an empty map" + advice("", known_keys(schema)));
    }
    if (!schema.contains("maxProperties") || view.size() <= schema["maxProperties"]) return;
    if (schema["maxProperties"] != 1) {
      return report(view.place(),
                    name + " has more than " + dump_json(schema["maxProperties"]) + " keys");
    }
    report(view.member_at(1).key_place(), "a " + key_noun(schema) + " is one key, found " +
                                              joined(keys_in_quotes(*view.value), "and"));
  }

  static std::vector<std::string> keys_in_quotes(const Json& object) {
    std::vector<std::string> keys = keys_of(object);
    for (std::string& key : keys) key = in_quotes(key);
    return keys;
  }

  static std::vector<std::string> known_keys(const Json& schema) {
    return schema.contains("properties") ? keys_of(schema["properties"])
                                         : std::vector<std::string>{};
  }

  void check_member(YamlView member, const std::string& key, const Json& schema,
                    const std::string& name) {
    if (schema.contains("properties")) {
      const auto known = schema["properties"].find(key);
      if (known != schema["properties"].end()) return check(member, *known, in_quotes(key));
    }
    if (!schema.contains("additionalProperties")) return;
    const Json& other = schema["additionalProperties"];
    if (other.is_boolean()) return refuse_key(member, key, schema, name);
    if (schema.contains("propertyNames") && !check_key(member, key, schema, name)) return;
    check(member, other, in_quotes(key));
  }

  void refuse_key(YamlView member, const std::string& key, const Json& schema,
                  const std::string& name) {
    const std::string within =
        name == "this document" || schema.contains("title") ? "" : " in " + name;
    report(member.key_place(), "unknown " + key_noun(schema) + " " + in_quotes(key) + within +
                                   advice(key, known_keys(schema)));
  }

  bool check_key(YamlView member, const std::string& key, const Json& schema,
                 const std::string& name) {
    const Json& names = schema["propertyNames"];
    const std::size_t before = errors_.size();
    if (names.contains("format")) check_format(member.key_place(), names["format"], key);
    if (names.contains("enum")) {
      const auto known = words_of(names["enum"]);
      if (std::ranges::find(known, key) == known.end()) {
        report(member.key_place(),
               "unknown key " + in_quotes(key) + " in " + name + advice(key, known));
      }
    }
    return errors_.size() == before;
  }

  const YamlDocument& document_;
  const Json& root_;
  const FormatCheck& check_format_;
  ErrorList errors_;
};

void collect_unknown(const Json& schema, const std::string& pointer,
                     std::vector<std::string>& found);

void collect_in_members(const Json& schemas, const std::string& pointer,
                        std::vector<std::string>& found) {
  for (const auto& member : schemas.items()) {
    collect_unknown(member.value(), pointer + "/" + pointer_escape(member.key()), found);
  }
}

void collect_unknown(const Json& schema, const std::string& pointer,
                     std::vector<std::string>& found) {
  static constexpr std::array<std::string_view, 23> kKnown = {
      "$schema",       "$defs",         "$ref",         "title",    "description",
      "type",          "enum",          "anyOf",        "format",   "minLength",
      "maxLength",     "minimum",       "maximum",      "items",    "minItems",
      "maxItems",      "uniqueItems",   "properties",   "required", "additionalProperties",
      "propertyNames", "minProperties", "maxProperties"};
  for (const auto& item : schema.items()) {
    const std::string here = pointer + "/" + pointer_escape(item.key());
    if (std::ranges::find(kKnown, item.key()) == kKnown.end()) found.push_back(here);
    const Json& value = item.value();
    if (item.key() == "properties" || item.key() == "$defs") {
      collect_in_members(value, here, found);
    } else if (item.key() == "anyOf") {
      for (const Json& branch : value) collect_unknown(branch, here, found);
    } else if (value.is_object()) {
      collect_unknown(value, here, found);
    }
  }
}

}  // namespace

std::vector<Error> check_shape(const YamlDocument& document, const Json& schema,
                               const FormatCheck& check_format) {
  return ShapeChecker(document, schema, check_format).run();
}

std::vector<std::string> unknown_keywords(const Json& schema) {
  std::vector<std::string> found;
  collect_unknown(schema, "", found);
  return found;
}

}  // namespace plumb::simulator
