// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/shell.h"

#include <memory>
#include <utility>

namespace plumb::engine {
namespace {

constexpr std::int64_t kSignalBase = 128;

/// Hands the port's output on to the request.
class RequestSink final : public OutputSink {
 public:
  explicit RequestSink(const ShellRequest& request) : request_(request) {}
  void write(OutputStream /*stream*/, std::string_view bytes) override { request_.on_data(bytes); }
  bool is_full() const override { return request_.is_full && request_.is_full(); }
  Task<void> room() override { return request_.room(); }

 private:
  const ShellRequest& request_;
};

ProcessSpec spec_of(const ShellRequest& request, const LocalShellOptions& options) {
  ProcessSpec spec;
  spec.command = request.command.script;
  spec.cwd = request.command.cwd;
  spec.environment = request.command.environment;
  spec.removed_variables = request.command.removed_variables;
  spec.path_folder = options.path_folder;
  spec.merges_streams = true;
  spec.timeout_ms = request.timeout_ms;
  spec.quiet_ms = options.quiet_ms;
  spec.kills_group = options.kills_group;
  return spec;
}

ShellExit shell_exit(const ProcessExit& exit) {
  ShellExit shell;
  if (exit.end == ProcessEnd::timed_out) shell.end = ShellEnd::timed_out;
  if (exit.end == ProcessEnd::aborted) shell.end = ShellEnd::aborted;
  shell.exited_ms = exit.exited_ms;
  if (!exit.exited_ms && shell.end != ShellEnd::exited) return shell;
  shell.exit_code = exit.signal_number > 0 ? kSignalBase + exit.signal_number : exit.exit_code;
  return shell;
}

/// Lives as long as the operations.
class LocalShell {
 public:
  LocalShell(Env& env, LocalShellOptions options) : env_(env), options_(std::move(options)) {}

  Task<Result<ShellExit>> run(ShellRequest request) const {
    const auto folder = co_await env_.files.stat(request.command.cwd);
    if (!folder || folder->kind != FileKind::directory) {
      co_return fail(ErrorCode::not_found, "working directory does not exist: " +
                                               request.command.cwd + ", the command was not run");
    }
    RequestSink sink(request);
    ProcessSpec spec = spec_of(request, options_);
    const auto exit = co_await env_.processes.run(std::move(spec), sink, request.signal);
    if (!exit) co_return std::unexpected(exit.error());
    co_return shell_exit(*exit);
  }

 private:
  Env& env_;
  LocalShellOptions options_;
};

}  // namespace

ShellOperations local_shell(Env& env, LocalShellOptions options) {
  // Shared: copies of the operations use one shell.
  const auto shell = std::make_shared<const LocalShell>(env, std::move(options));
  ShellOperations operations;
  operations.exec = [shell](ShellRequest request) { return shell->run(std::move(request)); };
  return operations;
}

}  // namespace plumb::engine
