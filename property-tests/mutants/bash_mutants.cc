// SPDX-License-Identifier: Apache-2.0
// Mutants of commands and of what is shown of their output: BASH, TRUNC.
#include <memory>
#include <string>
#include <utility>

#include "engine/kernel/fiber.h"
#include "engine/kernel/files.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/processes.h"
#include "engine/tools/builtin/shell_output.h"
#include "property-tests/mutants/mutant.h"
#include "property-tests/mutants/outer_files.h"

namespace plumb::simulator {
namespace {

using engine::Policies;
using engine::ShellOutput;
using engine::ShownMax;
using engine::Task;
using engine::ToolCall;
using engine::ToolDefinition;
using engine::ToolResult;
using engine::Truncation;
using RunCommand = std::function<Task<ToolResult>(ToolCall)>;

// ------------------------------------------------------------------ what is shown

Truncation shown_head(const ShellOutput& output) {
  return engine::truncate_head(output.for_programs());
}

Mutant shown_mutant(std::string name, std::string rule, std::string change,
                    Truncation (*shown)(const ShellOutput&)) {
  return policy_mutant(std::move(name), std::move(rule), std::move(change),
                       [shown](Policies& policies) { policies.shell.shown = shown; });
}

Truncation shown_with(const ShellOutput& output, ShownMax max) {
  Truncation truncation = engine::truncate_tail(output.for_programs(), max);
  truncation.max = ShownMax();
  return truncation;
}

Truncation shown_by_fewer_bytes(const ShellOutput& output) {
  return shown_with(output, {.lines = engine::kShownLinesMax, .bytes = 50'000});
}

Truncation shown_by_lines_alone(const ShellOutput& output) {
  return shown_with(output, {.lines = engine::kShownLinesMax, .bytes = 1'000'000});
}

void shorten_text(ToolResult& result, std::string_view from) {
  for (auto& block : result.content) {
    auto* text = std::get_if<engine::TextBlock>(&block);
    if (text != nullptr) text->text = text->text.substr(0, text->text.find(from));
  }
}

Task<ToolResult> run_silently(RunCommand inner, ToolCall call) {
  ToolResult result = co_await inner(std::move(call));
  shorten_text(result, "\n\n[");
  co_return result;
}

Task<ToolResult> run_without_programs(RunCommand inner, ToolCall call) {
  ToolResult result = co_await inner(std::move(call));
  if (result.is_error) result.structured_content = SharedJson();
  co_return result;
}

Mutant bash_tool_mutant(std::string name, std::string rule, std::string change,
                        Task<ToolResult> (*run)(RunCommand, ToolCall)) {
  return broken_tool(std::move(name), std::move(rule), std::move(change), "bash",
                     [run](ToolDefinition& tool) {
                       tool.execute = [inner = tool.execute, run](ToolCall call) {
                         return run(inner, std::move(call));
                       };
                     });
}

void add_shown_mutants(std::vector<Mutant>& list) {
  const std::vector<std::string> shown_rules{"BASH-03",  "BASH-04",  "BASH-05",  "BASH-06",
                                             "BASH-18",  "BASH-38",  "TRUNC-01", "TRUNC-02",
                                             "TRUNC-03", "TRUNC-04", "TRUNC-07", "TRUNC-09"};
  const auto add = [&](Mutant mutant) {
    list.push_back(trips_also(std::move(mutant), shown_rules));
  };
  add(shown_mutant("bash-shows-the-beginning", "BASH-03", "the beginning is shown", shown_head));
  add(shown_mutant("bash-keeps-the-head", "TRUNC-03", "commands are cut like files", shown_head));
  add(shown_mutant("bash-caps-at-50000-bytes", "TRUNC-01", "the cap is 50,000 bytes",
                   shown_by_fewer_bytes));
  add(shown_mutant("bash-counts-lines-alone", "TRUNC-02", "bytes have no cap",
                   shown_by_lines_alone));
  add(bash_tool_mutant("bash-cuts-silently", "TRUNC-04", "a cut is told in details alone",
                       run_silently));
  list.push_back(bash_tool_mutant("bash-failure-tells-programs-nothing", "BASH-10",
                                  "no structuredContent for failures", run_without_programs));
}

// ------------------------------------------------------------------ the log

/// Logs lose their beginning, or are for everybody.
class BadLogs final : public OuterFiles {
 public:
  BadLogs(engine::Files& inner, bool drops_bytes) : OuterFiles(inner), drops_bytes_(drops_bytes) {}

  Task<Result<engine::FileReply>> perform(engine::FileRequest request) override {
    if (request.path.ends_with(".log") && drops_bytes_) {
      request.content.erase(0, request.content.size() / 2);
    } else if (request.is_new) {
      request.mode = 0644;
    }
    return inner_.perform(std::move(request));
  }

 private:
  bool drops_bytes_;
};

/// A folder that is missing seems to be there.
class EveryFolder final : public OuterFiles {
 public:
  using OuterFiles::OuterFiles;

  Task<Result<engine::FileReply>> perform(engine::FileRequest request) override {
    const bool is_look = request.op == engine::FileOp::stat;
    auto reply = co_await inner_.perform(std::move(request));
    if (is_look && !reply) {
      engine::FileStat folder;
      folder.kind = engine::FileKind::directory;
      co_return engine::FileReply(folder);
    }
    co_return reply;
  }
};

Mutant log_mutant(std::string name, std::string rule, std::string change, bool drops_bytes) {
  Mutant mutant = port_mutant(std::move(name), std::move(rule), std::move(change));
  mutant.alterations.files = [drops_bytes](engine::Files& inner, engine::Loop&) {
    return std::make_unique<BadLogs>(inner, drops_bytes);
  };
  return mutant;
}

// ------------------------------------------------------------------ processes

/// Runs something else than it was asked to.
class OtherSpecs final : public engine::Processes {
 public:
  using Change = void (*)(engine::ProcessSpec&);
  OtherSpecs(engine::Processes& inner, Change change) : inner_(inner), change_(change) {}

  Task<Result<engine::ProcessExit>> run(engine::ProcessSpec spec, engine::OutputSink& sink,
                                        engine::AbortSignal signal) override {
    change_(spec);
    return inner_.run(std::move(spec), sink, std::move(signal));
  }

 private:
  engine::Processes& inner_;
  Change change_;
};

Mutant process_mutant(std::string name, std::string rule, std::string change,
                      OtherSpecs::Change alter) {
  Mutant mutant = port_mutant(std::move(name), std::move(rule), std::move(change));
  mutant.alterations.processes = [alter](engine::Processes& inner, engine::Loop&) {
    return std::make_unique<OtherSpecs>(inner, alter);
  };
  return mutant;
}

void kill_the_shell_alone(engine::ProcessSpec& spec) {
  spec.kills_group = false;
}

void forget_variables(engine::ProcessSpec& spec) {
  spec.environment.clear();
}

void keep_inherited(engine::ProcessSpec& spec) {
  spec.removed_variables.clear();
}

void cut_at_exit(engine::ProcessSpec& spec) {
  spec.quiet_ms = 0;
}

void add_port_mutants(std::vector<Mutant>& list) {
  list.push_back(
      log_mutant("bash-log-has-a-part", "BASH-04", "half of each block is logged", true));
  list.push_back(log_mutant("bash-log-is-for-all", "BASH-05", "everybody may read the log", false));
  list.push_back(files_mutant<EveryFolder>("bash-runs-without-its-folder", "BASH-31",
                                           "a missing folder is taken for one"));
  list.push_back(process_mutant("bash-timeout-kills-the-shell-alone", "BASH-14",
                                "children survive a timeout", kill_the_shell_alone));
  list.push_back(process_mutant("bash-abort-kills-the-shell-alone", "BASH-15",
                                "children survive an abort", kill_the_shell_alone));
  list.push_back(trips_also(process_mutant("bash-hook-variables-are-ignored", "BASH-26",
                                           "variables are not set", forget_variables),
                            {"BASH-32"}));
  list.push_back(trips_also(process_mutant("bash-inherited-session-leaks", "BASH-32",
                                           "inherited variables stay", keep_inherited),
                            {"BASH-26"}));
  list.push_back(trips_also(process_mutant("bash-leaves-pipes-at-exit", "BASH-22",
                                           "the call ends with its shell", cut_at_exit),
                            {"BASH-14"}));
}

// ------------------------------------------------------------------ decisions

Task<ToolResult> run_unaborted(RunCommand inner, ToolCall call) {
  call.signal = engine::AbortSignal();
  return inner(std::move(call));
}

Task<ToolResult> run_twice(RunCommand inner, ToolCall call) {
  ToolCall again = call;
  static_cast<void>(co_await inner(std::move(call)));
  ToolResult result = co_await inner(std::move(again));
  co_return result;
}

void add_decision_mutants(std::vector<Mutant>& list) {
  list.push_back(policy_mutant(
      "bash-failure-is-success", "BASH-08", "every exit code is a success", [](Policies& policies) {
        policies.shell.is_failing_exit = [](std::int64_t) { return false; };
      }));
  list.back().also = {"BASH-12"};
  list.push_back(policy_mutant(
      "bash-any-timeout-is-valid", "BASH-13", "timeouts are not looked at",
      [](Policies& policies) { policies.shell.is_valid_timeout = [](double) { return true; }; }));
  list.push_back(policy_mutant(
      "bash-update-for-each-piece", "BASH-18", "updates do not wait", [](Policies& policies) {
        policies.shell.update_wait_ms = [](std::int64_t) { return std::int64_t{0}; };
      }));
  list.push_back(policy_mutant(
      "bash-prefix-is-dropped", "BASH-24", "the prefix does not run", [](Policies& policies) {
        policies.shell.script = [](const std::string&, const std::string& command) {
          return command;
        };
      }));
  list.back().also = {"BASH-39"};
  list.push_back(policy_mutant(
      "bash-prefix-runs-into-the-command", "BASH-39", "joined by a blank", [](Policies& policies) {
        policies.shell.script = [](const std::string& prefix, const std::string& command) {
          return prefix + " " + command;
        };
      }));
  list.push_back(policy_mutant(
      "bash-runs-unhooked", "BASH-27", "a failed hook is passed over", [](Policies& policies) {
        policies.shell.failed_hook_ends_call = [](const std::string&) { return false; };
      }));
  list.push_back(bash_tool_mutant("bash-starts-what-is-aborted", "BASH-16",
                                  "the signal does not reach the command", run_unaborted));
  list.back().also = {"ABORT-05"};
  list.push_back(bash_tool_mutant("bash-calls-the-host-twice", "BASH-28",
                                  "each command runs two times", run_twice));
  list.back().also = {"BASH-18", "BASH-20", "BASH-30"};
}

Mutant schema_with_default() {
  return broken_tool("bash-has-a-hidden-default", "BASH-01", "timeout has a default", "bash",
                     [](ToolDefinition& tool) {
                       Json schema = tool.parameters.get();
                       schema["properties"]["timeout"]["default"] = 120;
                       tool.parameters = SharedJson(std::move(schema));
                     });
}

}  // namespace

std::vector<Mutant> bash_mutants() {
  std::vector<Mutant> list;
  list.push_back(schema_with_default());
  add_shown_mutants(list);
  add_port_mutants(list);
  add_decision_mutants(list);
  return list;
}

}  // namespace plumb::simulator
