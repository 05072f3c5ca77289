// SPDX-License-Identifier: Apache-2.0
// The program: reads the command line and hands it to a command.
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/kernel/shell_word.h"
#include "engine/values/suggest.h"
#include "simulator/cli/bench_report.h"
#include "simulator/cli/inputs.h"
#include "simulator/cli/interrupt.h"
#include "simulator/cli/options.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/cli/whole_number.h"

namespace plumb::simulator {
namespace {

/// Refuses an empty word: an unset variable of a shell is no choice.
const CLI::Validator kGiven(
    [](std::string& word) { return word.empty() ? "must not be empty" : std::string(); }, "",
    "given");

/// Whole numbers from `least` to `most`. The library's own reading takes signs, blanks, 0x10 and
/// 010 as well; what passes here is read alike by it.
CLI::Validator whole(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](std::string& word) {
    const auto value = whole_number(word);
    if (value && *value >= least && *value <= most) return std::string();
    return "'" + word + "' is no whole number from " + std::to_string(least) + " to " +
           std::to_string(most);
  };
  return CLI::Validator(check, "", "whole");
}

/// What was chosen; the commands' options live here while CLI11 fills them.
struct CommandLine {
  CommonOptions common;
  RunCommand run;
  BenchCommand bench;
  JudgeCommand judge;
  RulesCommand rules;
  ExplainCommand explain;
  LintCommand lint;
  OracleCommand oracle;
  ServeCommand serve;
  TraceCommand trace;
  std::function<int()> chosen;
};

constexpr std::uint64_t kCountMax = 1'000'000;
constexpr double kRatioMax = 1'000;
constexpr std::uint64_t kSubjectSecondsMax = 3'600;

void add_subject(CLI::App& command, RunCommand& run) {
  auto* subject =
      command
          .add_option("--subject", run.subject,
                      "What is judged: session, or the command of an adapter (./my-adapter)")
          ->check(kGiven);
  command
      .add_option("--subject-command", run.subject_command,
                  "Judge a command by its requests and files: '... {base_url} ... {prompt} ...'")
      ->check(kGiven)
      ->excludes(subject);
  command.add_option("--subject-api", run.subject_api, "The API that a live subject is given")
      ->check(CLI::IsMember({"messages", "chat"}));
  command
      .add_option("--subject-timeout", run.subject_timeout_s,
                  "Seconds that a live subject has for a step (default: 60)")
      ->check(whole(1, kSubjectSecondsMax));
}

void add_selection(CLI::App& command, RunCommand& run) {
  command.add_option("paths", run.paths, "Scenario files or folders (default: scenarios)")
      ->check(kGiven);
  command.add_option("--rule", run.rules, "Only scenarios that name this rule (repeatable)")
      ->check(kGiven);
  command.add_option("--pain", run.pains, "Only scenarios that show this pain (repeatable)")
      ->check(kGiven);
  add_subject(command, run);
  command.add_option("--mutant", run.mutant, "Break one decision of the engine by its name")
      ->check(kGiven);
}

void add_outputs(CLI::App& command, RunCommand& run) {
  auto* out = command.add_option("--out", run.out, "Folder for reports and traces")
                  ->check(kGiven)
                  ->capture_default_str();
  command.add_flag("!--no-reports", run.has_reports, "Write nothing, only print")->excludes(out);
  command.add_flag("!--no-timings", run.has_timings, "Leave times out of the reports");
  command.add_option("--expectations", run.expectations, "File of expected verdicts")
      ->check(kGiven);
  command.add_option("--jobs", run.jobs, "Runs side by side (default: one a processor)")
      ->check(whole(1, 1024));
}

/// Each of these says alone what is played: two of them would contradict each other.
void add_explorations(CLI::App& command, RunCommand& run) {
  const std::vector<CLI::Option*> ways{
      command.add_option("--schedules", run.schedules, "Explore the classes of schedules")
          ->check(CLI::IsMember({"all"})),
      command.add_option("--schedule", run.schedule, "One explicit schedule: \"0 2 1\"")
          ->check(kGiven),
      command.add_flag("--abort-everywhere", run.aborts_everywhere,
                       "Abort at every schedule point of each scenario in turn"),
      command.add_flag("--fail-everywhere", run.fails_everywhere,
                       "Fail every file operation of each scenario in turn"),
      command.add_option("--abort-at", run.abort_at, "One point of that sweep")
          ->check(whole(1, kCountMax)),
      command.add_option("--fail-at", run.fail_at, "One operation of that sweep")
          ->check(whole(1, kCountMax))};
  for (auto* way : ways) {
    for (auto* other : ways) {
      if (way != other) way->excludes(other);
    }
  }
}

void add_run(CLI::App& app, CommandLine& line) {
  RunCommand& run = line.run;
  auto* command = app.add_subcommand("run", "Replay scenarios against a subject and judge them");
  add_selection(*command, run);
  command->add_option("--seed", run.seed, "Order of what is concurrent; 0: first in, first out")
      ->check(whole(0, kSeedMax));
  command->add_option("--seeds", run.seed_count, "Run each scenario with so many seeds")
      ->check(whole(1, kCountMax));
  add_explorations(*command, run);
  add_outputs(*command, run);
  command->callback([&line] { line.chosen = [&] { return run_command(line.common, line.run); }; });
}

/// A ratio of times: above 0.
std::string check_ratio(std::string& word) {
  const auto ratio = decimal_number(word);
  if (ratio && *ratio > 0 && *ratio <= kRatioMax) return "";
  return "'" + word + "' is no ratio such as 1.1, above 0 and up to 1000";
}

void add_bench(CLI::App& app, CommandLine& line) {
  BenchCommand& bench = line.bench;
  auto* command = app.add_subcommand("bench", "Measure how long runs of scenarios take");
  command->add_option("paths", bench.play.paths, "Scenario files or folders")
      ->required()
      ->check(kGiven);
  add_subject(*command, bench.play);
  auto* second = command
                     ->add_option("--compare-subject", bench.compare_subject,
                                  "A second subject that takes turns: session, or an adapter")
                     ->check(kGiven);
  command
      ->add_option("--runs", bench.runs,
                   "Runs that count of each scenario (default: 100, live subjects 10)")
      ->check(whole(1, kBenchRunsMax));
  command
      ->add_option("--warmup", bench.warmup,
                   "Runs before them that do not count (default: 3, live subjects 1)")
      ->check(whole(0, kBenchRunsMax));
  command->add_option("--seed", bench.play.seed, "Order of what is concurrent, in every run")
      ->check(whole(0, kSeedMax));
  command->add_option("--save", bench.save, "File that keeps the times, for --compare")
      ->check(kGiven);
  command->add_option("--compare", bench.compare, "File of a saved run to compare with")
      ->check(kGiven)
      ->excludes(second);
  command
      ->add_option("--fail-above", bench.fail_above,
                   "End with 1 if a scenario takes more than so many times as long")
      ->check(CLI::Validator(check_ratio, "", "ratio"));
  command->add_flag("--json", bench.is_json, "The times and what is made of them, as JSON");
  command->callback(
      [&line] { line.chosen = [&] { return bench_command(line.common, line.bench); }; });
}

void add_judge(CLI::App& app, CommandLine& line) {
  JudgeCommand& judge = line.judge;
  auto* command = app.add_subcommand("judge", "Judge a recorded trace");
  command->add_option("files", judge.files, "The traces")->required()->check(kGiven);
  command->add_option("--from", judge.from, "What the file is: a trace, or the output of pi's RPC")
      ->check(CLI::IsMember({"trace", "pi-rpc"}));
  command
      ->add_option("--requests", judge.requests,
                   "pi-rpc: the log of provider requests; default: FILE.requests.json beside "
                   "FILE.events.jsonl")
      ->check(kGiven);
  command->add_option("--edition", judge.edition, "Judge by this edition")
      ->check(CLI::IsMember({"seed", "pi-1.6.0"}));
  command->add_option("--rule", judge.rules, "Only this rule (repeatable)")->check(kGiven);
  command->add_option("--expectations", judge.expectations, "File of expected verdicts")
      ->check(kGiven);
  command->add_option("--out", judge.out, "Folder for reports")->check(kGiven);
  command->callback(
      [&line] { line.chosen = [&] { return judge_command(line.common, line.judge); }; });
}

void add_rules(CLI::App& app, CommandLine& line) {
  RulesCommand& rules = line.rules;
  auto* command = app.add_subcommand("rules", "List the rules and what keeps them");
  auto* json = command->add_flag("--json", rules.is_json, "As a JSON array, kills included");
  auto* kills =
      command->add_flag("--kills", rules.shows_kills, "Which wrong engines each rule catches");
  command->add_flag("--pending", rules.shows_pending, "Rules that are not judged yet, and why")
      ->excludes(json)
      ->excludes(kills);
  kills->excludes(json);
  command->add_option("paths", rules.paths, "Scenario files or folders (default: scenarios)")
      ->check(kGiven);
  command->callback(
      [&line] { line.chosen = [&] { return rules_command(line.common, line.rules); }; });
}

void add_small_commands(CLI::App& app, CommandLine& line) {
  auto* explain = app.add_subcommand("explain", "Show a rule, its source and how it is judged");
  explain->add_option("rule", line.explain.rule, "A rule id such as EDIT-03")
      ->required()
      ->check(kGiven);
  explain->callback(
      [&line] { line.chosen = [&] { return explain_command(line.common, line.explain); }; });
  auto* lint = app.add_subcommand("lint", "Check scenarios without running them");
  lint->add_option("paths", line.lint.paths, "Scenario files or folders (default: scenarios)")
      ->check(kGiven);
  lint->add_flag("--tools", line.lint.looks_at_tools,
                 "Warn of descriptions and results of tools that tell the model too little");
  lint->callback([&line] { line.chosen = [&] { return lint_command(line.common, line.lint); }; });
}

void add_oracle(CLI::App& app, CommandLine& line) {
  OracleCommand& oracle = line.oracle;
  auto* command = app.add_subcommand("oracle", "Execute observed behaviour and compare");
  command->add_option("files", oracle.paths, "Oracle files (JSON Lines)")
      ->required()
      ->check(kGiven);
  command->add_option("--edition", oracle.edition, "The edition of the rules to run")
      ->check(CLI::IsMember({"seed", "pi-1.6.0"}))
      ->capture_default_str();
  command->add_option("--only", oracle.only, "Only rows with this id; * and ? match (repeatable)")
      ->check(kGiven);
  command->add_flag("--json", oracle.is_json, "Verdicts as one JSON document");
  command->callback([&line] { line.chosen = [&] { return oracle_command(line.oracle); }; });
}

/// event, all, or bytes at a time.
std::string check_write(std::string& word) {
  if (word == "event" || word == "all") return "";
  const auto bytes = whole_number(word);
  return bytes && *bytes > 0 ? "" : "'" + word + "' is neither event, all nor a number of bytes";
}

void add_serve_faults(CLI::App& command, ServeCommand& serve) {
  auto* fault = command.add_option("--fault", serve.faults,
                                   "KIND@TURN, as cut@2+40 or overloaded@1 (repeatable)");
  command.add_option("--fault-point", serve.fault_point, "One point of the sweep of all faults")
      ->check(whole(1, kCountMax))
      ->excludes(fault);
  command.add_option("--seed", serve.seed, "Where faults without a byte of their own strike")
      ->check(whole(0, kSeedMax));
  command.add_option("--write", serve.write, "One write an event, one for all, or bytes at a time")
      ->check(CLI::Validator(check_write, "", "write"))
      ->capture_default_str();
}

void add_serve(CLI::App& app, CommandLine& line) {
  ServeCommand& serve = line.serve;
  auto* command = app.add_subcommand("serve", "Serve a script's replies as a fake LLM on loopback");
  command->add_option("script", serve.script, "A scenario: its model steps are the replies")
      ->required()
      ->check(kGiven);
  command->add_option("--port", serve.port, "0: any that is free")->check(whole(0, 65535));
  command->add_option("--select", serve.select, "The n-th request, or the answers it repeats")
      ->check(CLI::IsMember({"sequence", "history"}))
      ->capture_default_str();
  command->add_flag("--loop", serve.loops, "Begin again after the last reply");
  command->add_flag("--lenient", serve.is_lenient, "Log what a provider would refuse, and answer");
  command->add_option("--allow", serve.allowed, "A code that is not refused (repeatable)")
      ->check(kGiven);
  command->add_option("--usage", serve.usage, "Of replies that name none: nothing, or computed")
      ->check(CLI::IsMember({"scripted", "computed"}))
      ->capture_default_str();
  command->add_option("--log", serve.log, "File of all exchanges (JSON Lines)")->check(kGiven);
  command->add_option("--journal-max", serve.journal_max, "Exchanges that the journal keeps")
      ->check(whole(1, kCountMax))
      ->capture_default_str();
  add_serve_faults(*command, serve);
  command->callback(
      [&line] { line.chosen = [&] { return serve_command(line.common, line.serve); }; });
}

void add_trace(CLI::App& app, CommandLine& line) {
  auto* command = app.add_subcommand("trace", "Work on recorded traces");
  command->require_subcommand(1);
  auto* normalise = command->add_subcommand(
      "normalise", "Print a trace without what belongs to one run on one machine");
  normalise->add_option("file", line.trace.file, "The trace")->required()->check(kGiven);
  normalise->callback([&line] { line.chosen = [&] { return trace_command(line.trace); }; });
}

std::string typed(int argc, char** argv) {
  std::string text = "plumb";
  for (int i = 1; i < argc; ++i) text += " " + engine::shell_word(argv[i]);
  return text;
}

/// The options of a command, with their dashes.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return suggestion_for(word, views);
}

/// What is wrong with a word that nothing takes.
std::string stray_word(const CLI::App& app, const std::string& word) {
  const auto chosen = app.get_subcommands();
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    return "unknown option '" + name + "'" +
           suggestion(name, options_of(chosen.empty() ? app : *chosen.front()));
  }
  if (!chosen.empty()) return "one word too many: '" + word + "'";
  std::vector<std::string> commands;
  for (const auto* command : app.get_subcommands({})) commands.push_back(command->get_name());
  return "unknown command '" + word + "'" + suggestion(word, commands);
}

/// The words of the command line that no option and no argument took.
int refuse_words(const CLI::App& app, const CLI::ParseError& error) {
  auto stray = app.remaining();
  for (const auto* command : app.get_subcommands()) {
    const auto more = command->remaining();
    stray.insert(stray.end(), more.begin(), more.end());
  }
  std::string message = stray.empty() ? std::string(error.what()) : stray_word(app, stray.front());
  return refuse({{ErrorCode::invalid, std::move(message) + " (see plumb --help)", {}}});
}

int run_program(int argc, char** argv) {
  CLI::App app("Conformance harness and simulator for LLM agent engines", "plumb");
  app.set_version_flag("--version", "plumb " PLUMB_VERSION);
  app.require_subcommand(1);
  app.footer(
      "The launcher of the repository, ./plumb, has words of its own besides: build, test, fmt,\n"
      "package, lint without a path, which checks the C++, and bench without a scenario, which\n"
      "runs the project's benchmarks.");
  CommandLine line;
  line.common.command_line = typed(argc, argv);
  app.add_option("--rules-folder", line.common.rules_folder, "The rule catalogue")->check(kGiven);
  add_run(app, line);
  add_bench(app, line);
  add_judge(app, line);
  add_rules(app, line);
  add_small_commands(app, line);
  add_oracle(app, line);
  add_serve(app, line);
  add_trace(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return refuse_words(app, error);
    return app.exit(error);
  }
  return line.chosen();
}

}  // namespace
}  // namespace plumb::simulator

int main(int argc, char** argv) {
  try {
    // A file that grows beyond the limit is an output that cannot be written, not the end.
    std::signal(SIGXFSZ, SIG_IGN);
    plumb::simulator::note_interrupts();
    const int code = plumb::simulator::run_program(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      plumb::simulator::print_error("plumb: the output cannot be written to standard output\n");
      return plumb::simulator::kExitHarness;
    }
    const int signal = plumb::simulator::noted_interrupt();
    return signal == 0 ? code : 128 + signal;
  } catch (const std::exception& error) {
    plumb::simulator::print_error(std::string("plumb: ") + error.what() + "\n");
    return plumb::simulator::kExitHarness;
  }
}
