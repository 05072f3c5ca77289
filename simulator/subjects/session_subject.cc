// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/session_subject.h"

#include <algorithm>
#include <map>
#include <utility>

#include "simulator/script/place.h"
#include "simulator/subjects/session_world.h"
#include "simulator/subjects/step_driver.h"
#include "simulator/subjects/workspace_state.h"

namespace plumb::simulator {
namespace {

/// Room for the events of most runs.
constexpr std::size_t kEventsExpected = 512;

/// path below the workspace, or below the folder for temporary files as it is -> state, sorted by
/// path.
SharedJson workspace_state(const engine::MemoryFiles& files) {
  Json states = Json::object();
  const std::string root = std::string(kWorkspace) + "/";
  const std::string temporary = std::string(kTemporary) + "/";
  for (const auto& [path, entry] : files.snapshot()) {
    if (path.starts_with(root)) states[path.substr(root.size())] = file_state(entry);
    if (path.starts_with(temporary)) states[path] = file_state(entry);
  }
  return SharedJson(std::move(states));
}

TraceHeader header_of(const Scenario& scenario, const RunOptions& options,
                      const SessionSubject& subject) {
  TraceHeader header;
  header.subject = subject.name();
  header.engine = scenario.engine;
  header.edition = scenario.edition == Edition::seed ? "seed" : "pi-1.6.0";
  header.seed = static_cast<std::int64_t>(options.seed);
  header.emits = subject.emits();
  return header;
}

Place first_step(const Scenario& scenario) {
  return scenario.steps.empty() ? Place{} : scenario.steps.front().place;
}

/// Whether the loop's account of what waits names this entry of the script.
bool is_waiting(const WaitScript& wait, const std::string& account) {
  if (wait.kind == "latch") return account.contains("event 'latch " + wait.name + "'");
  if (wait.kind == "event") return account.contains("event '" + wait.name + "'");
  return wait.kind == "abort" && account.contains("waits for an abort");
}

/// A run that nothing can wake: one error, at what waits in the script. A latch or an event first:
/// an abort is also what waits for the end of other things.
Error stuck(Error error, const Scenario& scenario) {
  const auto cut = error.message.find('\n');
  const std::string account = cut == std::string::npos ? "" : error.message.substr(cut);
  error.message = "the run is stuck: nothing can wake it any more";
  error.where = located(scenario.file, first_step(scenario));
  for (const bool is_abort : {false, true}) {
    for (const auto& wait : scenario.waits) {
      if ((wait.kind == "abort") != is_abort || !is_waiting(wait, account)) continue;
      error.where = located(scenario.file, wait.place);
      error.message =
          "the run is stuck: " + (is_abort ? "the abort" : wait.kind + " '" + wait.name + "'") +
          " that is waited for here never comes";
      return error;
    }
  }
  return error;
}

Error stopped(Error error, const Scenario& scenario) {
  if (error.code == ErrorCode::stuck) return stuck(std::move(error), scenario);
  if (error.where.empty()) error.where = located(scenario.file, first_step(scenario));
  return error;
}

/// The loader has refused operations that do not exist.
bool is_struck_by(const FaultScript& fault, const FileOperation& op) {
  if (op.phase != "begin" || (fault.op != "any" && fault.op != op.op)) return false;
  return fault.path.empty() || engine::normal_path(op.path) == absolute_of(fault.path);
}

Error not_used(const std::string& what, const Scenario& scenario, Place place) {
  return {ErrorCode::protocol, what + " was not used", located(scenario.file, place)};
}

/// Faults that never struck: fewer operations of the kind than `nth`.
std::vector<Error> unused_faults(const Scenario& scenario, const Trace& trace) {
  std::vector<Error> errors;
  for (const auto& fault : scenario.faults) {
    std::int64_t count = 0;
    for (const auto& event : trace.events) {
      const auto* op = event.as<FileOperation>();
      if (op != nullptr && is_struck_by(fault, *op)) ++count;
    }
    if (count < std::max<std::int64_t>(fault.nth, 1)) {
      errors.push_back(not_used("this fault", scenario, fault.place));
    }
  }
  return errors;
}

/// Entries of 'processes' beyond the runs that their command had.
std::vector<Error> unused_processes(const Scenario& scenario,
                                    const std::vector<engine::ProcessSpec>& requests) {
  // An executor of the host's plays them itself.
  if (scenario.settings.shell.is_remote) return {};
  std::map<std::string, std::int64_t> runs;
  for (const auto& request : requests) ++runs[engine::command_text(request)];
  std::vector<Error> errors;
  for (const auto& process : scenario.processes) {
    if (process.is_unused || --runs[process.command] >= 0) continue;
    errors.push_back(not_used("this process", scenario, process.place));
  }
  return errors;
}

/// What the fake model complained about, less what the scenario means to provoke.
std::vector<Error> script_errors(const Scenario& scenario,
                                 const std::vector<LlmError>& complaints) {
  std::vector<Error> errors;
  for (const auto& complaint : complaints) {
    const auto& meant = scenario.expect.llm_errors;
    if (std::ranges::find(meant, complaint.code) != meant.end()) continue;
    errors.push_back(
        {ErrorCode::protocol, complaint.code + ": " + complaint.message, complaint.where});
  }
  return errors;
}

void append(std::vector<Error>& errors, const std::vector<Error>& more) {
  errors.insert(errors.end(), more.begin(), more.end());
}

/// What the model and the user were asked, or not. Replies are left over in a run that was stopped.
void append_leftovers(RunResult& result, const Scenario& scenario, SessionWorld& world) {
  if (result.has_finished) world.model().settle();
  const auto complaints = script_errors(scenario, world.model().errors());
  // What stopped the engine may be one of them: it is told once, at its own place.
  std::erase_if(result.errors, [&](const Error& error) {
    return std::ranges::find(complaints, error.message, &Error::message) != complaints.end();
  });
  append(result.errors, complaints);
  append(result.errors, world.user().errors(scenario.file, scenario.waits));
}

/// What the script brought and the run did not take.
void append_unused(RunResult& result, const Scenario& scenario, const SessionWorld& world) {
  append(result.errors, unused_faults(scenario, result.trace));
  append(result.errors, unused_processes(scenario, world.processes().requests()));
}

}  // namespace

std::vector<std::string> SessionSubject::emits() const {
  return {kEventKinds.begin(), kEventKinds.end()};
}

RunResult SessionSubject::run(const Scenario& scenario, const RunOptions& options) {
  if (options.alterations.for_run) {
    RunOptions own = options;
    own.alterations.for_run = nullptr;
    options.alterations.for_run(own.alterations);
    return run(scenario, own);
  }
  RunResult result;
  result.trace.header = header_of(scenario, options, *this);
  result.trace.events.reserve(kEventsExpected);
  SessionWorld world(scenario, options, result.trace);
  if (!world.definition_errors().empty()) {
    result.errors = world.definition_errors();
    return result;
  }
  const auto before = workspace_state(world.files());
  StepDriver driver(scenario, world, options.is_swept);
  auto played = world.loop().run(driver.play());
  result.has_finished = played.has_value() || driver.has_crashed();
  if (options.is_swept && played) {
    // What tools left behind runs out before anybody looks.
    played = world.loop().run_until_idle();
    result.alive = world.loop().describe_waiting();
  }
  const bool has_played = played.has_value();
  if (!has_played && !driver.has_crashed()) {
    result.errors.push_back(stopped(std::move(played).error(), scenario));
  }
  if (world.has_been_live()) result.trace.header.determinism = Determinism::live;
  const bool is_stuck = !result.errors.empty() && result.errors[0].code == ErrorCode::stuck;
  FinalFiles final_files;
  final_files.before = before;
  final_files.files = workspace_state(world.files());
  world.host_recorder().record(Source::port, std::move(final_files));
  // What follows from a run that came to no end says nothing new.
  if (!is_stuck) {
    append(result.errors, driver.errors());
    append_leftovers(result, scenario, world);
    if (has_played && !options.is_swept) append_unused(result, scenario, world);
  }
  result.steps = world.loop().take_steps();
  return result;
}

}  // namespace plumb::simulator
