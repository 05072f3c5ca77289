// SPDX-License-Identifier: Apache-2.0
// A command that knows nothing of the harness: started for each prompt, judged by what reaches the
// fake model and by the files that it leaves.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/real_loop.h"
#include "simulator/subjects/external/external_subject.h"
#include "simulator/subjects/subject.h"

namespace plumb::simulator {

struct BlackBoxOptions {
  /// A line for the shell with placeholders: {prompt}, {base_url}; {workspace}, {home}, {model},
  /// {api}. Each stands for one word, quoted.
  std::string command;
  std::string api = "anthropic-messages";
  std::int64_t step_ms = 60'000;      ///< For one prompt; then the command is stopped.
  std::int64_t interrupt_ms = 5'000;  ///< From SIGINT to SIGKILL.
  std::int64_t output_bytes_max = std::int64_t{64} << 20;
  MakeModelServer make_server;
  int stop_fd = -1;  ///< RealLoopOptions.
};

/// Errors: invalid, for a placeholder that there is not, and for a command without {base_url}.
Result<void> check_black_box(const std::string& command);

/// Thread-compatible.
class BlackBoxSubject final : public Subject {
 public:
  explicit BlackBoxSubject(BlackBoxOptions options)
      : options_(std::move(options)), loop_(engine::RealLoopOptions{.stop_fd = options_.stop_fd}) {}

  std::string_view name() const override { return "black-box"; }
  bool is_built_in() const override { return false; }
  std::vector<std::string> emits() const override;
  RunResult run(const Scenario& scenario, const RunOptions& options) override;

 private:
  BlackBoxOptions options_;
  engine::RealLoop loop_;
  std::unique_ptr<ModelServer> server_;
};

}  // namespace plumb::simulator
