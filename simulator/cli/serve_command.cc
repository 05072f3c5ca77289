// SPDX-License-Identifier: Apache-2.0
// plumb serve: the fake LLM on loopback until somebody ends it.
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <utility>

#include <poll.h>

#include "engine/values/json_object.h"
#include "simulator/cli/inputs.h"
#include "simulator/cli/interrupt.h"
#include "simulator/cli/options.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/llm/fault.h"
#include "simulator/llm/wire/wire_request.h"
#include "simulator/llm/wire/wire_server.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

constexpr std::int64_t kLastRepliesMs = 200;

/// The log on disk: one line when a request has come, before any byte of its reply, and one when
/// the reply has ended.
class ExchangeFile final {
 public:
  explicit ExchangeFile(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {}
  ~ExchangeFile() {
    if (file_ != nullptr) std::fclose(file_);
  }
  ExchangeFile(const ExchangeFile&) = delete;
  ExchangeFile& operator=(const ExchangeFile&) = delete;

  bool is_open() const { return file_ != nullptr; }
  bool has_failed() const { return has_failed_; }

  void write(const Exchange& exchange, bool with_body) {
    const std::string line = dump_json(to_json(exchange, with_body)) + "\n";
    const std::lock_guard lock(mutex_);
    const bool is_written =
        std::fwrite(line.data(), 1, line.size(), file_) == line.size() && std::fflush(file_) == 0;
    has_failed_ = has_failed_ || !is_written;
  }

 private:
  std::mutex mutex_;  ///< Guards the file and its state.
  std::FILE* file_;
  bool has_failed_ = false;
};

Selection selection_of(const std::string& word) {
  if (word == "match") return Selection::match;
  return word == "history" ? Selection::history : Selection::sequence;
}

WireOptions wire_options(const ServeCommand& command) {
  WireOptions options;
  options.port = command.port;
  options.selection = selection_of(command.select);
  options.loops = command.loops;
  options.is_lenient = command.is_lenient;
  options.computes_usage = command.usage == "computed";
  options.write = command.write;
  options.seed = command.seed;
  options.journal_max = command.journal_max;
  for (const std::string& code : command.allowed) options.checks_off.push_back(code);
  return options;
}

/// A code that nothing is refused by would allow nothing.
Result<void> check_allowed(const std::vector<std::string>& allowed) {
  const std::vector<std::string> known(check_codes().begin(), check_codes().end());
  for (const std::string& code : allowed) {
    if (std::ranges::find(known, code) != known.end()) continue;
    return fail(ErrorCode::invalid, "unknown code " + in_quotes(code) + advice(code, known),
                "--allow");
  }
  return {};
}

/// The script with the faults that the command line asks for.
Result<PlayerScript> struck_script(PlayerScript script, const ServeCommand& command) {
  if (command.fault_point > 0) {
    const auto points = fault_points(script);
    if (command.fault_point > std::ssize(points)) {
      return fail(ErrorCode::invalid,
                  "'" + std::to_string(command.fault_point) + "' is beyond the " +
                      std::to_string(points.size()) + " points for faults of " + command.script,
                  "--fault-point");
    }
    const FaultPoint& point = points[static_cast<std::size_t>(command.fault_point - 1)];
    print_error("fault point " + std::to_string(command.fault_point) + " of " +
                std::to_string(points.size()) + ": " + to_string(point) + "\n");
    PLUMB_TRY(script, with_fault(std::move(script), point));
  }
  // From the last turn on: a failed reply moves those behind it.
  for (auto text = command.faults.rbegin(); text != command.faults.rend(); ++text) {
    auto point = fault_point_of(*text);
    if (!point) return fail(ErrorCode::invalid, point.error().message, "--fault");
    PLUMB_TRY(script, with_fault(std::move(script), *point));
  }
  return script;
}

Checked<PlayerScript> load_script(const CommonOptions& common, const ServeCommand& command) {
  const auto catalogue = find_catalogue(common);
  if (!catalogue) return std::unexpected(catalogue.error());
  const auto scenario = load_scenario(command.script, *catalogue);
  if (!scenario) return std::unexpected(scenario.error());
  auto script = struck_script(make_player_script(*scenario), command);
  if (!script) return std::unexpected(std::vector<Error>{script.error()});
  if (script->tracks.empty()) {
    return std::unexpected(std::vector<Error>{
        {ErrorCode::invalid, "no reply to serve, expected a 'model' step", command.script}});
  }
  return *std::move(script);
}

void wait_for_signal() {
  pollfd entry{interrupt_fd(), POLLIN, 0};
  while (noted_interrupt() == 0) ::poll(&entry, 1, -1);
}

/// Says what went wrong, and how it ends.
int settle(WireServer& server, const ServeCommand& command) {
  const WireTotals totals = server.totals();
  auto errors = server.errors();
  const std::int64_t untold = totals.errors - std::ssize(errors);
  if (!command.loops) {
    for (LlmError& error : server.settle()) errors.push_back(std::move(error));
  }
  for (const LlmError& error : errors) {
    print_located({ErrorCode::protocol, error.code + ": " + error.message, error.where});
  }
  if (untold > 0) {
    print_located(
        {ErrorCode::protocol, std::to_string(untold) + " further errors", command.script});
  }
  print_out(std::to_string(totals.answered) + " passed, " +
            std::to_string(std::ssize(errors) + untold) + " failed, 0 skipped\n");
  if (!errors.empty()) return kExitNonconforming;
  return totals.answered == 0 ? kExitNothing : kExitOk;
}

/// Nothing was served, through no fault of the script.
int cannot_serve(const Error& error) {
  print_located(error);
  print_out("0 passed, 1 failed, 0 skipped\n");
  return kExitHarness;
}

}  // namespace

int serve_command(const CommonOptions& common, const ServeCommand& command) {
  if (const auto allowed = check_allowed(command.allowed); !allowed) {
    return refuse({allowed.error()});
  }
  auto script = load_script(common, command);
  if (!script) return refuse(script.error());
  WireOptions options = wire_options(command);
  std::unique_ptr<ExchangeFile> file;
  if (!command.log.empty()) {
    file = std::make_unique<ExchangeFile>(command.log);
    if (!file->is_open()) {
      return cannot_serve({ErrorCode::io, "the log cannot be written", command.log});
    }
    options.on_request = [log = file.get()](const Exchange& one) { log->write(one, true); };
    options.on_reply = [log = file.get()](const Exchange& one) { log->write(one, false); };
  }
  auto server = WireServer::start(*std::move(script), std::move(options));
  if (!server) return cannot_serve(server.error());
  print_out("listening on http://127.0.0.1:" + std::to_string((*server)->port()) + "\n");
  // Nobody would know where it is; what failed is said at the end of the program.
  if (std::fflush(stdout) != 0) return kExitHarness;
  wait_for_signal();
  // A reply whose last bytes are under way is not cut by the stop.
  (*server)->wait_until_quiet(kLastRepliesMs);
  (*server)->stop();
  // Being ended is how this command ends.
  forget_interrupt();
  const int code = settle(**server, command);
  if (file == nullptr || !file->has_failed()) return code;
  print_located({ErrorCode::io, "the log could not be written", command.log});
  return kExitHarness;
}

}  // namespace plumb::simulator
