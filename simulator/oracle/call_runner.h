// SPDX-License-Identifier: Apache-2.0
// Runs the calls and jobs of a row: each call through preparation, validation and execution, as the
// engine runs a model's call.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/real_loop.h"
#include "engine/kernel/real_processes.h"
#include "engine/tools/pipeline.h"
#include "engine/trace/trace.h"
#include "simulator/oracle/call_record.h"
#include "simulator/oracle/shell_kit.h"
#include "simulator/oracle/tool_kit.h"

namespace plumb::simulator {

/// One row; one loop. Everything borrowed outlives it.
class CallRunner final {
 public:
  CallRunner(engine::RealLoop& loop, OracleWorld& world, EventLog& log, std::string edition);
  ~CallRunner();

  engine::Env& env() { return env_; }
  void inject(const Json& args);
  /// Arms an abort of the call `name`.
  void arm_abort(const std::string& name, const Json& at);

  /// Errors: rejected, when the call needs something that is not built; nothing has begun then.
  Result<void> prepare(const std::string& name, const Json& args);
  /// Must come before each run of a call or job.
  void begin(const std::string& name);
  /// One prepared call from its start to its end.
  engine::Task<void> run_call(std::string name, Json args);
  engine::Task<void> run_job(std::string name, Json job);

  CallRecord& record(const std::string& name);
  /// Set when the call or job has ended.
  engine::Event& settled(const std::string& name);

 private:
  struct Services;

  engine::Task<Result<Json>> do_job(std::string name, Json job);
  void abort(const std::string& name);
  void abort_later(const std::string& name, std::int64_t delay_ms);
  engine::Task<void> abort_after(std::string name, std::int64_t delay_ms);
  engine::AbortController& controller(const std::string& name);
  void settle(const std::string& name);
  std::shared_ptr<const engine::TurnTools> turn_of(const std::string& name, const Json& args);

  engine::RealLoop& loop_;
  OracleWorld& world_;
  EventLog& log_;
  engine::RealProcesses processes_;
  HostProcesses host_processes_;
  engine::Rng rng_;
  engine::Env env_;
  engine::Policies policies_;
  Trace trace_;
  Recorder recorder_;
  engine::MutationQueue queue_;
  Injections injections_;
  ToolKit kit_;
  std::unique_ptr<Services> services_;
  engine::CallPipeline pipeline_;
  std::map<std::string, CallRecord> records_;
  std::map<std::string, std::unique_ptr<engine::AbortController>> controllers_;
  std::map<std::string, std::unique_ptr<engine::Event>> settled_;
  std::map<std::string, bool> aborted_before_start_;
  std::map<std::string, engine::ToolDefinition> prepared_;
};

}  // namespace plumb::simulator
