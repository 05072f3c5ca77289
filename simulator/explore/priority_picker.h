// SPDX-License-Identifier: Apache-2.0
// Samples schedules where there are too many classes to explore: fibers run by random priorities
// that change at a few random steps, which finds a bug that needs d ordered points with a known
// least probability, however long the run is.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "engine/kernel/loop.h"
#include "engine/kernel/rng.h"

namespace plumb::simulator {

/// One run's priorities. Thread-compatible.
class PriorityPicker final {
 public:
  /// `step_count`: how long a run is about; the changes lie within.
  PriorityPicker(std::uint64_t seed, std::int64_t change_count, std::int64_t step_count);
  std::int64_t pick(std::span<engine::Waiter* const> ready);

 private:
  std::int64_t highest(std::span<engine::Waiter* const> ready);
  std::int64_t& priority(const std::string& path);

  engine::Rng rng_;
  std::set<std::int64_t> changes_;
  std::map<std::string, std::int64_t> priorities_;
  std::int64_t step_ = 0;
  std::int64_t lowest_ = 0;
};

}  // namespace plumb::simulator
