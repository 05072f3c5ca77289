// SPDX-License-Identifier: Apache-2.0
// Any engine behind an adapter (adapters/PROTOCOL.md) as a subject: one process, one server, many
// scenarios.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/real_loop.h"
#include "simulator/llm/model_server.h"
#include "simulator/subjects/external/adapter_client.h"
#include "simulator/subjects/subject.h"

namespace plumb::simulator {

using MakeModelServer = std::function<Result<std::unique_ptr<ModelServer>>()>;

struct ExternalOptions {
  std::string command;  ///< A line for the shell.
  std::string api = "anthropic-messages";
  AdapterLimits limits = {};
  MakeModelServer make_server;
  int stop_fd = -1;  ///< RealLoopOptions.
};

/// Starts nothing before its first run. Thread-compatible.
class ExternalSubject final : public Subject {
 public:
  explicit ExternalSubject(ExternalOptions options);
  ~ExternalSubject() override;

  /// The adapter's own name, once it has said it.
  std::string_view name() const override;
  std::string_view engine() const override;
  std::string_view edition() const override;
  bool is_built_in() const override { return false; }
  std::vector<std::string> emits() const override;
  RunResult run(const Scenario& scenario, const RunOptions& options) override;

  /// One prompt with a one-word answer, before any engine is judged. Errors: protocol, what the
  /// adapter did wrong; invalid, when it does not speak the API that is asked for; io.
  Result<void> smoke_test();
  /// Closes the adapter's input. Errors: protocol, when it does not exit with 0.
  Result<void> close();

 private:
  Result<void> open();

  ExternalOptions options_;
  engine::RealLoop loop_;
  std::unique_ptr<ModelServer> server_;
  AdapterClient client_;
};

}  // namespace plumb::simulator
