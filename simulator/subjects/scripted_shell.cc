// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/scripted_shell.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include "simulator/subjects/session_world.h"

namespace plumb::simulator {
namespace {

std::int64_t signal_number(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, int>, 17> kNames = {{{"SIGHUP", SIGHUP},
                                                                        {"SIGINT", SIGINT},
                                                                        {"SIGQUIT", SIGQUIT},
                                                                        {"SIGILL", SIGILL},
                                                                        {"SIGABRT", SIGABRT},
                                                                        {"SIGBUS", SIGBUS},
                                                                        {"SIGFPE", SIGFPE},
                                                                        {"SIGKILL", SIGKILL},
                                                                        {"SIGUSR1", SIGUSR1},
                                                                        {"SIGSEGV", SIGSEGV},
                                                                        {"SIGUSR2", SIGUSR2},
                                                                        {"SIGPIPE", SIGPIPE},
                                                                        {"SIGALRM", SIGALRM},
                                                                        {"SIGTERM", SIGTERM},
                                                                        {"SIGXCPU", SIGXCPU},
                                                                        {"SIGXFSZ", SIGXFSZ},
                                                                        {"SIGSYS", SIGSYS}}};
  for (const auto& [known, number] : kNames) {
    if (known == name) return number;
  }
  return 0;
}

std::vector<engine::ScriptedChunk> chunks_of(const std::vector<OutputScript>& output) {
  std::vector<engine::ScriptedChunk> chunks;
  for (const auto& piece : output) {
    const auto stream =
        piece.stream == "stderr" ? engine::OutputStream::err : engine::OutputStream::out;
    chunks.emplace_back(piece.after_ms, stream, piece.text);
  }
  return chunks;
}

std::vector<std::pair<std::string, std::string>> writes_of(
    const std::vector<std::pair<std::string, std::string>>& relative) {
  std::vector<std::pair<std::string, std::string>> writes;
  for (const auto& [path, text] : relative) writes.emplace_back(absolute_of(path), text);
  return writes;
}

engine::ScriptedCommand command_of(const ProcessScript& script) {
  engine::ScriptedCommand command(script.command);
  command.chunks = chunks_of(script.output);
  command.delay_ms = script.delay_ms;
  command.writes = writes_of(script.writes);
  command.exit_code = script.exit;
  command.signal_number = signal_number(script.signal);
  command.hangs = script.hangs;
  for (const auto& one : script.children) {
    engine::ScriptedChild child;
    child.chunks = chunks_of(one.output);
    child.lives_ms = one.lives_ms;
    child.writes = writes_of(one.writes);
    child.lives_on = one.hangs;
    child.leaves_group = one.leaves_group;
    command.children.push_back(std::move(child));
  }
  return command;
}

Json shell_json(const engine::ShellCommand& command) {
  Json variables = Json::object();
  for (const auto& [name, value] : command.environment) variables[name] = value;
  return Json{{"command", command.script},
              {"cwd", command.cwd},
              {"environment", std::move(variables)},
              {"removed", command.removed_variables}};
}

engine::Task<void> say_late(engine::Loop& loop, std::function<void(std::string_view)> on_data,
                            std::string text) {
  co_await loop.sleep_ms(1);
  on_data(text);
}

}  // namespace

void add_scripts(const Scenario& scenario, engine::ScriptedProcesses& processes) {
  for (const auto& script : scenario.processes) {
    engine::ScriptedCommand command = command_of(script);
    if (!script.error.empty()) command.start_failure = ErrorCode::io;
    processes.add(std::move(command));
  }
}

ScriptedShell::ScriptedShell(const Scenario& scenario, engine::Env& env, engine::Files& disk,
                             Recorder& recorder)
    : scenario_(scenario),
      env_(env),
      recorder_(recorder),
      remote_(env.loop, disk),
      remote_env_(env.loop, env.files, remote_, env.rng),
      remote_shell_(engine::local_shell(remote_env_)) {
  for (const auto& script : scenario.processes) remote_.add(command_of(script));
}

engine::BashOptions ScriptedShell::options(const engine::Policies& policies) {
  const ShellSettings& shell = scenario_.settings.shell;
  engine::ShellOperations operations = engine::local_shell(env_);
  if (shell.is_remote) {
    operations.exec = [this](engine::ShellRequest request) {
      return run_remote(std::move(request));
    };
  }
  engine::BashOptions options(std::move(operations), env_, policies);
  options.command_prefix = shell.prefix;
  options.exposes_session = shell.exposes_session;
  options.session = [this] { return session(); };
  if (shell.hook) {
    options.spawn_hook = [this](engine::ShellCommand command) { return hook(std::move(command)); };
  }
  return options;
}

engine::SessionVariables ScriptedShell::session() const {
  engine::SessionVariables session;
  session.id = "hermetic";
  session.provider = "fake";
  session.model = scenario_.settings.model;
  session.reasoning_level = scenario_.settings.thinking;
  return session;
}

Result<engine::ShellCommand> ScriptedShell::hook(engine::ShellCommand command) {
  const ShellHookScript& script = *scenario_.settings.shell.hook;
  HookCall called;
  called.event = "spawn";
  called.input = SharedJson(shell_json(command));
  recorder_.record(Source::host, std::move(called));
  HookReturn returned;
  returned.event = "spawn";
  returned.error = script.throws;
  if (script.command) command.script = *script.command;
  if (script.cwd) command.cwd = absolute_of(*script.cwd);
  for (const auto& variable : script.environment) command.environment.push_back(variable);
  if (script.throws.empty()) returned.result = SharedJson(shell_json(command));
  recorder_.record(Source::host, std::move(returned));
  if (!script.throws.empty()) return fail(ErrorCode::rejected, script.throws);
  return command;
}

engine::Task<Result<engine::ShellExit>> ScriptedShell::run_remote(engine::ShellRequest request) {
  const engine::Fiber& fiber = co_await engine::current_fiber();
  const std::string command = request.command.script;
  Notify note;
  note.by = "host";
  note.topic = "remote_exec";
  note.data = SharedJson(Json{{"command", command}, {"timeout_ms", request.timeout_ms}});
  recorder_.record(Source::host, std::move(note), fiber.label);
  const auto on_data = request.on_data;
  auto exit = co_await remote_shell_.exec(std::move(request));
  const std::string& late = scenario_.settings.shell.late_output;
  if (!late.empty()) env_.loop.spawn(say_late(env_.loop, on_data, late), fiber.label);
  const auto script = std::ranges::find(scenario_.processes, command, &ProcessScript::command);
  if (script != scenario_.processes.end() && !script->error.empty()) {
    co_return fail(ErrorCode::io, script->error);
  }
  co_return exit;
}

}  // namespace plumb::simulator
