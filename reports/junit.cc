// SPDX-License-Identifier: Apache-2.0
#include "reports/junit.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "reports/card.h"
#include "reports/text.h"

namespace plumb::reports {
namespace {

constexpr std::string_view kRunSuite = "plumb";

/// The child element of a case that did not pass.
struct CaseOutcome {
  std::string element;  ///< failure, error, skipped
  std::string type;
  std::string message;
  std::string body;
};

struct TestCase {
  std::string class_name;
  std::string name;
  std::string file;
  std::int64_t line = 0;
  std::int64_t duration_ms = 0;
  std::optional<CaseOutcome> outcome;
};

struct TestSuite {
  std::vector<TestCase> cases;

  std::int64_t count_of(std::string_view element) const {
    std::int64_t count = 0;
    for (const TestCase& test : cases) {
      count += test.outcome.has_value() && test.outcome->element == element ? 1 : 0;
    }
    return count;
  }
};

std::string element_of(Part part) {
  if (part == Part::harness_error) return "error";
  return counts_as_failed(part) ? "failure" : "skipped";
}

std::string skip_message(const RuleVerdict& verdict, Part part) {
  const std::string& reason =
      part == Part::expected_failure ? verdict.expected_by->reason : verdict.reason;
  return words_of(to_string(part)) + (reason.empty() ? "" : ": " + reason);
}

TestCase case_for(const ScenarioResult& scenario, std::string name) {
  TestCase test;
  test.class_name = domain_of(scenario.file) + "." + label_of(scenario);
  test.name = std::move(name);
  test.file = scenario.file;
  test.line = scenario.line;
  return test;
}

CaseOutcome failed_outcome(const Card& card) {
  const std::string message = card.message.empty() ? card.sentence : card.message;
  return {element_of(card.part), std::string(to_string(card.part)), message, card_text(card)};
}

TestCase rule_case(const ScenarioResult& scenario, const RuleVerdict& verdict) {
  TestCase test = case_for(scenario, verdict.rule);
  const Part part = part_of(verdict);
  if (counts_as_failed(part)) {
    test.outcome = failed_outcome(rule_card(scenario, verdict));
  } else if (part != Part::pass) {
    test.outcome = CaseOutcome{"skipped", "", skip_message(verdict, part), ""};
  }
  return test;
}

void add_scenario(TestSuite& suite, const ScenarioResult& scenario) {
  const std::size_t first = suite.cases.size();
  for (const RuleVerdict& verdict : scenario.rules)
    suite.cases.push_back(rule_case(scenario, verdict));
  for (const Finding& failure : scenario.expectation_failures) {
    TestCase test = case_for(scenario, "expectation " + failure.where);
    test.outcome = failed_outcome(expectation_card(scenario, failure));
    suite.cases.push_back(std::move(test));
  }
  for (const Error& error : scenario.errors) {
    TestCase test = case_for(scenario, "harness error " + std::string(to_string(error.code)));
    test.outcome = failed_outcome(error_card(scenario, error));
    suite.cases.push_back(std::move(test));
  }
  if (!scenario.skip_reason.empty() && scenario.rules.empty()) {
    TestCase test = case_for(scenario, "not run");
    test.outcome = CaseOutcome{"skipped", "", "not run: " + scenario.skip_reason, ""};
    suite.cases.push_back(std::move(test));
  }
  // One run judges all rules, so its time is told once: sums stay true.
  if (suite.cases.size() > first) suite.cases[first].duration_ms = scenario.duration_ms;
}

void add_run_case(TestSuite& suite, std::string name, CaseOutcome outcome) {
  TestCase test;
  test.class_name = kRunSuite;
  test.name = std::move(name);
  test.outcome = std::move(outcome);
  suite.cases.push_back(std::move(test));
}

TestSuite run_suite(const Record& record) {
  TestSuite suite;
  for (const Diagnostic& diagnostic : record.diagnostics) {
    if (diagnostic.severity < Severity::error) continue;
    const std::string type(to_string(diagnostic.severity));
    const std::string where = diagnostic.where.empty() ? "" : " " + diagnostic.where;
    add_run_case(suite, type + where, {"error", type, diagnostic.message, ""});
  }
  for (const Error& entry : record.stale_expectations) {
    add_run_case(suite, "expectation " + entry.where, {"failure", "stale", entry.message, ""});
  }
  return suite;
}

std::map<std::string, TestSuite> suites_of(const Record& record) {
  std::map<std::string, TestSuite> suites;
  for (const ScenarioResult& scenario : record.scenarios) {
    add_scenario(suites[domain_of(scenario.file)], scenario);
  }
  TestSuite run = run_suite(record);
  if (!run.cases.empty()) {
    std::vector<TestCase>& cases = suites[std::string(kRunSuite)].cases;
    cases.insert(cases.end(), run.cases.begin(), run.cases.end());
  }
  return suites;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml_escaped(value) + "\"";
}

std::string attribute(std::string_view name, std::int64_t value) {
  return attribute(name, std::to_string(value));
}

std::string time_attribute(std::int64_t milliseconds, const RenderOptions& options) {
  if (!options.has_timings) return "";
  std::string fraction = std::to_string(1000 + milliseconds % 1000);
  return attribute("time", std::to_string(milliseconds / 1000) + "." + fraction.substr(1));
}

std::string outcome_xml(const CaseOutcome& outcome) {
  std::string text = "      <" + outcome.element + attribute("message", outcome.message);
  if (!outcome.type.empty()) text += attribute("type", outcome.type);
  if (outcome.body.empty()) return text + "/>\n";
  // Line feeds need no reference between tags, and a person reads them better.
  return text + ">" + replaced(xml_escaped(outcome.body), "&#10;", "\n") + "</" + outcome.element +
         ">\n";
}

std::string case_xml(const TestCase& test, const RenderOptions& options) {
  std::string text = "    <testcase" + attribute("classname", test.class_name);
  text += attribute("name", test.name);
  if (!test.file.empty()) text += attribute("file", test.file);
  if (test.line > 0) text += attribute("line", test.line);
  text += time_attribute(test.duration_ms, options);
  if (!test.outcome.has_value()) return text + "/>\n";
  return text + ">\n" + outcome_xml(*test.outcome) + "    </testcase>\n";
}

std::string count_attributes(const TestSuite& suite) {
  return attribute("tests", std::ssize(suite.cases)) +
         attribute("failures", suite.count_of("failure")) +
         attribute("errors", suite.count_of("error")) +
         attribute("skipped", suite.count_of("skipped"));
}

std::int64_t duration_of(const TestSuite& suite) {
  std::int64_t sum = 0;
  for (const TestCase& test : suite.cases) sum += test.duration_ms;
  return sum;
}

std::string suite_xml(const std::string& name, const TestSuite& suite,
                      const RenderOptions& options) {
  std::string text = "  <testsuite" + attribute("name", name) + count_attributes(suite);
  text += time_attribute(duration_of(suite), options) + ">\n";
  for (const TestCase& test : suite.cases) text += case_xml(test, options);
  return text + "  </testsuite>\n";
}

bool is_xml_character(const Character& character) {
  if (!character.is_valid) return false;
  const char32_t value = character.value;
  if (value < 0x20) return value == U'\t' || value == U'\n' || value == U'\r';
  return value != 0xFFFE && value != 0xFFFF;
}

std::string_view xml_reference(char32_t value) {
  switch (value) {
    case U'&':
      return "&amp;";
    case U'<':
      return "&lt;";
    case U'>':
      return "&gt;";
    case U'"':
      return "&quot;";
    case U'\t':
      return "&#9;";
    case U'\n':
      return "&#10;";
    case U'\r':
      return "&#13;";
    default:
      return "";
  }
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (std::int64_t at = 0; at < std::ssize(text);) {
    const Character character = character_at(text, at);
    const std::string_view bytes =
        text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(character.length));
    const std::string_view reference = character.is_valid ? xml_reference(character.value) : "";
    if (!reference.empty()) {
      escaped += reference;
    } else {
      escaped += is_xml_character(character) ? std::string(bytes) : visible_line(bytes);
    }
    at += character.length;
  }
  return escaped;
}

std::string junit_text(const Record& record, const RenderOptions& options) {
  const std::map<std::string, TestSuite> suites = suites_of(record);
  TestSuite all;
  for (const auto& [name, suite] : suites) {
    all.cases.insert(all.cases.end(), suite.cases.begin(), suite.cases.end());
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";
  text += attribute("name", kRunSuite) + count_attributes(all);
  text += time_attribute(duration_of(all), options);
  if (options.has_timings && record.started_at.has_value()) {
    text += attribute("timestamp", *record.started_at);
  }
  text += ">\n";
  for (const auto& [name, suite] : suites) text += suite_xml(name, suite, options);
  return text + "</testsuites>\n";
}

}  // namespace plumb::reports
