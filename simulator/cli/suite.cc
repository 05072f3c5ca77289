// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/suite.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "engine/kernel/shell_word.h"
#include "engine/trace/jsonl.h"
#include "engine/values/sha256.h"
#include "simulator/cli/record_builder.h"
#include "simulator/cli/report_files.h"
#include "simulator/explore/case_run.h"
#include "simulator/explore/schedules.h"
#include "simulator/explore/worker_pool.h"

namespace plumb::simulator {
namespace {

constexpr std::size_t kNamePartBytesMax = 60;

/// Letters, digits, '-', '_' and '.'; a text with others, or too long for a name, has a digest
/// behind what can be kept of it.
std::string file_safe(const std::string& text) {
  std::string safe = text.substr(0, kNamePartBytesMax);
  std::ranges::replace_if(
      safe,
      [](char c) {
        return !std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.';
      },
      '-');
  return safe == text ? safe : safe + "-" + sha256_hex(text).substr(0, 16);
}

std::string schedule_text(const std::vector<std::int64_t>& picks) {
  std::string text;
  for (const auto pick : picks) text += (text.empty() ? "" : " ") + std::to_string(pick);
  return text;
}

/// What went wrong in a run, the same text for the same thing: rules that fail, else errors of the
/// run.
std::string failure_of(const CaseRun& run) {
  std::string failure;
  for (const auto& judgement : run.judgements) {
    if (judgement.verdict == invariants::Verdict::fail) failure += judgement.id + " ";
  }
  for (const auto& error : run.result.errors) failure += error.message + " ";
  if (!run.unmet.empty()) failure += "expectations";
  return failure;
}

/// A path that stays within the folder that it is put behind; with no single '~' in it.
std::string below(const std::string& path) {
  std::string inside;
  for (const auto& part : std::filesystem::path(path).lexically_normal().relative_path()) {
    if (!inside.empty()) inside += "/";
    inside += part == ".." ? "up" : part.string();
  }
  for (auto at = inside.find('~'); at != inside.npos; at = inside.find('~', at + 2)) {
    inside.insert(at, 1, '~');
  }
  return inside;
}

/// Relative to the output folder, so that a record says the same wherever it was written; another
/// one for each run.
std::string trace_path_of(const reports::ScenarioResult& result) {
  std::string name = "traces/" + below(result.id);
  if (!result.variant.empty()) name += "~" + file_safe(result.variant);
  if (result.seed != 0) name += "~seed~" + std::to_string(result.seed);
  if (!result.schedule.empty()) name += "~schedule~" + file_safe(result.schedule);
  return name + ".jsonl";
}

/// One scenario under one seed: itself and its variants.
class SuiteItem {
 public:
  SuiteItem(const Scenario& scenario, std::uint64_t seed, const SuiteOptions& options,
            const Catalogue& catalogue)
      : scenario_(scenario), seed_(seed), options_(options), catalogue_(catalogue) {}

  SuiteResult play(const invariants::Catalogue& facts);

 private:
  RunOptions run_options() const;
  std::string reproduction(const std::string& schedule) const;
  void keep_trace(reports::ScenarioResult& result, const Trace& trace);
  void add_run(const CaseRun& run, const std::string& schedule);
  void play_variants(const invariants::Catalogue& facts);
  void explore(const invariants::Catalogue& facts);
  void sweep_points(const invariants::Catalogue& facts);
  void play_one_point(const invariants::Catalogue& facts);
  void add_missing_point(const CaseRun& whole, std::int64_t count);
  void add_point(const SweepFailure& point);

  const Scenario& scenario_;
  std::uint64_t seed_;
  const SuiteOptions& options_;
  const Catalogue& catalogue_;
  std::unique_ptr<Subject> subject_;
  SuiteResult out_;
};

RunOptions SuiteItem::run_options() const {
  RunOptions options;
  options.alterations = options_.alterations;
  if (options_.step_max) options.step_max = *options_.step_max;
  return options;
}

std::string SuiteItem::reproduction(const std::string& schedule) const {
  std::string line = "./plumb run " + engine::shell_word(scenario_.file);
  if (seed_ != 0) line += " --seed " + std::to_string(seed_);
  if (!schedule.empty()) line += " --schedule \"" + schedule + "\"";
  if (!options_.reproduce_with.empty()) line += " " + options_.reproduce_with;
  return line;
}

void SuiteItem::keep_trace(reports::ScenarioResult& result, const Trace& trace) {
  if (options_.out_folder.empty()) return;
  result.trace_path = trace_path_of(result);
  const auto path = options_.out_folder + "/" + result.trace_path;
  if (auto written = write_output(path, write_trace(trace)); !written) {
    out_.diagnostics.push_back(reports::run_error(written.error()));
  }
}

void SuiteItem::add_run(const CaseRun& run, const std::string& schedule) {
  auto result = scenario_result(scenario_, run, catalogue_);
  result.schedule = schedule;
  result.reproduce = reproduction(schedule);
  keep_trace(result, run.result.trace);
  out_.scenarios.push_back(std::move(result));
}

void SuiteItem::play_variants(const invariants::Catalogue& facts) {
  RunOptions options = run_options();
  options.schedule = options_.schedule;
  std::vector<CaseRun> runs;
  for (const auto& variant : variants_of(scenario_, seed_)) {
    runs.push_back(run_case(*subject_, variant, options, facts));
    add_run(runs.back(), options_.schedule ? schedule_text(*options_.schedule) : "");
  }
  add_relations(out_.scenarios.front(), scenario_, runs.front().result,
                judge_relations(runs, facts), catalogue_);
}

/// One run of each class of schedules; a class that fails is shown by its shortest schedule.
void SuiteItem::explore(const invariants::Catalogue& facts) {
  const Variant variant{"", "", scenario_, seed_};
  RunOptions options = run_options();
  const auto play = [&](SchedulePicker picker) {
    RunOptions picked = options;
    picked.picker = std::move(picker);
    picked.records_steps = picked.records_ready = true;
    auto run = run_case(*subject_, variant, picked, facts);
    return Execution{std::move(run.result.steps), failure_of(run)};
  };
  const auto report = explore_schedules(play);
  play_variants(facts);
  if (!report) {
    out_.scenarios.front().errors.push_back(report.error());
    return;
  }
  reports::Exploration exploration;
  exploration.schedules_run = report->schedules_run;
  exploration.classes_explored = report->classes_explored;
  if (report->is_exhaustive && report->unplanned_classes == 0) {
    exploration.classes_total = report->classes_explored;
  }
  out_.scenarios.front().exploration = exploration;
  if (report->unplanned_classes > 0) {
    out_.diagnostics.push_back({reports::Severity::warning, scenario_.file,
                                std::to_string(report->unplanned_classes) +
                                    " classes were met unplanned: some steps do not say what they "
                                    "touch, and classes may be missing"});
  }
  for (const auto& failing : report->failures) {
    const bool is_default = std::ranges::all_of(failing.picks, [](auto pick) { return pick == 0; });
    if (is_default) continue;  // Shown already, as the scenario itself.
    options.schedule = failing.picks;
    add_run(run_case(*subject_, variant, options, facts), schedule_text(failing.picks));
  }
}

constexpr std::size_t kPointsShownMax = 5;

/// A run that was cut at one point: the rules of its trace, and what did not come to its end.
void SuiteItem::add_point(const SweepFailure& point) {
  const bool is_abort = options_.sweep == SweepKind::abort;
  CaseRun run = point.run;
  run.result.errors.clear();
  run.variant =
      (is_abort ? "abort at point " : "failing file operation ") + std::to_string(point.at);
  auto result = scenario_result(scenario_, run, catalogue_);
  for (const auto& problem : point.problems) {
    reports::Finding finding;
    finding.message = problem;
    finding.where = scenario_.file;
    result.expectation_failures.push_back(std::move(finding));
  }
  result.reproduce =
      reproduction("") + (is_abort ? " --abort-at " : " --fail-at ") + std::to_string(point.at);
  keep_trace(result, run.result.trace);
  out_.scenarios.push_back(std::move(result));
}

/// One point alone. A scenario with fewer points is not run: nothing in it was asked for.
void SuiteItem::play_one_point(const invariants::Catalogue& facts) {
  const Variant variant{"", "", scenario_, seed_};
  const RunOptions options = run_options();
  RunOptions uncut = options;
  uncut.is_swept = uncut.records_steps = true;
  const SweepKind kind = *options_.sweep;
  const auto whole = run_case(*subject_, variant, uncut, facts);
  SweepFailure point{options_.sweep_at, {}, {}};
  point.run = play_point({kind, options_.sweep_at}, *subject_, variant, options, facts);
  // A failure may lead to operations that the whole run does not have.
  const auto count = point_count(kind, kind == SweepKind::abort ? whole : point.run);
  // A scenario for another subject says so itself.
  if (whole.result.trace.events.empty()) return add_run(whole, "");
  if (count < options_.sweep_at) return add_missing_point(whole, count);
  point.problems = problems_of(point.run, whole.result.trace);
  add_point(point);
}

void SuiteItem::add_missing_point(const CaseRun& whole, std::int64_t count) {
  auto result = scenario_result(scenario_, whole, catalogue_);
  result.rules.clear();
  result.expectation_failures.clear();
  result.errors.clear();
  result.skip_reason =
      std::string(options_.sweep == SweepKind::abort ? "--abort-at " : "--fail-at ") +
      std::to_string(options_.sweep_at) +
      (count == 0 ? " needs a point, and it has none"
                  : " lies beyond its points, 1 to " + std::to_string(count));
  out_.scenarios.push_back(std::move(result));
}

/// The run as it is, and those of its points that go wrong.
void SuiteItem::sweep_points(const invariants::Catalogue& facts) {
  const Variant variant{"", "", scenario_, seed_};
  const RunOptions options = run_options();
  const SweepPlan plan{*options_.sweep, options_.sweep_points_max};
  const auto report = sweep(plan, *subject_, variant, options, facts);
  add_run(run_case(*subject_, variant, options, facts), "");
  reports::ScenarioResult& whole = out_.scenarios.front();
  reports::Exploration exploration;
  exploration.points_covered = report.points;
  exploration.points_total = report.points_total;
  whole.exploration = exploration;
  if (!report.is_complete) {
    const std::string total =
        report.points_total ? std::to_string(*report.points_total) : "an unknown number";
    whole.errors.push_back({ErrorCode::exhausted,
                            "the sweep stopped after " + std::to_string(report.points) + " of " +
                                total + " points, which is as many as one may try",
                            scenario_.file});
  }
  for (std::size_t i = 0; i < std::min(report.failures.size(), kPointsShownMax); ++i) {
    add_point(report.failures[i]);
  }
}

SuiteResult SuiteItem::play(const invariants::Catalogue& facts) {
  subject_ = options_.make_subject();
  if (options_.sweep && options_.sweep_at > 0) {
    play_one_point(facts);
  } else if (options_.sweep) {
    sweep_points(facts);
  } else if (options_.explores_schedules) {
    explore(facts);
  } else {
    play_variants(facts);
  }
  return std::move(out_);
}

using RuleNames = std::set<std::string, std::less<>>;

/// Rules of each file that some run came to a verdict on, and those that none triggered.
struct Triggered {
  RuleNames judged;
  RuleNames silent;
};

/// A scenario exercises the rules that it names; one that no run of it triggers shows nothing.
void warn_of_untriggered(std::span<const Scenario> scenarios, SuiteResult& result) {
  std::map<std::string, Triggered, std::less<>> by_file;
  for (const auto& run : result.scenarios) {
    Triggered& rules = by_file[run.file];
    for (const auto& verdict : run.rules) {
      const bool is_silent = verdict.verdict == reports::Verdict::not_triggered;
      (is_silent ? rules.silent : rules.judged).insert(verdict.rule);
    }
  }
  for (const auto& scenario : scenarios) {
    const Triggered& rules = by_file[scenario.file];
    for (const auto& rule : scenario.rules) {
      if (!rules.silent.contains(rule.id) || rules.judged.contains(rule.id)) continue;
      result.diagnostics.push_back({reports::Severity::warning, located(scenario.file, rule.place),
                                    "rule '" + rule.id + "' is named and never triggered"});
    }
  }
}

}  // namespace

SuiteResult play_suite(std::span<const Scenario> scenarios, const SuiteOptions& options,
                       const Catalogue& catalogue) {
  const auto facts = facts_of(catalogue);
  const auto total = static_cast<std::int64_t>(scenarios.size()) * options.seed_count;
  std::vector<SuiteResult> parts(static_cast<std::size_t>(total));
  std::atomic<std::int64_t> done{0};
  const auto caller = std::this_thread::get_id();
  for_each_index(total, options.jobs, [&](std::int64_t index) {
    const auto& scenario = scenarios[static_cast<std::size_t>(index / options.seed_count)];
    const auto seed = options.seed + static_cast<std::uint64_t>(index % options.seed_count);
    if (options.is_cancelled && options.is_cancelled()) return;
    SuiteItem item(scenario, seed, options, catalogue);
    parts[static_cast<std::size_t>(index)] = item.play(facts);
    const auto count = ++done;
    const bool is_caller = std::this_thread::get_id() == caller;
    if (options.progress && is_caller) options.progress(count, total);
  });
  SuiteResult result;
  for (auto& part : parts) {
    std::ranges::move(part.scenarios, std::back_inserter(result.scenarios));
    std::ranges::move(part.diagnostics, std::back_inserter(result.diagnostics));
  }
  // A scenario that an interrupt left out says nothing of its rules.
  if (done == total) warn_of_untriggered(scenarios, result);
  if (done < total) {
    result.diagnostics.push_back(
        reports::run_error({ErrorCode::aborted,
                            "interrupted after " + std::to_string(done) + " of " +
                                std::to_string(total) + " scenarios",
                            ""}));
  }
  return result;
}

}  // namespace plumb::simulator
