// SPDX-License-Identifier: Apache-2.0
#include "reports/json.h"

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

namespace plumb::reports {
namespace {

using Json = nlohmann::ordered_json;

/// What all verdicts on one rule have in common; written once, in the table `rules`.
struct RuleText {
  std::string title;
  std::string sentence;
  std::string level;
  std::string tier;

  bool operator==(const RuleText&) const = default;
};
using RuleTable = std::map<std::string, RuleText>;

struct ScenarioTiming {
  std::int64_t duration_ms = 0;
};
struct RunTiming {
  std::optional<std::string> started_at;
  std::int64_t duration_ms = 0;
};

class JsonWriter;
class JsonReader;

/// `describe` names the keys of a struct once, for the writer (const) and the reader alike.
template <class Archive, class T>
using Described = std::conditional_t<std::is_same_v<Archive, JsonWriter>, const T, T>;

template <class Archive>
void describe(Archive& archive, Described<Archive, Finding>& value) {
  archive.field("message", value.message);
  archive.field("expected", value.expected);
  archive.field("actual", value.actual);
  archive.field("event_seq", value.event_seq);
  archive.field("trace_line", value.trace_line);
  archive.field("event_text", value.event_text);
  archive.field("related", value.related);
  archive.field("where", value.where);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, ExpectedBy>& value) {
  archive.field("file", value.file);
  archive.field("verdict", value.verdict);
  archive.field("reason", value.reason);
  archive.field("expires", value.expires);
  archive.field("stale", value.is_stale);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, Exploration>& value) {
  archive.field("schedules_run", value.schedules_run);
  archive.field("classes_explored", value.classes_explored);
  archive.field("classes_total", value.classes_total);
  archive.field("points_covered", value.points_covered);
  archive.field("points_total", value.points_total);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, Error>& value) {
  archive.field("code", value.code);
  archive.field("where", value.where);
  archive.field("message", value.message);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, Diagnostic>& value) {
  archive.field("severity", value.severity);
  archive.field("where", value.where);
  archive.field("message", value.message);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, RuleText>& value) {
  archive.field("title", value.title);
  archive.field("sentence", value.sentence);
  archive.field("level", value.level);
  archive.field("tier", value.tier);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, RuleVerdict>& value) {
  archive.field("rule", value.rule);
  archive.rule_text(value);
  archive.field("verdict", value.verdict);
  archive.field("reason", value.reason);
  archive.field("claimed", value.is_claimed);
  archive.field("expected_by", value.expected_by);
  archive.field("findings", value.findings);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, ScenarioTiming>& value) {
  archive.field("duration_ms", value.duration_ms);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, RunTiming>& value) {
  archive.field("started_at", value.started_at);
  archive.field("duration_ms", value.duration_ms);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, ScenarioResult>& value) {
  archive.field("id", value.id);
  archive.field("file", value.file);
  archive.field("line", value.line);
  archive.field("title", value.title);
  archive.field("subject", value.subject);
  archive.field("engine", value.engine);
  archive.field("edition", value.edition);
  archive.field("seed", value.seed);
  archive.field("schedule", value.schedule);
  archive.field("determinism", value.determinism);
  archive.field("variant", value.variant);
  archive.field("status", value.status);
  archive.field("skip_reason", value.skip_reason);
  archive.field("rules", value.rules);
  archive.field("expectation_failures", value.expectation_failures);
  archive.field("errors", value.errors);
  archive.field("reproduce", value.reproduce);
  archive.field("trace_path", value.trace_path);
  archive.timing(value);
  archive.field("exploration", value.exploration);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, Summary>& value) {
  archive.field("passed", value.passed);
  archive.field("failed", value.failed);
  archive.field("skipped", value.skipped);
  archive.field("pass", value.pass);
  archive.field("fail", value.fail);
  archive.field("harness_error", value.harness_error);
  archive.field("stale", value.stale);
  archive.field("not_triggered", value.not_triggered);
  archive.field("untestable", value.untestable);
  archive.field("not_applicable", value.not_applicable);
  archive.field("expected_failure", value.expected_failure);
  archive.field("not_run", value.not_run);
  archive.field("scenarios", value.scenarios);
  archive.field("scenarios_passed", value.scenarios_passed);
  archive.field("scenarios_failed", value.scenarios_failed);
  archive.field("scenarios_skipped", value.scenarios_skipped);
  archive.field("rules", value.rules);
  archive.field("rules_passed", value.rules_passed);
  archive.field("rules_failed", value.rules_failed);
  archive.field("exit_code", value.exit_code);
}

template <class Archive>
void describe(Archive& archive, Described<Archive, Record>& value) {
  archive.field("schema", value.schema);
  archive.field("tool_version", value.tool_version);
  archive.field("command", value.command);
  archive.field("subject", value.subject);
  archive.field("edition", value.edition);
  archive.timing(value);
  archive.field("summary", value.summary);
  archive.field("diagnostics", value.diagnostics);
  archive.field("stale_expectations", value.stale_expectations);
  archive.rule_table();
  archive.field("scenarios", value.scenarios);
}

template <class T>
concept Named = std::is_enum_v<T>;

/// What the two archives share: the rules read or gathered so far.
struct JsonContext {
  RuleTable rules;
  bool has_timings = true;
  std::optional<Error> error;
};

RuleText rule_text_of(const RuleVerdict& verdict) {
  return {verdict.title, verdict.sentence, verdict.level, verdict.tier};
}

class JsonWriter {
 public:
  explicit JsonWriter(JsonContext& context) : context_(context) {}

  template <class T>
  void field(const char* key, const T& value) {
    json_[key] = encoded(value);
  }
  template <class T>
  void field(const char* key, const std::optional<T>& value) {
    if (value.has_value()) field(key, *value);
  }
  /// A verdict that says something else about its rule than the table carries its own text.
  void rule_text(const RuleVerdict& value) {
    const RuleText text = rule_text_of(value);
    if (context_.rules.at(value.rule) != text) describe<JsonWriter>(*this, text);
  }
  void rule_table() { field("rules", context_.rules); }
  void timing(const ScenarioResult& value) {
    if (context_.has_timings) field("timing", ScenarioTiming{value.duration_ms});
  }
  void timing(const Record& value) {
    if (context_.has_timings) field("timing", RunTiming{value.started_at, value.duration_ms});
  }
  Json take() { return std::move(json_); }

 private:
  template <class T>
  Json encoded(const T& value) {
    if constexpr (Named<T>) {
      return Json(std::string(to_string(value)));
    } else if constexpr (std::is_constructible_v<Json, const T&> && !std::is_class_v<T>) {
      return Json(value);
    } else {
      JsonWriter inner(context_);
      describe<JsonWriter>(inner, value);
      return inner.take();
    }
  }
  Json encoded(const std::string& value) { return Json(value); }
  template <class T>
  Json encoded(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(encoded(value));
    return list;
  }
  Json encoded(const RuleTable& table) {
    Json object = Json::object();
    for (const auto& [rule, text] : table) object[rule] = encoded(text);
    return object;
  }

  JsonContext& context_;
  Json json_ = Json::object();
};

/// Reads one object. The first thing wrong stays in the context and ends the reading.
class JsonReader {
 public:
  JsonReader(JsonContext& context, const Json& json, std::string pointer)
      : context_(context), json_(json), pointer_(std::move(pointer)) {
    if (!json_.is_object()) refuse("", "expected an object");
  }

  template <class T>
  void field(const char* key, T& value) {
    const Json* found = find(key);
    if (context_.error.has_value()) return;
    if (found == nullptr) return refuse("", "missing key '" + std::string(key) + "'");
    decode(*found, value, pointer_ + "/" + key);
  }
  template <class T>
  void field(const char* key, std::optional<T>& value) {
    if (find(key) != nullptr) field(key, value.emplace());
  }
  void rule_text(RuleVerdict& value) {
    RuleText text;
    const auto found = context_.rules.find(value.rule);
    if (found != context_.rules.end()) text = found->second;
    if (json_.is_object() && json_.contains("title")) describe<JsonReader>(*this, text);
    value.title = std::move(text.title);
    value.sentence = std::move(text.sentence);
    value.level = std::move(text.level);
    value.tier = std::move(text.tier);
  }
  void rule_table() { field("rules", context_.rules); }
  void timing(ScenarioResult& value) {
    std::optional<ScenarioTiming> timing;
    field("timing", timing);
    if (timing.has_value()) value.duration_ms = timing->duration_ms;
  }
  void timing(Record& value) {
    std::optional<RunTiming> timing;
    field("timing", timing);
    if (!timing.has_value()) return;
    value.started_at = std::move(timing->started_at);
    value.duration_ms = timing->duration_ms;
  }
  /// Call after the last field.
  void refuse_unknown_keys() {
    if (context_.error.has_value()) return;
    for (const auto& [key, value] : json_.items()) {
      if (std::ranges::find(known_, key) == known_.end())
        return refuse("", "unknown key '" + key + "'");
    }
  }

 private:
  const Json* find(const char* key) {
    if (context_.error.has_value()) return nullptr;
    known_.emplace_back(key);
    const auto found = json_.find(key);
    return found == json_.end() ? nullptr : &*found;
  }
  void refuse(const std::string& pointer, const std::string& message) {
    if (context_.error.has_value()) return;
    const std::string at = pointer.empty() ? pointer_ : pointer;
    context_.error = Error{ErrorCode::invalid, (at.empty() ? "/" : at) + ": " + message, ""};
  }

  void decode(const Json& json, std::string& value, const std::string& pointer) {
    if (!json.is_string()) return refuse(pointer, "expected a string");
    value = json.get<std::string>();
  }
  void decode(const Json& json, bool& value, const std::string& pointer) {
    if (!json.is_boolean()) return refuse(pointer, "expected a boolean");
    value = json.get<bool>();
  }
  void decode(const Json& json, std::int64_t& value, const std::string& pointer) {
    const bool is_too_big = json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX;
    if (!json.is_number_integer() || is_too_big) return refuse(pointer, "expected an integer");
    value = json.get<std::int64_t>();
  }
  void decode(const Json& json, std::uint64_t& value, const std::string& pointer) {
    const bool is_negative = json.is_number_integer() && !json.is_number_unsigned();
    if (!json.is_number_integer() || is_negative) {
      return refuse(pointer, "expected an integer, 0 or more");
    }
    value = json.get<std::uint64_t>();
  }
  template <Named T>
  void decode(const Json& json, T& value, const std::string& pointer) {
    std::string text;
    decode(json, text, pointer);
    const std::optional<T> known = named<T>(text);
    if (!known.has_value()) return refuse(pointer, "unknown value '" + text + "'");
    value = *known;
  }
  template <class T>
  void decode(const Json& json, std::vector<T>& values, const std::string& pointer) {
    if (!json.is_array()) return refuse(pointer, "expected an array");
    values.resize(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) {
      decode(json[i], values[i], pointer + "/" + std::to_string(i));
    }
  }
  void decode(const Json& json, RuleTable& table, const std::string& pointer) {
    if (!json.is_object()) return refuse(pointer, "expected an object");
    for (const auto& [rule, text] : json.items()) decode(text, table[rule], pointer + "/" + rule);
  }
  template <class T>
    requires(std::is_class_v<T>)
  void decode(const Json& json, T& value, const std::string& pointer) {
    JsonReader inner(context_, json, pointer);
    describe<JsonReader>(inner, value);
    inner.refuse_unknown_keys();
  }

  template <Named T>
  static std::optional<T> named(std::string_view text) {
    if constexpr (std::is_same_v<T, Verdict>) {
      return verdict_from_string(text);
    } else if constexpr (std::is_same_v<T, ScenarioStatus>) {
      return scenario_status_from_string(text);
    } else if constexpr (std::is_same_v<T, Severity>) {
      return severity_from_string(text);
    } else {
      return error_code_from_string(text);
    }
  }

  JsonContext& context_;
  const Json& json_;
  std::string pointer_;
  std::vector<std::string> known_;
};

RuleTable rule_table_of(const Record& record) {
  RuleTable rules;
  for (const ScenarioResult& scenario : record.scenarios) {
    for (const RuleVerdict& verdict : scenario.rules) {
      rules.try_emplace(verdict.rule, rule_text_of(verdict));
    }
  }
  return rules;
}

std::string dumped(const Record& record, const RenderOptions& options, int indent) {
  JsonContext context{rule_table_of(record), options.has_timings, std::nullopt};
  JsonWriter writer(context);
  describe<JsonWriter>(writer, record);
  return writer.take().dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return std::to_string(line) + ":" + std::to_string(column);
}

Result<Json> parsed(std::string_view text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return fail(ErrorCode::invalid, "not valid JSON",
                path + ":" + line_and_column(text, error.byte));
  } catch (const Json::exception&) {
    return fail(ErrorCode::invalid, "not valid JSON", path);
  }
}

}  // namespace

std::string json_text(const Record& record, const RenderOptions& options) {
  return dumped(record, options, 1) + "\n";
}

std::string compact_json_text(const Record& record, const RenderOptions& options) {
  return dumped(record, options, -1);
}

Result<Record> read_record(std::string_view text, const std::string& path) {
  PLUMB_TRY(const Json json, parsed(text, path));
  const std::string schema =
      json.is_object() && json.contains("schema") && json["schema"].is_string()
          ? json["schema"].get<std::string>()
          : std::string();
  if (schema != kRecordSchema) {
    return fail(ErrorCode::invalid,
                "/schema: expected '" + std::string(kRecordSchema) + "', found '" + schema + "'",
                path);
  }
  JsonContext context;
  JsonReader reader(context, json, "");
  Record record;
  describe<JsonReader>(reader, record);
  reader.refuse_unknown_keys();
  if (context.error.has_value()) return fail(ErrorCode::invalid, context.error->message, path);
  return record;
}

}  // namespace plumb::reports
