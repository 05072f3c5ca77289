// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/sim_loop.h"

#include <algorithm>
#include <utility>

namespace plumb::engine {

SimLoop::SimLoop(SimLoopOptions options) : options_(std::move(options)), rng_(options_.seed) {
  limit_steps(options_.step_max);
  if (options_.records_steps) start_noting();
}

void SimLoop::note_touch(Touch touch) {
  if (steps_.empty()) return;
  auto& also = steps_.back().also;
  if (std::ranges::find(also, touch) == also.end() || !steps_.back().fibers.empty()) {
    also.push_back(std::move(touch));
  }
}

void SimLoop::note_fiber_change(FiberChange change, const std::string& path) {
  if (steps_.empty()) return;
  Step& step = steps_.back();
  step.fibers.push_back(FiberNote{change, path, std::ssize(step.also)});
}

bool SimLoop::idle(std::optional<std::int64_t> due_ms) {
  if (!due_ms) return false;
  now_ms_ = *due_ms;
  return true;
}

std::int64_t SimLoop::choose(std::span<Waiter* const> ready) {
  if (options_.picker) return options_.picker(ready);
  if (options_.schedule) {
    const auto& schedule = *options_.schedule;
    const auto at = static_cast<std::size_t>(step_count() - 1);
    return at < schedule.size() ? schedule[at] : 0;
  }
  if (options_.seed == 0 || ready.size() == 1) return 0;
  return rng_.below(std::ssize(ready));
}

Step SimLoop::describe(std::span<Waiter* const> ready, std::int64_t picked) const {
  const Waiter& waiter = *ready[static_cast<std::size_t>(picked)];
  Step step;
  step.id = waiter.id();
  step.touch = waiter.touch();
  step.at_ms = now_ms_;
  step.picked = picked;
  step.ready_count = std::ssize(ready);
  if (!options_.records_ready) return step;
  step.ready.reserve(ready.size());
  for (const Waiter* one : ready) step.ready.emplace_back(one->id(), one->touch());
  return step;
}

std::int64_t SimLoop::pick(std::span<Waiter* const> ready) {
  const std::int64_t picked = choose(ready);
  if (picked < 0 || picked >= std::ssize(ready)) {
    stop(Error{ErrorCode::invalid,
               "step " + std::to_string(step_count()) + " picks " + std::to_string(picked) +
                   " of " + std::to_string(ready.size()) + " ready fibers",
               ""});
    return 0;
  }
  if (!options_.records_steps && !options_.on_point) return picked;
  Step step = describe(ready, picked);
  if (options_.on_point) options_.on_point(step);
  if (options_.records_steps) steps_.push_back(std::move(step));
  return picked;
}

}  // namespace plumb::engine
