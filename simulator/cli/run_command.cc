// SPDX-License-Identifier: Apache-2.0
// plumb run: replays scenarios against a subject, judges them, writes the reports.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "engine/kernel/shell_word.h"
#include "engine/values/suggest.h"
#include "property-tests/mutants/mutant.h"
#include "reports/terminal.h"
#include "simulator/cli/inputs.h"
#include "simulator/cli/interrupt.h"
#include "simulator/cli/live_subjects.h"
#include "simulator/cli/options.h"
#include "simulator/cli/report_files.h"
#include "simulator/cli/suite.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/cli/whole_number.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// A broken engine may spin; the trace up to this many steps is judged.
constexpr std::int64_t kBrokenStepMax = 200'000;
/// An index into what is ready at one step.
constexpr std::uint64_t kPickMax = 1'000'000;

Result<std::optional<std::vector<std::int64_t>>> read_schedule(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::vector<std::int64_t> picks;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto pick = whole_number(word);
    if (!pick || *pick > kPickMax) {
      return fail(ErrorCode::invalid, "--schedule takes whole numbers from 0 to " +
                                          std::to_string(kPickMax) + ", not '" + word + "'");
    }
    picks.push_back(static_cast<std::int64_t>(*pick));
  }
  if (picks.empty()) return fail(ErrorCode::invalid, "--schedule has no number");
  return picks;
}

/// Keeps the scenarios that name one of the rules; an unknown rule is an error of the command line.
Result<void> select_rules(LoadedScenarios& loaded, const std::vector<std::string>& rules,
                          const Catalogue& catalogue) {
  if (auto known = check_rules(rules, catalogue); !known) return known;
  if (rules.empty()) return {};
  std::erase_if(loaded.scenarios, [&rules](const Scenario& scenario) {
    return std::ranges::none_of(scenario.rules, [&rules](const RuleReference& reference) {
      return std::ranges::find(rules, reference.id) != rules.end();
    });
  });
  return {};
}

/// Keeps the scenarios that show one of the pains; one that none shows is an error of the command
/// line.
Result<void> select_pains(LoadedScenarios& loaded, const std::vector<std::string>& pains) {
  if (pains.empty()) return {};
  std::set<std::string> shown;
  for (const auto& scenario : loaded.scenarios) {
    shown.insert(scenario.pains.begin(), scenario.pains.end());
  }
  for (const auto& pain : pains) {
    if (shown.contains(pain)) continue;
    const std::vector<std::string_view> known(shown.begin(), shown.end());
    return fail(ErrorCode::invalid,
                "no scenario shows pain " + in_quotes(pain) + suggestion_for(pain, known));
  }
  std::erase_if(loaded.scenarios, [&pains](const Scenario& scenario) {
    return std::ranges::none_of(scenario.pains, [&pains](const std::string& pain) {
      return std::ranges::find(pains, pain) != pains.end();
    });
  });
  return {};
}

/// The command without what has no effect on verdicts: where reports go, how many run at a time,
/// and the order of the words.
std::string plain_command(const RunCommand& command) {
  std::string text = "plumb run";
  auto paths = command.paths;
  std::ranges::sort(paths);
  for (const auto& path : paths) text += " " + engine::shell_word(path);
  auto rules = command.rules;
  std::ranges::sort(rules);
  for (const auto& rule : rules) text += " --rule " + rule;
  auto pains = command.pains;
  std::ranges::sort(pains);
  for (const auto& pain : pains) text += " --pain " + pain;
  if (command.seed != 0) text += " --seed " + std::to_string(command.seed);
  if (command.seed_count != 1) text += " --seeds " + std::to_string(command.seed_count);
  if (!command.schedules.empty()) text += " --schedules " + command.schedules;
  if (!command.schedule.empty()) text += " --schedule \"" + command.schedule + "\"";
  if (!command.expectations.empty()) {
    text += " --expectations " + engine::shell_word(command.expectations);
  }
  if (command.aborts_everywhere) text += " --abort-everywhere";
  if (command.fails_everywhere) text += " --fail-everywhere";
  if (command.abort_at > 0) text += " --abort-at " + std::to_string(command.abort_at);
  if (command.fail_at > 0) text += " --fail-at " + std::to_string(command.fail_at);
  if (!command.mutant.empty()) text += " --mutant " + command.mutant;
  if (command.subject != "session") text += " --subject " + engine::shell_word(command.subject);
  if (!command.subject_command.empty()) {
    text += " --subject-command " + engine::shell_word(command.subject_command);
  }
  if (!command.subject_api.empty()) text += " --subject-api " + command.subject_api;
  return text;
}

/// Puts the decision or effect of a mutant in place of the engine's own.
Result<void> break_engine(SuiteOptions& options, const std::string& name) {
  if (name.empty()) return {};
  std::vector<std::string_view> names;
  const auto mutants = all_mutants();
  for (const auto& mutant : mutants) {
    names.push_back(mutant.name);
    if (mutant.name != name) continue;
    options.alterations = mutant.alterations;
    options.step_max = kBrokenStepMax;
    options.reproduce_with = "--mutant " + name;
    return {};
  }
  return fail(ErrorCode::invalid,
              "unknown mutant " + in_quotes(name) + suggestion_for(name, names));
}

/// Outputs that fail for one reason are one error: the first, and how many more there are.
void fold_errors(std::vector<reports::Diagnostic>& diagnostics) {
  std::map<std::string, std::int64_t> counts;
  for (const auto& diagnostic : diagnostics) {
    if (diagnostic.severity == reports::Severity::error) ++counts[diagnostic.message];
  }
  std::set<std::string> told;
  std::vector<reports::Diagnostic> kept;
  for (auto& diagnostic : diagnostics) {
    const bool is_folded = diagnostic.severity == reports::Severity::error;
    const std::string message = diagnostic.message;
    if (is_folded && !told.insert(message).second) continue;
    if (is_folded && counts[message] > 1) {
      diagnostic.message += " (and " + std::to_string(counts[message] - 1) + " more)";
    }
    kept.push_back(std::move(diagnostic));
  }
  diagnostics = std::move(kept);
}

class SuiteRun {
 public:
  SuiteRun(const CommonOptions& common, const RunCommand& command)
      : common_(common),
        command_(command),
        progress_(print_error, terminal_style(), is_terminal_error()),
        terminal_(print_out, terminal_style(), &progress_) {}

  int run(LoadedScenarios loaded, const Catalogue& catalogue, SuiteOptions options);
  void expect(std::vector<ExpectedVerdict> entries) { expected_ = std::move(entries); }
  void judge(const ChosenSubject& subject) {
    record_.subject = subject.name;
    record_.edition = subject.edition.empty() ? "seed" : subject.edition;
  }

 private:
  void start();
  int finish();

  const CommonOptions& common_;
  const RunCommand& command_;
  reports::ProgressLine progress_;
  reports::TerminalReporter terminal_;
  reports::Record record_;
  std::vector<ExpectedVerdict> expected_;
  std::int64_t began_ms_ = steady_ms();
};

void SuiteRun::start() {
  record_.tool_version = PLUMB_VERSION;
  record_.command = command_.has_timings ? common_.command_line : plain_command(command_);
  terminal_.run_started(record_);
}

int SuiteRun::finish() {
  record_.duration_ms = steady_ms() - began_ms_;
  reports::settle(record_);
  if (command_.has_reports) {
    auto failed = write_report_files(record_, command_.out, command_.has_timings);
    const bool is_written = failed.empty();
    std::ranges::move(failed, std::back_inserter(record_.diagnostics));
    if (is_written) print_out("reports: " + command_.out + "\n");
    fold_errors(record_.diagnostics);
    reports::settle(record_);
  }
  terminal_.run_finished(record_);
  return reports::exit_code(record_);
}

int SuiteRun::run(LoadedScenarios loaded, const Catalogue& catalogue, SuiteOptions options) {
  start();
  for (const auto& error : loaded.errors) {
    record_.diagnostics.push_back(reports::input_error(error));
  }
  options.progress = [this](std::int64_t done, std::int64_t total) {
    progress_.update(steady_ms(), done, total, "scenarios");
  };
  options.is_cancelled = [] { return noted_interrupt() != 0; };
  auto played = play_suite(loaded.scenarios, options, catalogue);
  record_.scenarios = std::move(played.scenarios);
  std::ranges::move(played.diagnostics, std::back_inserter(record_.diagnostics));
  apply_expected(record_, expected_, today());
  reports::settle(record_);
  for (const auto& scenario : record_.scenarios) terminal_.scenario_finished(scenario);
  return finish();
}

/// Seeds in a row must not begin again from 0.
Result<void> check_seeds(const RunCommand& command) {
  const auto more = static_cast<std::uint64_t>(command.seed_count - 1);
  if (command.seed <= kSeedMax - more) return {};
  return fail(ErrorCode::invalid, "--seeds " + std::to_string(command.seed_count) +
                                      " from --seed " + std::to_string(command.seed) +
                                      " on go beyond the last seed");
}

Result<SuiteOptions> suite_options(const RunCommand& command) {
  SuiteOptions options;
  if (auto checked = check_seeds(command); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  options.seed = command.seed;
  options.seed_count = command.seed_count;
  PLUMB_TRY(options.schedule, read_schedule(command.schedule));
  options.explores_schedules = command.schedules == "all";
  if (command.aborts_everywhere || command.abort_at > 0) options.sweep = SweepKind::abort;
  if (command.fails_everywhere || command.fail_at > 0) options.sweep = SweepKind::fail;
  options.sweep_at = std::max(command.abort_at, command.fail_at);
  options.jobs = command.jobs > 0 ? command.jobs : processor_count();
  if (command.has_reports) options.out_folder = command.out;
  if (auto broken = break_engine(options, command.mutant); !broken) {
    return std::unexpected(std::move(broken).error());
  }
  return options;
}

}  // namespace

int run_command(const CommonOptions& common, const RunCommand& command) {
  auto options = suite_options(command);
  if (!options) return refuse({options.error()});
  const auto catalogue = find_catalogue(common);
  if (!catalogue) return refuse(catalogue.error());
  auto loaded = load_scenarios(command.paths, *catalogue);
  const std::string api = command.subject_api.empty() ? "messages" : command.subject_api;
  auto expected = load_expected(command.expectations, &loaded, *catalogue, api);
  if (!expected) return refuse(expected.error());
  if (auto selected = select_rules(loaded, command.rules, *catalogue); !selected) {
    return refuse({selected.error()});
  }
  if (auto selected = select_pains(loaded, command.pains); !selected) {
    return refuse({selected.error()});
  }
  auto subject = choose_subject(command);
  if (!subject) return refuse_subject(subject.error());
  options->make_subject = [&subject] { return subject->pool->lend(); };
  if (subject->is_live) options->reproduce_with = subject->reproduce_with;
  SuiteRun suite(common, command);
  suite.judge(*subject);
  suite.expect(*std::move(expected));
  return suite.run(std::move(loaded), *catalogue, *std::move(options));
}

}  // namespace plumb::simulator
