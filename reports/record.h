// SPDX-License-Identifier: Apache-2.0
// The record of one run of `plumb`: every verdict, with its evidence, as plain data. Reports are
// pure functions of it. Counts and exit codes are defined here and nowhere else
// (reports/README.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"

namespace plumb::reports {

inline constexpr std::string_view kRecordSchema = "plumb-record/1";

/// What a rule came to in one run of one scenario. Spelled the same in every file.
enum class Verdict : std::uint8_t {
  pass,            ///< Triggered, and held.
  fail,            ///< Triggered, and broken.
  not_triggered,   ///< Nothing in the run concerned the rule.
  untestable,      ///< The subject does not show what the rule needs, or the order is unknowable.
  not_applicable,  ///< Another edition or engine.
  harness_error,   ///< Ours: the rule could not be judged.
};
inline constexpr std::array kVerdicts{Verdict::pass,           Verdict::fail,
                                      Verdict::not_triggered,  Verdict::untestable,
                                      Verdict::not_applicable, Verdict::harness_error};

std::string_view to_string(Verdict verdict);
std::optional<Verdict> verdict_from_string(std::string_view text);

/// Derived by `status_of`: failed, when anything in it counts as failed; else passed, when anything
/// passed; else skipped.
enum class ScenarioStatus : std::uint8_t { passed, failed, skipped };

std::string_view to_string(ScenarioStatus status);
std::optional<ScenarioStatus> scenario_status_from_string(std::string_view text);

/// The spelling of an error code in files: the enumerator's own name.
std::string_view to_string(ErrorCode code);
std::optional<ErrorCode> error_code_from_string(std::string_view text);

/// One piece of evidence: what was seen, where, and what should have been there.
struct Finding {
  std::string message;
  std::string expected;
  std::string actual;
  std::int64_t event_seq = -1;   ///< The first event that diverges; -1 when there is none.
  std::int64_t trace_line = -1;  ///< Its line in the trace file, from 1; -1 when there is none.
  std::string event_text;        ///< That event in short.
  std::vector<std::int64_t> related;  ///< Other events (`seq`) that a reader should see.
  std::string where;                  ///< "file:line:col" of an expectation; empty for a rule.

  bool operator==(const Finding&) const = default;
};

/// The entry of an expectations file that speaks of a verdict.
struct ExpectedBy {
  std::string file;  ///< "file:line" of the entry.
  Verdict verdict = Verdict::fail;
  std::string reason;
  std::string expires;    ///< A date, YYYY-MM-DD.
  bool is_stale = false;  ///< Expired, or the verdict is another one than expected.

  bool operator==(const ExpectedBy&) const = default;
};

struct RuleVerdict {
  std::string rule;      ///< "EDIT-03"
  std::string title;     ///< A few words.
  std::string sentence;  ///< What the rule demands.
  std::string level;     ///< must, should, may
  std::string tier;      ///< A, B, C
  Verdict verdict = Verdict::not_triggered;
  std::string reason;  ///< Why it is untestable, not applicable or a harness error.
  bool is_claimed =
      false;  ///< The scenario names it or the profile claims it: untestable is a fail.
  std::optional<ExpectedBy> expected_by;
  std::vector<Finding> findings;

  bool operator==(const RuleVerdict&) const = default;
};

/// What an exploration covered. Without `classes_total` the number of classes is not known.
struct Exploration {
  std::int64_t schedules_run = 0;
  std::int64_t classes_explored = 0;
  std::optional<std::int64_t> classes_total;
  std::int64_t points_covered = 0;  ///< Of an abort, crash or fault sweep.
  std::optional<std::int64_t> points_total;

  bool operator==(const Exploration&) const = default;
};

/// One run of one scenario (one variant, one seed, one schedule).
struct ScenarioResult {
  std::string id;
  std::string file;  ///< As the user would type it; its folder is its domain.
  std::int64_t line = 0;
  std::string title;
  std::string subject;
  std::string engine;
  std::string edition;
  std::uint64_t seed = 0;
  std::string schedule;     ///< An explicit schedule; empty when the seed decides.
  std::string determinism;  ///< hermetic, replayed, live
  std::string variant;      ///< Empty when the scenario has none.
  ScenarioStatus status = ScenarioStatus::skipped;
  std::string skip_reason;  ///< Why it was not run at all; empty when it ran.
  std::vector<RuleVerdict> rules;
  std::vector<Finding> expectation_failures;  ///< Of the scenario's own `expect`, with `where`.
  std::vector<Error> errors;  ///< Harness errors; code invalid is the input's fault.
  std::string reproduce;      ///< One command line.
  std::string trace_path;
  std::int64_t duration_ms = 0;
  std::optional<Exploration> exploration;

  bool operator==(const ScenarioResult&) const = default;
};

enum class Severity : std::uint8_t {
  note,
  warning,
  error,        ///< Ours, or an output that cannot be written: exit code 3.
  input_error,  ///< Usage, or an input that cannot be read or is invalid: exit code 4.
};

std::string_view to_string(Severity severity);
std::optional<Severity> severity_from_string(std::string_view text);

/// Something to say about the run as a whole.
struct Diagnostic {
  Severity severity = Severity::note;
  std::string where;  ///< "file:line:col", or empty.
  std::string message;

  bool operator==(const Diagnostic&) const = default;
};

/// An input that cannot be read or is invalid; the run ends with exit code 4.
Diagnostic input_error(const Error& error);
/// An error of ours, or an output that cannot be written; the run ends with exit code 3.
Diagnostic run_error(const Error& error);

/// Counts. The unit is the verdict on (scenario, rule), each in exactly one of the parts below;
/// beside them, a failed expectation of a scenario is one `fail`, an error of a scenario or of the
/// run one `harness_error`, an expectations entry that matches nothing one `stale`, and a scenario
/// that was not run and has no verdicts one `not_run`.
struct Summary {
  std::int64_t passed = 0;  ///< pass
  std::int64_t failed = 0;  ///< fail + harness_error + stale
  std::int64_t skipped =
      0;  ///< not_triggered + untestable + not_applicable + expected_failure + not_run

  std::int64_t pass = 0;
  std::int64_t fail = 0;
  std::int64_t not_triggered = 0;
  std::int64_t untestable = 0;
  std::int64_t not_applicable = 0;
  std::int64_t harness_error = 0;
  std::int64_t stale = 0;
  std::int64_t expected_failure =
      0;  ///< A fail that the expectations file announces, with a reason.
  std::int64_t not_run = 0;

  std::int64_t scenarios = 0;
  std::int64_t scenarios_passed = 0;
  std::int64_t scenarios_failed = 0;
  std::int64_t scenarios_skipped = 0;
  std::int64_t rules = 0;         ///< Distinct rules with any verdict.
  std::int64_t rules_passed = 0;  ///< Distinct rules with a pass and nothing that counts as failed.
  std::int64_t rules_failed = 0;  ///< Distinct rules with something that counts as failed.
  std::int64_t exit_code = 0;

  bool operator==(const Summary&) const = default;
};

struct Record {
  std::string schema{kRecordSchema};
  std::string tool_version;
  std::string command;
  std::string subject;
  std::string edition;
  std::optional<std::string> started_at;  ///< A time as text; a timing, left out on demand.
  std::int64_t duration_ms = 0;           ///< A timing, left out on demand.
  std::vector<ScenarioResult> scenarios;
  std::vector<Diagnostic> diagnostics;
  std::vector<Error> stale_expectations;  ///< Entries of the expectations file that match nothing.
  Summary summary;                        ///< Set by `settle`.

  bool operator==(const Record&) const = default;
};

/// The part of the count that one verdict falls into: its own verdict, unless an expectation or a
/// claim says otherwise.
enum class Part : std::uint8_t {
  pass,
  fail,
  harness_error,
  stale,
  not_triggered,
  untestable,
  not_applicable,
  expected_failure,
};

std::string_view to_string(Part part);
Part part_of(const RuleVerdict& verdict);
bool counts_as_failed(Part part);

ScenarioStatus status_of(const ScenarioResult& scenario);
Summary summarise(const Record& record);

/// DESIGN.md section 6, the first that applies: 4 usage or input, 3 harness error, 5 stale
/// expectation, 1 does not conform, 2 nothing selected or triggered, 0.
int exit_code(const Record& record);

/// Sorts the scenarios by file, line, id, variant, seed and schedule, whatever order they ended in,
/// and sets every status and the summary. Call once, after the last scenario.
void settle(Record& record);

/// One settled record of the shards of a run: what one machine would have recorded. The command is
/// the first shard's, durations are added up, an expectations entry is stale when no shard matched
/// it, and what every shard says is said once. Errors: invalid, when there are no parts, or they
/// differ in version, subject or edition.
Result<Record> merged(std::vector<Record> parts);

/// The folder that a scenario file lies in ("edit" for "scenarios/edit/x.yaml"), or "scenarios".
std::string domain_of(std::string_view file);
/// The scenario's id with variant, seed and schedule where they are set: unique within a record.
std::string label_of(const ScenarioResult& scenario);
/// "file:line", or the file alone when the line is not known.
std::string location_of(const ScenarioResult& scenario);

}  // namespace plumb::reports
