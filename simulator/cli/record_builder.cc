// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/record_builder.h"

#include <algorithm>
#include <utility>

#include "engine/trace/event_json.h"
#include "engine/values/utf8.h"

namespace plumb::simulator {
namespace {

/// Longer events are cut in cards; the trace file has the whole line.
constexpr std::size_t kEventTextMax = 240;

reports::Verdict verdict_of(invariants::Verdict verdict) {
  switch (verdict) {
    case invariants::Verdict::pass:
      return reports::Verdict::pass;
    case invariants::Verdict::fail:
      return reports::Verdict::fail;
    case invariants::Verdict::not_triggered:
      return reports::Verdict::not_triggered;
    case invariants::Verdict::untestable:
      return reports::Verdict::untestable;
    case invariants::Verdict::not_applicable:
      return reports::Verdict::not_applicable;
    case invariants::Verdict::harness_error:
      return reports::Verdict::harness_error;
  }
  return reports::Verdict::harness_error;
}

std::string event_text(const Trace& trace, std::int64_t seq) {
  if (seq < 0 || seq >= static_cast<std::int64_t>(trace.events.size())) return "";
  std::string text = dump_json(to_json(trace.events[static_cast<std::size_t>(seq)]));
  if (text.size() <= kEventTextMax) return text;
  text.resize(kEventTextMax);
  // Not within a character.
  const auto cut = find_invalid_utf8(text);
  if (cut >= 0) text.resize(static_cast<std::size_t>(cut));
  return text + "...";
}

reports::Finding finding_at(const Trace& trace, std::int64_t seq) {
  reports::Finding finding;
  finding.event_seq = seq;
  finding.trace_line = seq < 0 ? -1 : seq + 2;
  finding.event_text = event_text(trace, seq);
  return finding;
}

reports::Finding finding_of(const invariants::Finding& found, const Trace& trace) {
  reports::Finding finding = finding_at(trace, found.seq);
  finding.message = found.message;
  finding.expected = found.expected;
  finding.actual = found.actual;
  finding.related = found.related;
  return finding;
}

bool names(const Scenario& scenario, const std::string& rule) {
  return std::ranges::any_of(scenario.rules, [&rule](const auto& r) { return r.id == rule; });
}

reports::RuleVerdict rule_verdict(const invariants::Judgement& judgement, const Trace& trace,
                                  const Catalogue& catalogue) {
  reports::RuleVerdict verdict;
  verdict.rule = judgement.id;
  verdict.verdict = verdict_of(judgement.verdict);
  verdict.reason = judgement.reason;
  if (const RuleEntry* entry = catalogue.find(judgement.id)) {
    verdict.title = entry->title;
    verdict.sentence = entry->sentence;
    verdict.level = to_string(entry->level);
    verdict.tier = to_string(entry->tier);
  }
  for (const auto& found : judgement.findings) verdict.findings.push_back(finding_of(found, trace));
  return verdict;
}

/// Whether an untestable verdict is red: our own engine shows what every scenario's rules need,
/// others what they claim.
bool is_claimed(const invariants::Judgement& judgement, const Scenario& scenario,
                const RunResult& run) {
  if (run.trace.header.determinism != Determinism::live) return names(scenario, judgement.id);
  return std::ranges::find(run.claims, judgement.id) != run.claims.end();
}

/// Named and claimed rules always; others when the run says something about them.
void add_verdicts(reports::ScenarioResult& result, const Scenario& scenario, const RunResult& run,
                  std::span<const invariants::Judgement> judgements, const Catalogue& catalogue) {
  for (const auto& judgement : judgements) {
    const bool is_judged = judgement.verdict == invariants::Verdict::pass ||
                           judgement.verdict == invariants::Verdict::fail;
    const bool is_red = judgement.verdict == invariants::Verdict::untestable &&
                        is_claimed(judgement, scenario, run);
    if (!names(scenario, judgement.id) && !is_judged && !is_red) continue;
    auto verdict = rule_verdict(judgement, run.trace, catalogue);
    verdict.is_claimed = is_claimed(judgement, scenario, run);
    result.rules.push_back(std::move(verdict));
  }
}

reports::Finding unmet_finding(const Unmet& unmet, const Trace& trace, const std::string& file) {
  reports::Finding finding = finding_at(trace, unmet.event_seq);
  finding.message = unmet.message;
  finding.expected = unmet.expected;
  finding.actual = unmet.actual;
  finding.where = located(file, unmet.place);
  return finding;
}

/// What the run did beside the script. Where a rule is broken it follows from that: the subject
/// does not conform. Else nothing can be said of the subject, and it stays an error of the run.
void add_errors(reports::ScenarioResult& result, const RunResult& run, const std::string& file) {
  const bool has_failed =
      std::ranges::any_of(result.rules, [](const reports::RuleVerdict& verdict) {
        return verdict.verdict == reports::Verdict::fail;
      });
  for (const auto& error : run.errors) {
    if (!has_failed || error.code != ErrorCode::protocol) {
      result.errors.push_back(error);
      continue;
    }
    reports::Finding finding;
    finding.message = error.message;
    finding.where = error.where.empty() ? file : error.where;
    result.expectation_failures.push_back(std::move(finding));
  }
}

void describe_trace(reports::ScenarioResult& result, const TraceHeader& header) {
  result.subject = header.subject;
  result.engine = header.engine;
  result.edition = header.edition;
  result.seed = static_cast<std::uint64_t>(header.seed);
  result.determinism = to_string(header.determinism);
}

}  // namespace

std::string id_of_file(const std::string& file) {
  std::string id = file;
  if (const auto at = id.rfind("scenarios/"); at != std::string::npos) id = id.substr(at + 10);
  if (const auto dot = id.rfind('.'); dot != std::string::npos) id.resize(dot);
  return id;
}

reports::ScenarioResult scenario_result(const Scenario& scenario, const CaseRun& run,
                                        const Catalogue& catalogue) {
  reports::ScenarioResult result;
  const Trace& trace = run.result.trace;
  describe_trace(result, trace.header);
  result.id = id_of_file(scenario.file);
  result.file = scenario.file;
  result.line = scenario.rules.empty() ? 1 : scenario.rules.front().place.line;
  result.title = scenario.title;
  result.variant = run.variant;
  add_verdicts(result, scenario, run.result, run.judgements, catalogue);
  for (const auto& unmet : run.unmet) {
    result.expectation_failures.push_back(unmet_finding(unmet, trace, scenario.file));
  }
  add_errors(result, run.result, scenario.file);
  return result;
}

reports::ScenarioResult trace_result(const std::string& file, const Trace& trace,
                                     std::span<const invariants::Judgement> judgements,
                                     const Catalogue& catalogue) {
  reports::ScenarioResult result;
  describe_trace(result, trace.header);
  result.id = id_of_file(file);
  result.file = file;
  result.title = "recorded trace";
  for (const auto& judgement : judgements) {
    result.rules.push_back(rule_verdict(judgement, trace, catalogue));
  }
  return result;
}

void add_relations(reports::ScenarioResult& result, const Scenario& scenario, const RunResult& run,
                   std::span<const invariants::Judgement> judgements, const Catalogue& catalogue) {
  RunResult whole;  // No event of one run shows what several do.
  whole.trace.header = run.trace.header;
  whole.claims = run.claims;
  add_verdicts(result, scenario, whole, judgements, catalogue);
}

}  // namespace plumb::simulator
