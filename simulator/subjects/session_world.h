// SPDX-License-Identifier: Apache-2.0
// Everything around one reference session: the simulated loop, the workspace in memory, the
// recorded ports, the scripted model and user, and the session's options as the scenario states
// them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/extensions/scripted.h"
#include "engine/kernel/env.h"
#include "engine/kernel/faults.h"
#include "engine/kernel/incarnation.h"
#include "engine/kernel/memory_files.h"
#include "engine/kernel/scripted_processes.h"
#include "engine/session/recorded_provider.h"
#include "engine/session/session.h"
#include "engine/tools/builtin/mutation_queue.h"
#include "engine/tools/builtin/read.h"
#include "engine/trace/recorded_files.h"
#include "engine/trace/recorded_processes.h"
#include "simulator/llm/scripted_provider.h"
#include "simulator/subjects/event_gate.h"
#include "simulator/subjects/hosted_run.h"
#include "simulator/subjects/scripted_files.h"
#include "simulator/subjects/scripted_shell.h"
#include "simulator/subjects/scripted_ui.h"
#include "simulator/subjects/severable_ports.h"
#include "simulator/subjects/subject.h"

namespace plumb::simulator {

/// The workspace of every hermetic run; scenarios name files relative to it.
inline constexpr std::string_view kWorkspace = "/workspace";
inline constexpr std::string_view kHome = "/home/user";
inline constexpr std::string_view kTemporary = "/tmp";

/// "a.txt" -> "/workspace/a.txt", "~/x" -> "/home/user/x".
std::string absolute_of(std::string_view path);

/// The members build on each other from top to bottom; the loop goes last. One loop; neither copied
/// nor moved.
class SessionWorld {
 public:
  SessionWorld(const Scenario& scenario, const RunOptions& options, Trace& trace);
  SessionWorld(const SessionWorld&) = delete;
  SessionWorld& operator=(const SessionWorld&) = delete;
  ~SessionWorld();

  /// Extensions and SDK tools whose definitions the interpreter refuses; the run must not start.
  const std::vector<Error>& definition_errors() const { return definition_errors_; }

  engine::SimLoop& loop() { return loop_; }
  /// The engine's, with everything that its ports record: ends with a crash.
  Recorder& recorder() { return recorder_; }
  /// What the host sees by itself, after a crash, too. Nobody listens to it.
  Recorder& host_recorder() { return host_recorder_; }
  engine::Session& session() { return *session_; }
  engine::MemoryFiles& files() { return memory_; }
  ScriptedProvider& model() { return model_; }
  TraceGate& gate() { return gate_; }
  ScriptedUser& user() { return user_; }
  const engine::ScriptedProcesses& processes() const { return scripted_processes_; }
  /// Whether anything happened in a process that no clock of ours orders.
  bool has_been_live() const { return hosted_ != nullptr && hosted_->has_been_live(); }
  /// Cuts the engine off: its ports do nothing and never answer from now on, and nothing of it is
  /// recorded. Who severs stops the loop.
  void sever();
  /// The session's extensions from now on, less the one of this name: for a reload.
  std::vector<engine::ExtensionSource> without_extension(const std::string& name);

 private:
  void watch_for_replies();
  std::string real_path_of(const std::string& path);
  void pass_point(const engine::Step& step);
  Place place_of_host_tool(std::size_t index) const;
  void lay_out_files();
  engine::SessionOptions session_options();
  void add_tools(engine::SessionOptions& options);
  void add_search_tools(engine::SessionOptions& options, const std::string& home);
  void add_extensions(engine::SessionOptions& options);
  void add_hosted(engine::SessionOptions& options, const ExtensionScript& script);

  const Scenario& scenario_;
  const RunOptions& options_;
  engine::SimLoop loop_;
  Recorder recorder_;
  Recorder host_recorder_;
  engine::Incarnation incarnation_;
  engine::Policies policies_;
  engine::FaultPlan faults_;
  std::int64_t point_count_ = 0;
  engine::MemoryFiles memory_;
  RecordedFiles recorded_files_;
  std::unique_ptr<engine::Files> altered_files_;
  engine::SeverableFiles files_;
  engine::ScriptedProcesses scripted_processes_;
  RecordedProcesses recorded_processes_;
  std::unique_ptr<engine::Processes> altered_processes_;
  engine::SeverableProcesses processes_;
  engine::Rng rng_;
  engine::Env env_;
  ScriptedShell shell_;
  ScriptedFiles host_files_;
  TraceGate gate_;
  ScriptedProvider model_;
  engine::RecordedProvider recorded_model_;
  std::unique_ptr<engine::Provider> altered_model_;
  SeverableProvider engine_model_;
  ScriptedUser user_;
  std::unique_ptr<engine::UserInterface> altered_user_;
  SeverableUser engine_user_;
  engine::MutationQueue queue_;
  engine::ScriptWorld scripts_;
  std::unique_ptr<HostedRun> hosted_;
  std::vector<Error> definition_errors_;
  std::vector<engine::ExtensionSource> extensions_;
  std::unique_ptr<engine::Session> session_;
};

}  // namespace plumb::simulator
