// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/bash.h"

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/kernel/join.h"
#include "engine/tools/builtin/shell_output.h"
#include "engine/tools/builtin/tool_arguments.h"
#include "engine/tools/policies.h"

namespace plumb::engine {
namespace {

const char* const kBashSchema = R"({
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "Script for bash -c"},
    "timeout": {"type": "number", "description": "Seconds, no limit when left out"}
  },
  "required": ["command"]
})";

constexpr std::int64_t kUpdateIntervalMs = 100;
constexpr double kTimeoutSecondsMax = 2147483.647;
constexpr double kMsPerSecond = 1000;

/// What BASH-32 names, in its order.
std::array<std::pair<std::string, std::string>, 5> session_variables(const SessionVariables& of) {
  return {{{"PI_SESSION_ID", of.id},
           {"PI_SESSION_FILE", of.file},
           {"PI_PROVIDER", of.provider},
           {"PI_MODEL", of.model},
           {"PI_REASONING_LEVEL", of.reasoning_level}}};
}

/// The command as the shell will get it, unless the spawn hook fails (BASH-24, BASH-26, BASH-32).
Result<ShellCommand> shell_command(const BashOptions& options, const ToolCall& call,
                                   std::string command) {
  ShellCommand shell;
  shell.script = std::move(command);
  if (!options.command_prefix.empty()) {
    shell.script = options.policies.shell.script(options.command_prefix, shell.script);
  }
  shell.cwd = working_folder(call, options.cwd);
  SessionVariables session;
  if (options.exposes_session && options.session) session = options.session();
  for (auto& [name, value] : session_variables(session)) {
    shell.removed_variables.push_back(name);
    if (!value.empty()) shell.environment.emplace_back(name, value);
  }
  if (!options.spawn_hook) return shell;
  auto changed = options.spawn_hook(shell);
  if (changed || options.policies.shell.failed_hook_ends_call(changed.error().message)) {
    return changed;
  }
  return shell;
}

/// "1", "0.5": without the zeros that nobody wrote.
std::string in_seconds(double seconds) {
  constexpr double kExactMax = 9.0e15;
  if (std::floor(seconds) == seconds && std::abs(seconds) < kExactMax) {
    return std::to_string(static_cast<std::int64_t>(seconds));
  }
  return Json(seconds).dump();
}

double one_decimal(std::int64_t ms) {
  const std::int64_t tenths = (ms + 50) / 100;
  return static_cast<double>(tenths) / 10;
}

std::string log_path(const BashOptions& options) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (std::uint64_t bits = options.env.rng.next(), i = 0; i < 16; ++i, bits >>= 4U) {
    name += kDigits[bits & 0xFU];
  }
  return options.temporary_folder + "/pi-bash-" + name + ".log";
}

/// What an error of an executor means, if it is an end in disguise (BASH-30).
std::optional<ShellEnd> end_of(const Error& error) {
  if (error.code == ErrorCode::aborted || error.message == "aborted") return ShellEnd::aborted;
  if (error.code == ErrorCode::timeout || error.message.starts_with("timeout:")) {
    return ShellEnd::timed_out;
  }
  return std::nullopt;
}

/// One call under way. Shared with the executor, whose output may come late (BASH-21).
class BashRun {
 public:
  BashRun(std::shared_ptr<const BashOptions> options, ToolCall call)
      : options_(std::move(options)),
        call_(std::move(call)),
        log_(options_->env.loop, options_->env.files, log_path(*options_)),
        changed_(options_->env.loop, "output of a command") {}
  BashRun(const BashRun&) = delete;
  BashRun& operator=(const BashRun&) = delete;

  const ToolCall& call() const { return call_; }
  /// BASH-19.
  void tell_start() {
    begun_ms_ = last_update_ms_ = options_->env.loop.now_ms();
    if (call_.on_update) call_.on_update(ToolResult());
  }
  void set_timeout(double seconds) { timeout_seconds_ = seconds; }

  Task<ToolResult> finish(ShellRequest request) {
    std::vector<Task<void>> ways;
    ways.push_back(execute(std::move(request)));
    ways.push_back(publish());
    ways.push_back(log_.keep());
    co_await race(std::move(ways));
    if (is_changed_) update();
    co_return result();
  }

  void take(std::string_view bytes) {
    if (is_over_) return;
    output_.feed(bytes);
    note_output(bytes);
  }
  bool is_full() const { return log_.is_full(); }
  Task<void> room() { return log_.room(); }

 private:
  void note_output(std::string_view bytes) {
    log_.add(bytes);
    if (output_.is_cut()) log_.start();
    is_changed_ = true;
    changed_.set();
  }
  Task<void> execute(ShellRequest request) {
    exit_ = co_await options_->operations.exec(std::move(request));
    is_over_ = true;
    output_.finish();
    if (output_.is_cut()) log_.start();
    co_await log_.flushed();
  }
  /// Snapshots, an interval apart (BASH-18, BASH-20). Behind the end only `finish` tells; this then
  /// waits until it is dropped.
  Task<void> publish() {
    while (true) {
      changed_.reset();
      if (!is_changed_ || is_over_) co_await changed_.wait();
      const std::int64_t since_ms = options_->env.loop.now_ms() - last_update_ms_;
      const std::int64_t wait_ms = options_->policies.shell.update_wait_ms(since_ms);
      if (wait_ms > 0) co_await options_->env.loop.sleep_ms(wait_ms);
      co_await log_.opened();
      if (!is_over_) update();
    }
  }
  void update() {
    is_changed_ = false;
    last_update_ms_ = options_->env.loop.now_ms();
    if (!call_.on_update) return;
    const Truncation shown = options_->policies.shell.shown(output_);
    ToolResult partial = text_result(shown.content);
    partial.details = details(shown);
    call_.on_update(std::move(partial));
  }

  SharedJson details(const Truncation& shown) const {
    if (!shown.is_truncated) return SharedJson();
    Json json{{"truncation", to_json(shown)}};
    if (log_.failure().empty()) json["fullOutputPath"] = log_.path();
    return SharedJson(std::move(json));
  }
  /// BASH-06.
  std::string notice(const Truncation& shown) const {
    const std::string last = std::to_string(shown.total_lines);
    std::string text = "\n\n[";
    if (shown.last_line_partial) {
      text += "The last " + format_size(shown.output_bytes) + " of line " + last + ", which has " +
              format_size(output_.last_line_bytes());
    } else {
      text += "Lines " + std::to_string(shown.total_lines - shown.output_lines + 1) + "-" + last +
              " of " + last;
      if (shown.truncated_by == "bytes") text += ", cut at " + format_size(shown.max.bytes);
    }
    text += log_.failure().empty() ? ". Full output: " + log_.path()
                                   : ". The full output could not be kept: " + log_.failure();
    return text + "]";
  }
  /// Output, blank line, status (BASH-35); without output a placeholder or the status (BASH-34).
  ToolResult told(const Truncation& shown, const std::string& status, bool names_silence) const {
    std::string text = shown.content;
    if (shown.is_truncated) text += notice(shown);
    if (output_.is_empty() && names_silence) text = "(no output)";
    if (!status.empty()) text += (text.empty() ? "" : "\n\n") + status;
    ToolResult result = text_result(std::move(text));
    result.details = details(shown);
    result.is_error = !status.empty();
    return result;
  }
  ToolResult failed(const Truncation& shown, const std::string& status, std::string name) const {
    ToolResult result = told(shown, status, false);
    result.error_class = std::move(name);
    return result;
  }

  ToolResult result() const {
    const Truncation shown = options_->policies.shell.shown(output_);
    if (exit_) return ended(shown, *exit_);
    ShellExit exit;
    const auto end = end_of(exit_.error());
    if (!end) return failed(shown, exit_.error().message, "other");
    exit.end = *end;
    return ended(shown, exit);
  }
  ToolResult ended(const Truncation& shown, const ShellExit& exit) const {
    if (exit.end == ShellEnd::aborted) return failed(shown, "Command aborted", "aborted");
    if (exit.end == ShellEnd::timed_out) return failed(shown, timeout_status(exit), "timeout");
    if (!exit.exit_code) return failed(shown, "Command ended without an exit code", "other");
    const bool is_failure = options_->policies.shell.is_failing_exit(*exit.exit_code);
    const std::string status =
        is_failure ? "Command exited with code " + std::to_string(*exit.exit_code) : "";
    ToolResult result = told(shown, status, true);
    if (is_failure) result.error_class = "exit";
    result.structured_content = for_programs(*exit.exit_code);
    return result;
  }
  std::string timeout_status(const ShellExit& exit) const {
    std::string status = "Command timed out after " + in_seconds(timeout_seconds_) + " seconds";
    if (!exit.exited_ms || !exit.exit_code) return status;
    return status + " (the shell had exited with code " + std::to_string(*exit.exit_code) +
           " after " + in_seconds(one_decimal(*exit.exited_ms)) + " seconds)";
  }
  /// BASH-10, BASH-37.
  SharedJson for_programs(std::int64_t exit_code) const {
    Json json{{"output", output_.for_programs()}, {"truncated", output_.is_cut_for_programs()}};
    if (output_.is_cut_for_programs() && log_.failure().empty()) {
      json["full_output_path"] = log_.path();
    }
    json["exit_code"] = exit_code;
    json["wall_time_seconds"] = one_decimal(options_->env.loop.now_ms() - begun_ms_);
    return SharedJson(std::move(json));
  }

  std::shared_ptr<const BashOptions> options_;
  ToolCall call_;
  ShellOutput output_;
  ShellLog log_;
  Event changed_;
  Result<ShellExit> exit_;
  double timeout_seconds_ = 0;
  std::int64_t begun_ms_ = 0;
  std::int64_t last_update_ms_ = 0;
  bool is_changed_ = false;
  bool is_over_ = false;
};

/// The seconds that a call asks for; nothing when it asks for none. Errors: invalid.
Result<std::optional<double>> timeout_of(const BashOptions& options, const Json& params) {
  const auto found = params.find("timeout");
  if (found == params.end() || found->is_null()) return std::optional<double>();
  if (!found->is_number() || !options.policies.shell.is_valid_timeout(found->get<double>())) {
    return fail(ErrorCode::invalid, "timeout must be a number of seconds above 0 and at most " +
                                        Json(kTimeoutSecondsMax).dump());
  }
  return found->get<double>();
}

ShellRequest request_of(const std::shared_ptr<BashRun>& run, ShellCommand command,
                        const std::optional<double>& timeout) {
  ShellRequest request;
  request.command = std::move(command);
  request.signal = run->call().signal;
  if (timeout) {
    request.timeout_ms = static_cast<std::int64_t>(std::ceil(*timeout * kMsPerSecond));
  }
  request.on_data = [run](std::string_view bytes) { run->take(bytes); };
  request.is_full = [run] { return run->is_full(); };
  request.room = [run] { return run->room(); };
  return request;
}

Task<ToolResult> run_bash(std::shared_ptr<const BashOptions> options, ToolCall call) {
  auto script = string_argument(*call.params, "command");
  if (!script) co_return argument_failure(script.error());
  auto command = shell_command(*options, call, *std::move(script));
  if (!command) co_return failed_result(command.error().message, "other");
  // Shared with the executor, which may keep what it was given (BASH-21).
  const auto run = std::make_shared<BashRun>(options, std::move(call));
  run->tell_start();
  const auto timeout = timeout_of(*options, *run->call().params);
  if (!timeout) co_return failed_result(timeout.error().message, "invalid_timeout");
  if (run->call().signal.aborted()) co_return aborted_failure();
  if (*timeout) run->set_timeout(**timeout);
  ToolResult result = co_await run->finish(request_of(run, *std::move(command), *timeout));
  co_return result;
}

}  // namespace

Truncation shown_end(const ShellOutput& output) {
  return output.shown();
}

std::string prefixed_script(const std::string& prefix, const std::string& command) {
  return prefix + "\n" + command;
}

std::int64_t update_wait_ms(std::int64_t since_ms) {
  return kUpdateIntervalMs - since_ms;
}

bool failed_hook_ends_call(const std::string& /*message*/) {
  return true;
}

bool is_valid_timeout(double seconds) {
  return std::isfinite(seconds) && seconds > 0 && seconds <= kTimeoutSecondsMax;
}

bool is_failing_exit(std::int64_t code) {
  return code != 0;
}

ToolDefinition bash_tool(BashOptions options) {
  ToolDefinition tool;
  tool.name = "bash";
  tool.label = "bash";
  tool.description =
      "Run a command in bash, in the working directory and without input. It may change anything "
      "that its user may. The result has standard output and error as they came; of more than 2000 "
      "lines or 50KB the end, and the path of a file with all of it. A code other than 0 is an "
      "error. Give a timeout in seconds to commands that may not end.";
  tool.prompt_snippet = "bash: run a shell command and see its output";
  tool.parameters = SharedJson(parse_json(kBashSchema).value());
  const auto shared = std::make_shared<const BashOptions>(std::move(options));
  tool.execute = [shared](ToolCall call) { return run_bash(shared, std::move(call)); };
  return tool;
}

}  // namespace plumb::engine
