// SPDX-License-Identifier: Apache-2.0
// The program: reads the command line and hands it to a command.
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "simulator/cli/options.h"
#include "simulator/cli/terminal_io.h"

namespace plumb::simulator {
namespace {

/// What was chosen; the commands' options live here while CLI11 fills them.
struct CommandLine {
  CommonOptions common;
  RunCommand run;
  JudgeCommand judge;
  RulesCommand rules;
  ExplainCommand explain;
  LintCommand lint;
  std::function<int()> chosen;
};

void add_run(CLI::App& app, CommandLine& line) {
  RunCommand& run = line.run;
  auto* command = app.add_subcommand("run", "Replay scenarios against a subject and judge them");
  command->add_option("paths", run.paths, "Scenario files or folders (default: scenarios)");
  command->add_option("--rule", run.rules, "Only scenarios that name this rule (repeatable)");
  command->add_option("--subject", run.subject, "What is judged")
      ->check(CLI::IsMember({"session"}));
  command->add_option("--seed", run.seed, "Order of what is concurrent; 0: first in, first out");
  command->add_option("--seeds", run.seed_count, "Run each scenario with so many seeds")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  command->add_option("--schedules", run.schedules, "Explore the classes of schedules")
      ->check(CLI::IsMember({"all"}));
  command->add_option("--schedule", run.schedule, "One explicit schedule: \"0 2 1\"");
  command->add_option("--jobs", run.jobs, "Runs side by side (default: one a processor)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command->add_option("--out", run.out, "Folder for reports and traces")->capture_default_str();
  command->add_flag("!--no-reports", run.has_reports, "Write nothing, only print");
  command->add_flag("!--no-timings", run.has_timings, "Leave times out of the reports");
  command->add_option("--expectations", run.expectations, "File of expected verdicts");
  command->add_option("--mutant", run.mutant, "Break one decision of the engine by its name");
  command->callback([&line] { line.chosen = [&] { return run_command(line.common, line.run); }; });
}

void add_judge(CLI::App& app, CommandLine& line) {
  JudgeCommand& judge = line.judge;
  auto* command = app.add_subcommand("judge", "Judge a recorded trace");
  command->add_option("file", judge.file, "The trace")->required();
  command->add_option("--from", judge.from, "What the file is: a trace, or the output of pi's RPC")
      ->check(CLI::IsMember({"trace", "pi-rpc"}));
  command->add_option("--requests", judge.requests, "pi-rpc: the log of provider requests");
  command->add_option("--edition", judge.edition, "Judge by this edition")
      ->check(CLI::IsMember({"seed", "pi-1.6.0"}));
  command->add_option("--rule", judge.rules, "Only this rule (repeatable)");
  command->add_option("--expectations", judge.expectations, "File of expected verdicts");
  command->add_option("--out", judge.out, "Folder for reports");
  command->callback(
      [&line] { line.chosen = [&] { return judge_command(line.common, line.judge); }; });
}

void add_rules(CLI::App& app, CommandLine& line) {
  RulesCommand& rules = line.rules;
  auto* command = app.add_subcommand("rules", "List the rules and what keeps them");
  command->add_flag("--json", rules.is_json, "As a JSON array");
  command->add_flag("--kills", rules.shows_kills, "Which wrong engines each rule catches");
  command->add_flag("--pending", rules.shows_pending, "Rules that are not judged yet, and why");
  command->add_option("paths", rules.paths, "Scenario files or folders (default: scenarios)");
  command->callback(
      [&line] { line.chosen = [&] { return rules_command(line.common, line.rules); }; });
}

void add_small_commands(CLI::App& app, CommandLine& line) {
  auto* explain = app.add_subcommand("explain", "Show a rule, its source and how it is judged");
  explain->add_option("rule", line.explain.rule, "A rule id such as EDIT-03")->required();
  explain->callback(
      [&line] { line.chosen = [&] { return explain_command(line.common, line.explain); }; });
  auto* lint = app.add_subcommand("lint", "Check scenarios without running them");
  lint->add_option("paths", line.lint.paths, "Scenario files or folders (default: scenarios)");
  lint->callback([&line] { line.chosen = [&] { return lint_command(line.common, line.lint); }; });
}

std::string typed(int argc, char** argv) {
  std::string text = "plumb";
  for (int i = 1; i < argc; ++i) text += std::string(" ") + argv[i];
  return text;
}

int run_program(int argc, char** argv) {
  CLI::App app("Conformance harness and simulator for LLM agent engines", "plumb");
  app.set_version_flag("--version", "plumb " PLUMB_VERSION);
  app.require_subcommand(1);
  CommandLine line;
  line.common.command_line = typed(argc, argv);
  app.add_option("--rules-folder", line.common.rules_folder, "The rule catalogue");
  add_run(app, line);
  add_judge(app, line);
  add_rules(app, line);
  add_small_commands(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kExitOk : kExitInput;
  }
  return line.chosen();
}

}  // namespace
}  // namespace plumb::simulator

int main(int argc, char** argv) {
  try {
    // A file that grows beyond the limit is an output that cannot be written, not the end.
    std::signal(SIGXFSZ, SIG_IGN);
    const int code = plumb::simulator::run_program(argc, argv);
    const bool is_printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return is_printed ? code : plumb::simulator::kExitHarness;
  } catch (const std::exception& error) {
    plumb::simulator::print_error(std::string("plumb: ") + error.what() + "\n");
    return plumb::simulator::kExitHarness;
  }
}
