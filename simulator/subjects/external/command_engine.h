// SPDX-License-Identifier: Apache-2.0
// A live engine that is a command: a prompt is one run of it, an abort is SIGINT, a crash SIGKILL.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernel/line_process.h"
#include "simulator/subjects/external/black_box.h"
#include "simulator/subjects/external/live_engine.h"

namespace plumb::simulator {

/// One loop; one run at a time.
class CommandEngine final : public LiveEngine, public engine::LineListener {
 public:
  CommandEngine(engine::RealLoop& loop, const BlackBoxOptions& options)
      : loop_(loop), options_(options) {}

  engine::Task<Result<void>> start(LiveCase live, bool is_resumed) override;
  engine::Task<Result<void>> perform(const Step& step) override;
  Result<void> interrupt(const Step& step, std::function<void(bool)> on_answered) override;
  engine::Task<Result<void>> settle() override;
  void crash() override;
  void drain() override {}
  engine::Task<Result<void>> finish() override;
  void leave() override { process_.reset(); }
  std::vector<Error> errors() const override { return {}; }

  void on_line(std::string_view line) override;
  void on_end(std::string how) override { end_ = std::move(how); }

 private:
  std::string command_for(const std::string& prompt) const;
  engine::Task<void> until_end();
  engine::Task<Result<void>> run_to_end();
  Error stopped(const std::string& why) const;

  engine::RealLoop& loop_;
  const BlackBoxOptions& options_;
  std::optional<LiveCase> live_;
  std::unique_ptr<engine::LineProcess> process_;
  std::string end_;
  std::int64_t output_bytes_ = 0;
  std::int64_t requests_before_ = 0;
  bool is_interrupted_ = false;
  bool is_crashed_ = false;
};

}  // namespace plumb::simulator
