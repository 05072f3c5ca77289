// SPDX-License-Identifier: Apache-2.0
// The partial order behind one executed schedule. Schedules that differ only in the order of steps
// that commute have the same partial order: they are one class.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/explore/footprint.h"

namespace plumb::simulator {

/// Two steps in conflict with nothing between them that orders them: `second` could have come
/// first.
struct Race {
  std::int64_t first = 0;
  std::int64_t second = 0;

  bool operator==(const Race&) const = default;
};

/// The happens-before relation of one run, as vector clocks. Steps are named by index.
/// A step follows its fiber's earlier steps, what made its point ready, what started its fiber, the
/// steps of its fiber's ancestors and descendants, every step at an earlier time, and every earlier
/// step that it is in conflict with.
/// Thread-compatible; the table outlives it.
class TraceClass final {
 public:
  /// `steps` need `ready`, and the notes that come with recorded steps.
  TraceClass(FootprintTable& table, std::span<const engine::Step> steps);

  const std::vector<Footprint>& footprints() const { return footprints_; }
  /// In order of `second`.
  const std::vector<Race>& races() const { return races_; }
  bool happens_before(std::int64_t first, std::int64_t second) const;
  /// The fibers that could run first at `race.first` on the way to reverse the race.
  std::vector<FiberIndex> initials(const Race& race) const;
  /// The fibers that were ready at a step and that the step kept from ever taking their points.
  std::vector<FiberIndex> disabled(std::int64_t step) const;
  /// The same for all schedules of the class and for no other: a digest of the partial order.
  std::string key() const;

 private:
  using Clock = std::vector<std::int32_t>;  ///< By fiber: how many of its steps come before.
  struct Event {
    std::int64_t at_ms = 0;
    std::vector<FiberIndex> ready;
    std::int64_t enabler = -1;         ///< The step that made the point ready.
    std::vector<std::int64_t> undone;  ///< What made the points ready that this step takes away.
    std::int64_t previous = -1;        ///< The fiber's step before this one.
    std::int32_t position = 1;         ///< Among the fiber's steps, from 1.
    Clock clock;                       ///< This step counts itself.
  };

  const Event& event(std::int64_t step) const { return events_[static_cast<std::size_t>(step)]; }
  Event& event(std::int64_t step) { return events_[static_cast<std::size_t>(step)]; }
  const Footprint& footprint(std::int64_t step) const {
    return footprints_[static_cast<std::size_t>(step)];
  }
  void read_steps(std::span<const engine::Step> steps);
  void contest_returns();
  bool has_outsiders(FiberIndex root, std::int64_t first, std::int64_t last) const;
  void link_steps();
  void order_step(std::int64_t step);
  void begin_epoch(std::int64_t step);
  void follow_start(std::int64_t step, Clock& clock) const;
  void follow_conflicts(std::int64_t step, Clock& clock);
  void record_ends(std::int64_t step);
  void record_starts(std::int64_t step);
  bool undoes(std::int64_t step, std::int64_t earlier) const;
  bool covers(const Clock& clock, std::int64_t step) const;
  bool is_ready(std::int64_t step, FiberIndex fiber) const;

  FootprintTable* table_;
  std::vector<Footprint> footprints_;
  std::vector<Event> events_;
  std::vector<Clock> starts_;  ///< By fiber: the steps behind its start.
  std::vector<Clock> ended_;   ///< By parent: the steps behind what has ended under it.
  Clock epoch_clock_;
  std::int64_t epoch_begin_ = 0;
  std::vector<Race> races_;
};

}  // namespace plumb::simulator
