// SPDX-License-Identifier: Apache-2.0
// What a step touches and which fibers it starts and ends, with names turned into numbers that stay
// the same over all runs of one exploration. Two steps whose footprints are not in conflict
// commute.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/kernel/sim_loop.h"

namespace plumb::simulator {

/// A number that stands for a fiber's path.
using FiberIndex = std::int64_t;

struct StartedFiber {
  FiberIndex fiber = 0;
  /// The first of `Footprint::ended` whose children's end led to the start.
  std::int64_t ended_count = 0;
  bool is_after_return = false;  ///< Started when the run had ended, for the next run.

  bool operator==(const StartedFiber&) const = default;
};

/// One step as an explorer sees it.
struct Footprint {
  FiberIndex fiber = 0;
  std::int64_t ordinal = 0;
  std::vector<std::int64_t> touches;
  std::vector<StartedFiber> started;
  std::vector<FiberIndex> ended;      ///< Parents of the fibers that ended.
  std::vector<FiberIndex> contested;  ///< Parents that went on in this step, with visible effects.
  FiberIndex returned = -1;           ///< The root fiber that ended the run.

  bool operator==(const Footprint&) const = default;
};

/// Thread-compatible.
class FootprintTable final {
 public:
  FiberIndex fiber(const std::string& path);
  const std::string& path(FiberIndex fiber) const { return at(fibers_, fiber).path; }
  /// -1 for a root fiber.
  FiberIndex parent(FiberIndex fiber) const { return at(fibers_, fiber).parent; }
  std::int64_t fiber_count() const { return std::ssize(fibers_); }
  Footprint footprint(const engine::Step& step);

  /// Whether `fiber` is `ancestor` or one of its descendants.
  bool is_within(FiberIndex fiber, FiberIndex ancestor) const;
  /// Whether the order of two steps of different fibers may matter.
  bool conflict(const Footprint& a, const Footprint& b) const;
  /// Whether one step may change the other's footprint or outcome: as above, or both end children
  /// of one parent, so that the later one carries what the parent does next.
  bool may_change(const Footprint& a, const Footprint& b) const;

 private:
  struct Fiber {
    std::string path;
    FiberIndex parent = -1;
  };
  template <class T>
  static const T& at(const std::vector<T>& values, std::int64_t index) {
    return values[static_cast<std::size_t>(index)];
  }
  void add_touch(Footprint& footprint, const engine::Touch& touch);
  void add_fiber_note(Footprint& footprint, const engine::FiberNote& note, bool is_visible);
  bool touches_conflict(const Footprint& a, const Footprint& b) const;
  bool contests(const Footprint& winner, const Footprint& other) const;

  std::vector<Fiber> fibers_;
  std::map<std::string, FiberIndex> fiber_by_path_;
  std::vector<engine::Touch> touches_;
  std::map<std::tuple<engine::TouchKind, bool, std::string>, std::int64_t> touch_by_name_;
  std::vector<std::vector<bool>> conflicts_;  ///< [a][b] for b <= a.
};

}  // namespace plumb::simulator
