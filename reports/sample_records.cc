// SPDX-License-Identifier: Apache-2.0
#include "reports/sample_records.h"

#include <utility>

namespace plumb::reports {
namespace {

Finding overlap_finding() {
  Finding finding;
  finding.message = "two edits overlap, yet the file was written";
  finding.expected = "no write to notes.txt";
  finding.actual = "a write of 42 bytes to notes.txt";
  finding.event_seq = 17;
  finding.trace_line = 18;
  finding.event_text = "file_op write notes.txt begin";
  finding.related = {12, 15};
  return finding;
}

RuleVerdict overlap_verdict() {
  RuleVerdict verdict = sample_verdict("EDIT-03", Verdict::fail);
  verdict.title = "overlapping edits";
  verdict.sentence =
      "Two edits of one call whose ranges overlap are refused before anything is written, and the "
      "result "
      "names both edits by their position in the call.";
  Finding second = overlap_finding();
  second.message = "the result does not name both edits";
  second.event_seq = 19;
  verdict.findings = {second, overlap_finding()};
  return verdict;
}

std::vector<RuleVerdict> skipped_verdicts() {
  RuleVerdict untestable = sample_verdict("CACHE-02", Verdict::untestable);
  untestable.reason = "the subject does not emit provider_request";
  RuleVerdict not_applicable = sample_verdict("DUR-01", Verdict::not_applicable);
  not_applicable.reason = "engine durable only";
  RuleVerdict expected = sample_verdict("PIPE-12", Verdict::fail);
  expected.findings = {overlap_finding()};
  expected.expected_by = ExpectedBy{"expectations.yaml:4", Verdict::fail,
                                    "fixed in the next release", "2026-12-01", false};
  return {untestable, not_applicable, expected, sample_verdict("EVENT-09", Verdict::not_triggered)};
}

}  // namespace

RuleVerdict sample_verdict(std::string rule, Verdict verdict) {
  RuleVerdict made;
  made.title = "title of " + rule;
  made.sentence = "What " + rule + " demands.";
  made.rule = std::move(rule);
  made.level = "must";
  made.tier = "A";
  made.verdict = verdict;
  return made;
}

ScenarioResult sample_scenario(std::string id, std::vector<RuleVerdict> rules) {
  ScenarioResult scenario;
  scenario.file = "scenarios/edit/" + id + ".yaml";
  scenario.line = 1;
  scenario.title = "title of " + id;
  scenario.subject = "reference";
  scenario.engine = "session";
  scenario.edition = "seed";
  scenario.determinism = "hermetic";
  scenario.reproduce = "plumb run " + scenario.file + " --seed 0";
  scenario.trace_path = "out/" + id + ".jsonl";
  scenario.duration_ms = 1234;
  scenario.id = std::move(id);
  scenario.rules = std::move(rules);
  return scenario;
}

Record sample_record(std::vector<ScenarioResult> scenarios) {
  Record record;
  record.tool_version = "0.0.0";
  record.command = "plumb run scenarios";
  record.subject = "reference";
  record.edition = "seed";
  record.started_at = "2026-01-02T03:04:05Z";
  record.duration_ms = 2500;
  record.scenarios = std::move(scenarios);
  settle(record);
  return record;
}

Record all_pass_record() {
  ScenarioResult second =
      sample_scenario("prefix-kept", {sample_verdict("CACHE-01", Verdict::pass)});
  second.file = "scenarios/cache/prefix-kept.yaml";
  second.seed = 7;
  second.exploration = Exploration{24, 6, 6, 0, std::nullopt};
  return sample_record(
      {sample_scenario("touching-ranges", {sample_verdict("EDIT-03", Verdict::pass),
                                           sample_verdict("EDIT-04", Verdict::pass)}),
       second});
}

Record one_failure_record() {
  std::vector<RuleVerdict> rules = skipped_verdicts();
  rules.insert(rules.begin(), {overlap_verdict(), sample_verdict("EDIT-04", Verdict::pass)});
  ScenarioResult scenario = sample_scenario("overlapping-ranges", rules);
  scenario.variant = "permuted";
  scenario.schedule = "0,1,0,2";
  Finding expectation;
  expectation.message = "the last reply is not as expected";
  expectation.expected = "done";
  expectation.actual = "failed";
  expectation.where = "scenarios/edit/overlapping-ranges.yaml:21:5";
  scenario.expectation_failures = {expectation};
  return sample_record(
      {scenario, sample_scenario("plain", {sample_verdict("EDIT-04", Verdict::pass)})});
}

Record harness_error_record() {
  ScenarioResult scenario = sample_scenario("short-script", {});
  scenario.errors = {Error{ErrorCode::exhausted,
                           "the script has no reply for request 3 of track main",
                           "scenarios/edit/short-script.yaml:9:3"}};
  RuleVerdict verdict = sample_verdict("EDIT-01", Verdict::harness_error);
  verdict.reason = "the trace was cut short";
  scenario.rules = {verdict};
  ScenarioResult skipped = sample_scenario("live-only", {});
  skipped.skip_reason = "the subject needs Node, which was not found";
  Record record = sample_record({scenario, skipped});
  record.diagnostics = {
      {Severity::warning, "plumb.yaml:3:1", "key 'jobs' has no effect here"},
      {Severity::error, "out/report.xml", "cannot write: no space left on device"}};
  settle(record);
  return record;
}

Record nothing_selected_record() {
  return sample_record({});
}

Record stale_record() {
  RuleVerdict verdict = sample_verdict("EDIT-02", Verdict::pass);
  verdict.expected_by =
      ExpectedBy{"expectations.yaml:2", Verdict::fail, "known to be broken", "2026-12-01", true};
  Record record = sample_record({sample_scenario("crlf", {verdict})});
  record.stale_expectations = {
      Error{ErrorCode::not_found, "no rule 'EDIT-99' was judged", "expectations.yaml:8"}};
  settle(record);
  return record;
}

Record hostile_text_record() {
  RuleVerdict verdict = sample_verdict("EDIT-05", Verdict::fail);
  verdict.title = "中文标题 <b>&\"quoted\"</b>";
  verdict.sentence = "文件中的每一个字符都必须保留，" + std::string(300, 'x') + "，不得丢失";
  Finding finding;
  finding.message =
      std::string("bell \x07, escape \x1b[31m, nul ") + '\0' + ", bad \xff\xfe, ]]> end";
  finding.expected =
      "</script><script>alert(1)</script>\nline 2\nline 3\nline 4\nline 5 is too many";
  // NOLINTNEXTLINE(misc-misleading-bidirectional): written as an escape
  finding.actual = "```\n| a | b |\n\xE2\x80\xAE reversed \xEF\xBF\xBE";
  finding.event_seq = 3;
  finding.event_text = "message_end 你好，世界";
  verdict.findings = {finding};
  ScenarioResult scenario = sample_scenario("unicode", {verdict});
  scenario.file = "scenarios/编辑/a b#1.yaml";
  scenario.reproduce =
      "plumb run 'scenarios/编辑/a b#1.yaml' --only EDIT-05 --seed 0 --edition seed "
      "--schedule 0,1,2,3,4,5,6,7,8,9,10,11,12 --engine session --trace full";
  return sample_record({scenario});
}

std::vector<NamedRecord> sample_records() {
  return {{"all_pass", all_pass_record()},
          {"one_failure", one_failure_record()},
          {"harness_error", harness_error_record()},
          {"nothing_selected", nothing_selected_record()},
          {"stale", stale_record()},
          {"hostile_text", hostile_text_record()}};
}

}  // namespace plumb::reports
