// SPDX-License-Identifier: Apache-2.0
// plumb run: replays scenarios against a subject, judges them, writes the reports.
#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "engine/values/suggest.h"
#include "property-tests/mutants/mutant.h"
#include "reports/terminal.h"
#include "simulator/cli/inputs.h"
#include "simulator/cli/options.h"
#include "simulator/cli/report_files.h"
#include "simulator/cli/suite.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

Result<std::optional<std::vector<std::int64_t>>> read_schedule(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::vector<std::int64_t> picks;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::int64_t pick = -1;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), pick);
    if (parsed.ec != std::errc{} || parsed.ptr != word.data() + word.size() || pick < 0) {
      return fail(ErrorCode::invalid, "--schedule takes numbers from 0, not '" + word + "'");
    }
    picks.push_back(pick);
  }
  return picks;
}

/// Keeps the scenarios that name one of the rules; an unknown rule is an error of the command line.
Result<void> select_rules(LoadedScenarios& loaded, const std::vector<std::string>& rules,
                          const Catalogue& catalogue) {
  for (const auto& rule : rules) {
    if (catalogue.find(rule) != nullptr) continue;
    const auto hint = catalogue.suggest(rule);
    return fail(ErrorCode::invalid, "unknown rule '" + rule + "'" +
                                        (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
  }
  if (rules.empty()) return {};
  std::erase_if(loaded.scenarios, [&rules](const Scenario& scenario) {
    return std::ranges::none_of(scenario.rules, [&rules](const RuleReference& reference) {
      return std::ranges::find(rules, reference.id) != rules.end();
    });
  });
  return {};
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
  record_.command = common_.command_line;
  record_.subject = command_.subject;
  record_.edition = "seed";
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
    if (command_.jobs == 1) progress_.update(steady_ms(), done, total, "scenarios");
  };
  auto played = play_suite(loaded.scenarios, options, catalogue);
  record_.scenarios = std::move(played.scenarios);
  std::ranges::move(played.diagnostics, std::back_inserter(record_.diagnostics));
  apply_expected(record_, expected_, today());
  reports::settle(record_);
  for (const auto& scenario : record_.scenarios) terminal_.scenario_finished(scenario);
  return finish();
}

/// Breaks one decision of the engine.
Result<void> use_mutant(const std::string& name, SuiteOptions& options) {
  if (name.empty()) return {};
  std::vector<std::string> names;
  for (auto& mutant : all_mutants()) {
    names.push_back(mutant.name);
    if (mutant.name != name) continue;
    options.alterations = std::move(mutant.alterations);
    options.reproduce_with = "--mutant " + name;
    return {};
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const auto hint = did_you_mean(name, known);
  return fail(ErrorCode::invalid, "unknown mutant '" + name + "'" +
                                      (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
}

Result<SuiteOptions> suite_options(const RunCommand& command) {
  SuiteOptions options;
  options.seed = command.seed;
  options.seed_count = command.seed_count;
  PLUMB_TRY(options.schedule, read_schedule(command.schedule));
  options.explores_schedules = command.schedules == "all";
  options.jobs = command.jobs > 0 ? command.jobs : processor_count();
  if (command.has_reports) options.trace_folder = command.out + "/traces";
  options.make_subject = [] { return std::make_unique<SessionSubject>(); };
  if (auto used = use_mutant(command.mutant, options); !used) return std::unexpected(used.error());
  return options;
}

}  // namespace

int run_command(const CommonOptions& common, const RunCommand& command) {
  const auto catalogue = find_catalogue(common);
  if (!catalogue) {
    print_errors(catalogue.error());
    return kExitInput;
  }
  auto options = suite_options(command);
  if (!options) {
    print_located(options.error());
    return kExitInput;
  }
  auto loaded = load_scenarios(command.paths, *catalogue);
  if (auto selected = select_rules(loaded, command.rules, *catalogue); !selected) {
    print_located(selected.error());
    return kExitInput;
  }
  auto expected = load_expected(command.expectations);
  if (!expected) {
    print_errors(expected.error());
    return kExitInput;
  }
  SuiteRun suite(common, command);
  suite.expect(*std::move(expected));
  return suite.run(std::move(loaded), *catalogue, *std::move(options));
}

}  // namespace plumb::simulator
