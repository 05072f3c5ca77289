// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/shell_kit.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "engine/kernel/join.h"

namespace plumb::simulator {

using engine::ShellCommand;
using engine::ShellExit;
using engine::ShellRequest;
using engine::Task;

namespace {

std::string text_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string bytes_of_hex(std::string_view hex) {
  std::string bytes;
  for (; hex.size() >= 2; hex.remove_prefix(2)) {
    unsigned value = 0;
    const char* const digits = std::to_address(hex.begin());
    std::from_chars(digits, digits + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

Task<void> send_later(engine::Loop& loop, std::int64_t delay_ms, std::string bytes,
                      std::function<void(std::string_view)> on_data) {
  co_await loop.sleep_ms(delay_ms);
  on_data(bytes);
}

Task<void> wait_for_abort(engine::AbortSignal signal) {
  co_await signal.wait();
}

/// Until the abort or the timeout: what a command without an end comes to.
Task<ShellExit> run_on(ShellRequest request) {
  constexpr std::int64_t kForeverMs = 3'600'000;
  const std::int64_t limit_ms = request.timeout_ms > 0 ? request.timeout_ms : kForeverMs;
  Task<void> aborted = wait_for_abort(request.signal);
  const auto ended = co_await engine::with_timeout(std::move(aborted), limit_ms);
  ShellExit exit;
  exit.end = ended ? engine::ShellEnd::aborted : engine::ShellEnd::timed_out;
  co_return exit;
}

/// Plays `exec` acts in place of the shell. Shared by the calls of one tool.
class ShellActs final {
 public:
  ShellActs(engine::Loop& loop, Json acts) : loop_(loop), acts_(std::move(acts)) {}

  Task<Result<ShellExit>> play(ShellRequest request) {
    std::optional<ShellExit> exit;
    for (const auto& act : acts_) {
      if (act.contains("given") && act["given"] != Json(request.command.script)) {
        co_return fail(ErrorCode::protocol, "the shell was given " +
                                                dump_json(Json(request.command.script)) + ", not " +
                                                dump_json(act["given"]));
      }
      if (act.contains("error")) co_return std::unexpected(oracle_error(act["error"]));
      send(act, request, exit.has_value());
      if (act.contains("exit")) exit = exit_of(act["exit"]);
    }
    if (exit) co_return *exit;
    co_return co_await run_on(std::move(request));
  }

 private:
  /// After the shell's end output comes late.
  void send(const Json& act, const ShellRequest& request, bool has_exited) {
    std::string bytes = text_in(act, "out") + bytes_of_hex(text_in(act, "out_hex"));
    if (bytes.empty()) return;
    if (!has_exited) return request.on_data(bytes);
    const auto delay_ms = act.value("after_ms", std::int64_t{0});
    loop_.spawn(send_later(loop_, delay_ms, std::move(bytes), request.on_data), "");
  }

  static ShellExit exit_of(const Json& code) {
    ShellExit exit;
    if (code.is_number()) exit.exit_code = code.get<std::int64_t>();
    return exit;
  }

  engine::Loop& loop_;
  Json acts_;
};

engine::ShellOperations shell_operations(const ToolKit& kit, const Json& options) {
  if (!options.contains("exec")) return engine::local_shell(kit.env);
  // The tool and what it has started share the acts.
  const auto acts = std::make_shared<ShellActs>(kit.env.loop, options["exec"]);
  engine::ShellOperations operations;
  operations.exec = [acts](ShellRequest request) { return acts->play(std::move(request)); };
  return operations;
}

/// The hook of a row. It throws where the row says so: that is a hook's way to refuse.
ShellCommand hooked(const Json& hook, ShellCommand command) {
  if (hook.contains("error")) throw std::runtime_error(text_in(hook["error"], "message"));
  if (hook.contains("given") && hook["given"] != Json(command.script)) {
    throw std::runtime_error("the hook was given " + dump_json(Json(command.script)));
  }
  if (hook.contains("command")) command.script = text_in(hook, "command");
  if (hook.contains("cwd")) command.cwd += "/" + text_in(hook, "cwd");
  const Json variables = hook.value("env", Json::object());
  for (const auto& [name, value] : variables.items()) {
    std::erase(command.removed_variables, name);
    command.environment.emplace_back(
        name, value.is_string() ? value.get<std::string>() : dump_json(value));
  }
  return command;
}

engine::SessionVariables session_of(const Json& context) {
  engine::SessionVariables session;
  session.id = text_in(context, "sessionId");
  session.file = text_in(context, "sessionFile");
  session.provider = text_in(context, "provider");
  const Json model = context.value("model", Json());
  session.model = model.is_object() ? text_in(model, "id") : text_in(context, "model");
  session.reasoning_level = text_in(context, "thinkingLevel");
  return session;
}

}  // namespace

Task<Result<engine::ProcessExit>> HostProcesses::run(engine::ProcessSpec spec,
                                                     engine::OutputSink& sink,
                                                     engine::AbortSignal signal) {
  if (spec.inherits_environment) {
    for (const auto& variable : variables_) {
      const bool is_removed = std::ranges::count(spec.removed_variables, variable.first) > 0;
      // What the tool sets stands behind, and wins.
      if (!is_removed) spec.environment.insert(spec.environment.begin(), variable);
    }
  }
  auto exit = co_await inner_.run(std::move(spec), sink, std::move(signal));
  co_return exit;
}

engine::BashOptions shell_options(const ToolKit& kit, const Json& args) {
  const Json options = args.value("options", Json::object());
  engine::BashOptions shell(shell_operations(kit, options), kit.env, kit.policies);
  shell.cwd = kit.world.places().cwd;
  shell.temporary_folder = kit.world.places().scratch;
  shell.command_prefix = text_in(options, "commandPrefix");
  shell.exposes_session = options.value("exposeSessionEnvironment", true);
  if (args.contains("context")) {
    shell.session = [context = filled(args["context"], kit.world.places())] {
      return session_of(context);
    };
  }
  if (options.contains("spawnHook")) {
    shell.spawn_hook = [hook = options["spawnHook"]](ShellCommand command) {
      return hooked(hook, std::move(command));
    };
  }
  return shell;
}

}  // namespace plumb::simulator
