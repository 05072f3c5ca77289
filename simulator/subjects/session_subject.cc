// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/session_subject.h"

#include <algorithm>
#include <utility>

#include "engine/values/sha256.h"
#include "engine/values/utf8.h"
#include "simulator/script/place.h"
#include "simulator/subjects/session_world.h"
#include "simulator/subjects/step_driver.h"

namespace plumb::simulator {
namespace {

/// Contents up to this size stand in the trace as they are, longer ones by their digest. More than
/// the read tool shows at once, so that a cut text can be judged (READ-02).
constexpr std::size_t kInlineBytesMax = std::size_t{64} << 10;

/// Text that JSON can hold as it is.
bool is_plain_text(const std::string& bytes) {
  return bytes.find('\0') == std::string::npos && find_invalid_utf8(bytes) < 0;
}

Json file_state(const engine::FileSnapshot::mapped_type& entry) {
  Json state;
  if (entry.kind == engine::FileKind::directory) return Json{{"dir", true}};
  if (entry.kind == engine::FileKind::symlink) return Json{{"link", entry.content}};
  if (entry.content.size() <= kInlineBytesMax && is_plain_text(entry.content)) {
    state["text"] = entry.content;
  } else {
    state["bytes"] = entry.content.size();
  }
  state["sha256"] = sha256_hex(entry.content);
  state["mode"] = entry.mode;
  return state;
}

/// path below the workspace -> state, sorted by path.
SharedJson workspace_state(const engine::MemoryFiles& files) {
  Json states = Json::object();
  const std::string root = std::string(kWorkspace) + "/";
  for (const auto& [path, entry] : files.snapshot()) {
    if (path.starts_with(root)) states[path.substr(root.size())] = file_state(entry);
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

Error stopped(Error error, const std::string& file) {
  if (error.where.empty()) error.where = located(file, Place{1, 1});
  return error;
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

}  // namespace

std::vector<std::string> SessionSubject::emits() const {
  return {kEventKinds.begin(), kEventKinds.end()};
}

RunResult SessionSubject::run(const Scenario& scenario, const RunOptions& options) {
  RunResult result;
  result.trace.header = header_of(scenario, options, *this);
  SessionWorld world(scenario, options, result.trace);
  if (!world.definition_errors().empty()) {
    result.errors = world.definition_errors();
    return result;
  }
  const auto before = workspace_state(world.files());
  StepDriver driver(scenario, world);
  auto played = world.loop().run(driver.play());
  if (!played && !driver.has_crashed()) {
    result.errors.push_back(stopped(std::move(played).error(), scenario.file));
  }
  FinalFiles final_files;
  final_files.before = before;
  final_files.files = workspace_state(world.files());
  world.recorder().record(Source::port, std::move(final_files));
  append(result.errors, driver.errors());
  if (!driver.has_crashed()) {
    world.model().settle();
    append(result.errors, script_errors(scenario, world.model().errors()));
    append(result.errors, world.user().errors(scenario.file));
  }
  result.steps = world.loop().take_steps();
  return result;
}

}  // namespace plumb::simulator
