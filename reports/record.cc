// SPDX-License-Identifier: Apache-2.0
#include "reports/record.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>

// Names are switches without a default: the compiler names an enumerator that is left out.
namespace plumb::reports {
namespace {

/// The enumerator that `to_string` calls so. Enumerators are small numbers from 0 on.
template <class Enum>
std::optional<Enum> enumerator_named(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (int value = 0; value < 64; ++value) {
    const auto candidate = static_cast<Enum>(value);
    if (to_string(candidate) == name) return candidate;
  }
  return std::nullopt;
}

std::int64_t& count_of(Summary& summary, Part part) {
  switch (part) {
    case Part::pass:
      return summary.pass;
    case Part::fail:
      return summary.fail;
    case Part::harness_error:
      return summary.harness_error;
    case Part::stale:
      return summary.stale;
    case Part::not_triggered:
      return summary.not_triggered;
    case Part::untestable:
      return summary.untestable;
    case Part::not_applicable:
      return summary.not_applicable;
    case Part::expected_failure:
      break;
  }
  return summary.expected_failure;
}

bool is_run_error(const Diagnostic& diagnostic) {
  return diagnostic.severity == Severity::error || diagnostic.severity == Severity::input_error;
}

bool has_input_error(const ScenarioResult& scenario) {
  return std::ranges::any_of(scenario.errors,
                             [](const Error& error) { return error.code == ErrorCode::invalid; });
}

bool has_input_error(const Record& record) {
  const bool in_run = std::ranges::any_of(record.diagnostics, [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::input_error;
  });
  return in_run || std::ranges::any_of(record.scenarios, [](const ScenarioResult& scenario) {
           return has_input_error(scenario);
         });
}

void count_scenario(Summary& summary, const ScenarioResult& scenario) {
  ++summary.scenarios;
  const ScenarioStatus status = status_of(scenario);
  summary.scenarios_passed += status == ScenarioStatus::passed ? 1 : 0;
  summary.scenarios_failed += status == ScenarioStatus::failed ? 1 : 0;
  summary.scenarios_skipped += status == ScenarioStatus::skipped ? 1 : 0;
  for (const RuleVerdict& verdict : scenario.rules) ++count_of(summary, part_of(verdict));
  summary.fail += std::ssize(scenario.expectation_failures);
  summary.harness_error += std::ssize(scenario.errors);
  if (!scenario.skip_reason.empty() && scenario.rules.empty()) ++summary.not_run;
}

struct RuleCount {
  bool has_passed = false;
  bool has_failed = false;
};

void count_rules(Summary& summary, const Record& record) {
  std::map<std::string_view, RuleCount> rules;
  for (const ScenarioResult& scenario : record.scenarios) {
    for (const RuleVerdict& verdict : scenario.rules) {
      RuleCount& count = rules[verdict.rule];
      count.has_passed |= part_of(verdict) == Part::pass;
      count.has_failed |= counts_as_failed(part_of(verdict));
    }
  }
  summary.rules = std::ssize(rules);
  for (const auto& [rule, count] : rules) {
    summary.rules_passed += count.has_passed && !count.has_failed ? 1 : 0;
    summary.rules_failed += count.has_failed ? 1 : 0;
  }
}

int exit_code_of(const Summary& summary, bool is_input_at_fault) {
  if (is_input_at_fault) return 4;
  if (summary.harness_error > 0) return 3;
  if (summary.stale > 0) return 5;
  if (summary.fail > 0) return 1;
  if (summary.pass + summary.expected_failure == 0) return 2;
  return 0;
}

auto order_of(const ScenarioResult& scenario) {
  return std::tie(scenario.file, scenario.line, scenario.id, scenario.variant, scenario.seed,
                  scenario.schedule);
}

bool is_same_run(const Record& a, const Record& b) {
  return std::tie(a.schema, a.tool_version, a.subject, a.edition) ==
         std::tie(b.schema, b.tool_version, b.subject, b.edition);
}

template <class T>
bool is_in(const std::vector<T>& values, const T& value) {
  return std::ranges::find(values, value) != values.end();
}

/// `whole` and `part` are shards of one run.
void take_over(Record& whole, Record part) {
  std::ranges::move(part.scenarios, std::back_inserter(whole.scenarios));
  for (Diagnostic& diagnostic : part.diagnostics) {
    if (!is_in(whole.diagnostics, diagnostic)) whole.diagnostics.push_back(std::move(diagnostic));
  }
  std::erase_if(whole.stale_expectations,
                [&part](const Error& entry) { return !is_in(part.stale_expectations, entry); });
  whole.duration_ms += part.duration_ms;
  if (part.started_at.has_value() && whole.started_at.has_value()) {
    whole.started_at = std::min(*whole.started_at, *part.started_at);
  }
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::not_triggered:
      return "not_triggered";
    case Verdict::untestable:
      return "untestable";
    case Verdict::not_applicable:
      return "not_applicable";
    case Verdict::harness_error:
      return "harness_error";
  }
  return {};
}
std::optional<Verdict> verdict_from_string(std::string_view text) {
  return enumerator_named<Verdict>(text);
}

std::string_view to_string(ScenarioStatus status) {
  switch (status) {
    case ScenarioStatus::passed:
      return "passed";
    case ScenarioStatus::failed:
      return "failed";
    case ScenarioStatus::skipped:
      return "skipped";
  }
  return {};
}
std::optional<ScenarioStatus> scenario_status_from_string(std::string_view text) {
  return enumerator_named<ScenarioStatus>(text);
}

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid:
      return "invalid";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::permission:
      return "permission";
    case ErrorCode::exists:
      return "exists";
    case ErrorCode::io:
      return "io";
    case ErrorCode::timeout:
      return "timeout";
    case ErrorCode::aborted:
      return "aborted";
    case ErrorCode::rejected:
      return "rejected";
    case ErrorCode::protocol:
      return "protocol";
    case ErrorCode::exhausted:
      return "exhausted";
    case ErrorCode::is_directory:
      return "is_directory";
    case ErrorCode::not_directory:
      return "not_directory";
    case ErrorCode::loop:
      return "loop";
    case ErrorCode::stuck:
      return "stuck";
  }
  return {};
}
std::optional<ErrorCode> error_code_from_string(std::string_view text) {
  return enumerator_named<ErrorCode>(text);
}

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
    case Severity::input_error:
      return "input_error";
  }
  return {};
}
std::optional<Severity> severity_from_string(std::string_view text) {
  return enumerator_named<Severity>(text);
}

std::string_view to_string(Part part) {
  switch (part) {
    case Part::pass:
      return "pass";
    case Part::fail:
      return "fail";
    case Part::harness_error:
      return "harness_error";
    case Part::stale:
      return "stale";
    case Part::not_triggered:
      return "not_triggered";
    case Part::untestable:
      return "untestable";
    case Part::not_applicable:
      return "not_applicable";
    case Part::expected_failure:
      return "expected_failure";
  }
  return {};
}

Diagnostic input_error(const Error& error) {
  return {Severity::input_error, error.where, error.message};
}

Diagnostic run_error(const Error& error) {
  return {Severity::error, error.where, error.message};
}

Part part_of(const RuleVerdict& verdict) {
  const bool is_expected = verdict.expected_by.has_value();
  if (is_expected && verdict.expected_by->is_stale) return Part::stale;
  switch (verdict.verdict) {
    case Verdict::pass:
      return Part::pass;
    case Verdict::fail:
      return is_expected ? Part::expected_failure : Part::fail;
    case Verdict::not_triggered:
      return Part::not_triggered;
    case Verdict::untestable:
      return verdict.is_claimed && !is_expected ? Part::fail : Part::untestable;
    case Verdict::not_applicable:
      return Part::not_applicable;
    case Verdict::harness_error:
      break;
  }
  return Part::harness_error;
}

bool counts_as_failed(Part part) {
  return part == Part::fail || part == Part::harness_error || part == Part::stale;
}

ScenarioStatus status_of(const ScenarioResult& scenario) {
  bool has_failed = !scenario.errors.empty() || !scenario.expectation_failures.empty();
  bool has_passed = false;
  for (const RuleVerdict& verdict : scenario.rules) {
    const Part part = part_of(verdict);
    has_failed |= counts_as_failed(part);
    has_passed |= part == Part::pass;
  }
  if (has_failed) return ScenarioStatus::failed;
  return has_passed ? ScenarioStatus::passed : ScenarioStatus::skipped;
}

Summary summarise(const Record& record) {
  Summary summary;
  for (const ScenarioResult& scenario : record.scenarios) count_scenario(summary, scenario);
  count_rules(summary, record);
  summary.harness_error += std::ranges::count_if(record.diagnostics, is_run_error);
  summary.stale += std::ssize(record.stale_expectations);
  summary.passed = summary.pass;
  summary.failed = summary.fail + summary.harness_error + summary.stale;
  summary.skipped = summary.not_triggered + summary.untestable + summary.not_applicable +
                    summary.expected_failure + summary.not_run;
  summary.exit_code = exit_code_of(summary, has_input_error(record));
  return summary;
}

int exit_code(const Record& record) {
  return static_cast<int>(summarise(record).exit_code);
}

void settle(Record& record) {
  std::ranges::sort(record.scenarios, {}, order_of);
  for (ScenarioResult& scenario : record.scenarios) scenario.status = status_of(scenario);
  record.summary = summarise(record);
}

Result<Record> merged(std::vector<Record> parts) {
  if (parts.empty()) return fail(ErrorCode::invalid, "nothing to merge");
  Record whole = std::move(parts.front());
  for (Record& part : std::span(parts).subspan(1)) {
    if (!is_same_run(whole, part)) {
      return fail(ErrorCode::invalid, "records differ in version, subject or edition");
    }
    take_over(whole, std::move(part));
  }
  settle(whole);
  return whole;
}

std::string domain_of(std::string_view file) {
  const std::size_t end = file.rfind('/');
  if (end == std::string_view::npos || end == 0) return "scenarios";
  const std::string_view folder = file.substr(0, end);
  const std::string_view name = folder.substr(folder.rfind('/') + 1);
  return name == "." || name == ".." ? "scenarios" : std::string(name);
}

std::string label_of(const ScenarioResult& scenario) {
  std::string label = scenario.id;
  if (!scenario.variant.empty()) label += " [" + scenario.variant + "]";
  if (scenario.seed != 0) label += " seed " + std::to_string(scenario.seed);
  if (!scenario.schedule.empty()) label += " schedule " + scenario.schedule;
  return label;
}

std::string location_of(const ScenarioResult& scenario) {
  if (scenario.line <= 0) return scenario.file;
  return scenario.file + ":" + std::to_string(scenario.line);
}

}  // namespace plumb::reports
