// SPDX-License-Identifier: Apache-2.0
#include "reports/sarif.h"

#include <charconv>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "reports/card.h"
#include "reports/text.h"

namespace plumb::reports {
namespace {

using SarifJson = nlohmann::ordered_json;

constexpr std::string_view kSarifSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr std::string_view kExpectationRule = "expectation";
constexpr std::string_view kHarnessErrorRule = "harness-error";
constexpr std::string_view kStaleRule = "stale-expectation";

struct SourcePlace {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

/// Cuts ":number" off the end of `text`; 0 when there is none.
std::int64_t cut_number(std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return 0;
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + colon + 1, end, number);
  if (code != std::errc() || stop != end) return 0;
  text.resize(colon);
  return number;
}

/// "file:line:col", "file:line" or "file".
SourcePlace place_of(std::string where) {
  const std::int64_t last = cut_number(where);
  const std::int64_t first = cut_number(where);
  if (first > 0) return {std::move(where), first, last};
  return {std::move(where), last, 0};
}

bool is_uri_character(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_letter || std::string_view("-._~/").find(c) != std::string_view::npos;
}

/// A path as a relative reference: all but unreserved characters as %XX.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri;
  for (const char c : path) {
    if (is_uri_character(c)) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += kDigits[byte / 16];
    uri += kDigits[byte % 16];
  }
  return uri;
}

SarifJson message_of(std::string text) {
  return {{"text", text.empty() ? std::string("no message") : visible(text)}};
}

SarifJson locations_of(const SourcePlace& place) {
  if (place.file.empty()) return SarifJson::array();
  SarifJson physical;
  physical["artifactLocation"]["uri"] = uri_of(place.file);
  if (place.line > 0) physical["region"]["startLine"] = place.line;
  if (place.line > 0 && place.column > 0) physical["region"]["startColumn"] = place.column;
  SarifJson location;
  location["physicalLocation"] = std::move(physical);
  return SarifJson::array({std::move(location)});
}

void append_line(std::string& text, std::string_view label, std::string_view value) {
  if (value.empty()) return;
  if (!text.empty()) text += "\n";
  text += label;
  text += value;
}

std::string finding_text(const ScenarioResult& scenario, const Finding& finding) {
  std::string text;
  append_line(text, "", finding.message);
  append_line(text, "expected: ", finding.expected);
  append_line(text, "actual: ", finding.actual);
  if (finding.event_seq >= 0) {
    append_line(text,
                "event: ", "#" + std::to_string(finding.event_seq) + " " + finding.event_text);
  }
  append_line(text, "reproduce: ", scenario.reproduce);
  return text;
}

/// One result. `ordinal` keeps the fingerprints of several findings apart.
SarifJson result_of(const ScenarioResult& scenario, std::string_view rule, const Finding& finding,
                    std::int64_t ordinal) {
  const std::string where = finding.where.empty() ? location_of(scenario) : finding.where;
  SarifJson result;
  result["ruleId"] = rule;
  result["level"] = "error";
  result["message"] = message_of(finding_text(scenario, finding));
  result["locations"] = locations_of(place_of(where));
  result["partialFingerprints"]["plumb/v1"] =
      std::string(rule) + "/" + label_of(scenario) + "/" + std::to_string(ordinal);
  return result;
}

void add_verdict(SarifJson& results, const ScenarioResult& scenario, const RuleVerdict& verdict) {
  const Part part = part_of(verdict);
  if (!counts_as_failed(part) && part != Part::expected_failure) return;
  std::int64_t ordinal = 0;
  for (const Finding& finding : evidence_of(verdict)) {
    SarifJson result = result_of(scenario, verdict.rule, finding, ordinal++);
    result["properties"]["verdict"] = to_string(part);
    if (part == Part::expected_failure) {
      result["suppressions"] = SarifJson::array(
          {{{"kind", "external"}, {"justification", visible(verdict.expected_by->reason)}}});
    }
    results.push_back(std::move(result));
  }
}

void add_scenario_results(SarifJson& results, const ScenarioResult& scenario) {
  for (const RuleVerdict& verdict : scenario.rules) add_verdict(results, scenario, verdict);
  std::int64_t ordinal = 0;
  for (const Finding& failure : scenario.expectation_failures) {
    results.push_back(result_of(scenario, kExpectationRule, failure, ordinal++));
  }
  ordinal = 0;
  for (const Error& error : scenario.errors) {
    Finding finding;
    finding.message = error.message;
    finding.where = error.where;
    results.push_back(result_of(scenario, kHarnessErrorRule, finding, ordinal++));
  }
}

SarifJson stale_result(const Error& entry) {
  SarifJson result;
  result["ruleId"] = kStaleRule;
  result["level"] = "error";
  result["message"] = message_of(entry.message);
  result["locations"] = locations_of(place_of(entry.where));
  return result;
}

SarifJson results_of(const Record& record) {
  SarifJson results = SarifJson::array();
  for (const ScenarioResult& scenario : record.scenarios) add_scenario_results(results, scenario);
  for (const Error& entry : record.stale_expectations) results.push_back(stale_result(entry));
  return results;
}

SarifJson rule_of(std::string_view id, std::string_view title, std::string_view sentence) {
  SarifJson rule;
  rule["id"] = id;
  if (!title.empty()) rule["shortDescription"]["text"] = title;
  if (!sentence.empty()) rule["fullDescription"]["text"] = sentence;
  return rule;
}

SarifJson rules_of(const Record& record) {
  std::map<std::string, SarifJson> rules;
  for (const ScenarioResult& scenario : record.scenarios) {
    for (const RuleVerdict& verdict : scenario.rules) {
      SarifJson rule = rule_of(verdict.rule, verdict.title, verdict.sentence);
      rule["properties"] = {{"level", verdict.level}, {"tier", verdict.tier}};
      rules.try_emplace(verdict.rule, std::move(rule));
    }
  }
  SarifJson list = SarifJson::array();
  for (auto& [id, rule] : rules) list.push_back(std::move(rule));
  list.push_back(
      rule_of(kExpectationRule, "expectation of a scenario", "what a scenario expects holds"));
  list.push_back(
      rule_of(kHarnessErrorRule, "harness error", "the scenario could be run and judged"));
  list.push_back(
      rule_of(kStaleRule, "stale expectation", "each expectations entry matches a verdict"));
  return list;
}

SarifJson notification_of(const Diagnostic& diagnostic) {
  const bool is_error = diagnostic.severity >= Severity::error;
  SarifJson notification;
  notification["level"] = is_error ? "error" : std::string(to_string(diagnostic.severity));
  notification["message"] = message_of(diagnostic.message);
  const SarifJson locations = locations_of(place_of(diagnostic.where));
  if (!locations.empty()) notification["locations"] = locations;
  return notification;
}

SarifJson invocation_of(const Record& record, const RenderOptions& options) {
  const int code = exit_code(record);
  SarifJson invocation;
  invocation["executionSuccessful"] = code != 3 && code != 4;
  invocation["exitCode"] = code;
  invocation["commandLine"] = record.command;
  if (options.has_timings && record.started_at.has_value()) {
    invocation["startTimeUtc"] = *record.started_at;
  }
  invocation["toolExecutionNotifications"] = SarifJson::array();
  for (const Diagnostic& diagnostic : record.diagnostics) {
    invocation["toolExecutionNotifications"].push_back(notification_of(diagnostic));
  }
  return invocation;
}

}  // namespace

std::string sarif_text(const Record& record, const RenderOptions& options) {
  SarifJson driver;
  driver["name"] = "plumbline";
  if (!record.tool_version.empty()) driver["version"] = record.tool_version;
  driver["rules"] = rules_of(record);
  SarifJson run;
  run["tool"]["driver"] = std::move(driver);
  run["invocations"] = SarifJson::array({invocation_of(record, options)});
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = results_of(record);
  SarifJson root;
  root["$schema"] = kSarifSchema;
  root["version"] = "2.1.0";
  root["runs"] = SarifJson::array({std::move(run)});
  return root.dump(1, ' ', false, SarifJson::error_handler_t::replace) + "\n";
}

}  // namespace plumb::reports
