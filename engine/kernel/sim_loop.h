// SPDX-License-Identifier: Apache-2.0
// The simulated loop: virtual time, and an order of the ready fibers that a seed or a schedule
// fixes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/kernel/loop.h"
#include "engine/kernel/rng.h"

namespace plumb::engine {

/// A fiber that could have been resumed at a step.
struct ReadyPoint {
  PointId id;
  Touch touch;

  bool operator==(const ReadyPoint&) const = default;
};

/// `touches_before`: how many of the step's further touches came before the change.
struct FiberNote {
  FiberChange change = FiberChange::started;
  std::string path;
  std::int64_t touches_before = 0;

  bool operator==(const FiberNote&) const = default;
};

/// One executed step: who was resumed, out of how many. `ready` only when the options ask for it.
struct Step {
  PointId id;
  Touch touch;
  std::int64_t at_ms = 0;
  std::int64_t picked = 0;
  std::int64_t ready_count = 0;
  std::vector<ReadyPoint> ready;
  /// What the fibers touched on their way to the next points, and what became of them.
  std::vector<Touch> also;
  std::vector<FiberNote> fibers;

  bool operator==(const Step&) const = default;
};

struct SimLoopOptions {
  /// 0: first in, first out. Any other seed: a random order of its own.
  std::uint64_t seed = 0;
  /// One index a step into the ready fibers, in order of arrival; first in, first out after its
  /// end.
  std::optional<std::vector<std::int64_t>> schedule = std::nullopt;
  std::int64_t step_max = 10'000'000;
  bool records_steps = false;
  bool records_ready = false;
  /// Chooses instead of seed and schedule.
  std::function<std::int64_t(std::span<Waiter* const>)> picker = nullptr;
  /// Called before the step's fiber is resumed. May abort, inject, sever or stop; destroys no
  /// fiber.
  std::function<void(const Step&)> on_point = nullptr;
};

/// One loop.
class SimLoop final : public Loop {
 public:
  explicit SimLoop(SimLoopOptions options = SimLoopOptions());
  ~SimLoop() override { destroy_fibers(); }

  std::int64_t now_ms() const override { return now_ms_; }
  const std::vector<Step>& steps() const { return steps_; }
  std::vector<Step> take_steps() { return std::move(steps_); }

 private:
  std::int64_t pick(std::span<Waiter* const> ready) override;
  bool idle(std::optional<std::int64_t> due_ms) override;
  void note_touch(Touch touch) override;
  void note_fiber_change(FiberChange change, const std::string& path) override;
  std::int64_t choose(std::span<Waiter* const> ready);
  Step describe(std::span<Waiter* const> ready, std::int64_t picked) const;

  SimLoopOptions options_;
  Rng rng_;
  std::int64_t now_ms_ = 0;
  std::vector<Step> steps_;
};

}  // namespace plumb::engine
