// SPDX-License-Identifier: Apache-2.0
// Applies a scenario's steps to a session: a step without `when` starts once the engine is idle, a
// step with `when` acts at the very event that it names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernel/task.h"
#include "engine/trace/pattern.h"
#include "simulator/subjects/session_world.h"

namespace plumb::simulator {

/// One loop. Listens to the recorder for as long as it lives.
class StepDriver {
 public:
  /// `is_swept`: as RunOptions says.
  StepDriver(const Scenario& scenario, SessionWorld& world, bool is_swept = false);
  StepDriver(const StepDriver&) = delete;
  StepDriver& operator=(const StepDriver&) = delete;
  ~StepDriver();

  /// Starts the session, applies all steps, waits until the engine has settled, shuts down.
  engine::Task<Result<void>> play();

  /// Steps whose event never came, or that this subject cannot apply.
  const std::vector<Error>& errors() const { return errors_; }
  bool has_crashed() const { return has_crashed_; }

 private:
  void on_event(const Event& event);
  void arm();
  void note_trigger(const Event& event) const;
  void refuse_rest();
  void fire();
  void note(const Step& step, Json data);
  bool is_expected(const Error& error) const;
  void note_usage();
  void refuse(const Step& step, std::string message);
  bool apply_now(const Step& step);
  void configure(const ConfigureStep& change);
  void put(const FileScript& file);
  engine::Task<Result<void>> apply_idle(std::size_t index);
  engine::Task<Result<void>> prompt(std::string text);
  engine::Task<Result<void>> navigate(std::string to);
  engine::Task<Result<void>> change_session(const Step* step);
  void note_place(Json data);

  const Scenario& scenario_;
  SessionWorld& world_;
  bool is_swept_;
  std::vector<const Step*> steps_;                     ///< Those of the host, in order.
  std::vector<std::optional<EventPattern>> triggers_;  ///< What each of them waits for.
  std::size_t next_ = 0;                               ///< The step to start next.
  std::optional<PatternCounter> armed_;
  std::vector<Error> errors_;
  bool has_crashed_ = false;
};

/// The pattern of a step that interrupts; empty for the others.
const Trigger& trigger_of(const Step& step);

}  // namespace plumb::simulator
