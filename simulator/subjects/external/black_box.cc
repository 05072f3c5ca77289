// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/black_box.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/values/suggest.h"
#include "simulator/script/words.h"
#include "simulator/subjects/external/command_engine.h"
#include "simulator/subjects/external/live_kinds.h"
#include "simulator/subjects/external/live_run.h"
#include "simulator/subjects/external/start_message.h"

namespace plumb::simulator {
namespace {

constexpr std::array<std::string_view, 6> kPlaceholders{"{prompt}", "{base_url}", "{workspace}",
                                                        "{home}",   "{model}",    "{api}"};

/// What the harness can ask of a command: a prompt, SIGINT, SIGKILL and to start again.
AdapterHello powers_of_a_command() {
  AdapterHello hello;
  hello.steps = {"user", "abort", "resume"};
  return hello;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || c == '_';
}

}  // namespace

Result<void> check_black_box(const std::string& command) {
  if (!command.contains("{base_url}")) {
    return fail(ErrorCode::invalid, "--subject-command needs {base_url}, where the model is");
  }
  if (!command.contains("{prompt}")) {
    return fail(ErrorCode::invalid, "--subject-command needs {prompt}, what the user says");
  }
  for (auto at = command.find('{'); at != std::string::npos; at = command.find('{', at + 1)) {
    std::size_t end = at + 1;
    while (end < command.size() && is_letter(command[end])) ++end;
    if (end == at + 1 || end == command.size() || command[end] != '}') continue;
    const std::string word = command.substr(at, end - at + 1);
    if (std::ranges::find(kPlaceholders, word) != kPlaceholders.end()) continue;
    return fail(ErrorCode::invalid,
                "unknown placeholder " + in_quotes(word) + suggestion_for(word, kPlaceholders));
  }
  return {};
}

std::vector<std::string> BlackBoxSubject::emits() const {
  return {kBlackBoxKinds.begin(), kBlackBoxKinds.end()};
}

RunResult BlackBoxSubject::run(const Scenario& scenario, const RunOptions& options) {
  RunResult result;
  TraceHeader& header = result.trace.header;
  header.subject = name();
  header.edition = to_string(scenario.edition);
  header.seed = static_cast<std::int64_t>(options.seed);
  header.determinism = Determinism::live;
  header.is_clock_virtual = false;
  header.emits = emits();
  result.untestable = reason_against_subject(scenario, powers_of_a_command());
  if (!result.untestable.empty()) return result;
  if (server_ == nullptr) {
    auto server = options_.make_server();
    if (!server) {
      result.errors.push_back(std::move(server).error());
      return result;
    }
    server_ = *std::move(server);
  }
  CommandEngine engine(loop_, options_);
  LiveRun live(scenario, LiveHost{loop_, *server_, engine, options_.api}, result);
  live.play();
  return result;
}

}  // namespace plumb::simulator
