// SPDX-License-Identifier: Apache-2.0
// The depth-first walk over the tree of schedules: which fiber to resume at each step of the next
// run, and which other fibers must be tried there later.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "simulator/explore/footprint.h"
#include "simulator/explore/trace_class.h"

namespace plumb::simulator {

/// Use: `begin_run`, `pick` at each step of the run, `end_run`, then `advance`, until it says
/// false. Thread-compatible; the table outlives it.
class ScheduleTree final {
 public:
  explicit ScheduleTree(FootprintTable& table) : table_(&table) {}

  void begin_run();
  /// An index into the ready fibers.
  std::int64_t pick(std::span<engine::Waiter* const> ready);
  /// Plans the orders that the run has shown to matter.
  void end_run(const TraceClass& run);
  /// Chooses the next schedule. False when every class has been explored.
  bool advance();

  /// The run left the schedule because every ready fiber led to a class that is known.
  bool is_blocked() const { return is_blocked_; }
  /// Empty, or how a run differed from an earlier one under the same picks.
  const std::string& divergence() const { return divergence_; }
  /// Steps at which something planned waits to be tried; each stands for one class at least.
  std::int64_t open_count() const;

 private:
  /// A state: the steps before it are those that the nodes before it chose.
  struct Node {
    std::vector<FiberIndex> ready;
    FiberIndex chosen = -1;
    std::set<FiberIndex> planned;  ///< Tried, chosen or still to be tried.
    /// Fibers whose next step need not be tried here, with what that step did when it was tried.
    std::map<FiberIndex, Footprint> asleep;
  };

  Node& node(std::int64_t step) { return nodes_[static_cast<std::size_t>(step)]; }
  std::int64_t follow(const std::vector<FiberIndex>& ready);
  std::int64_t extend(std::vector<FiberIndex> ready, const engine::Loop& loop);
  std::map<FiberIndex, Footprint> still_asleep(const Node& before, const Footprint& step) const;
  void plan(const TraceClass& run, const Race& race);
  void plan_disabled(const TraceClass& run, std::int64_t step);
  void plan_waking(const TraceClass& run, std::int64_t step, const Footprint& sleeping);
  static FiberIndex next_to_try(const Node& node);

  FootprintTable* table_;
  std::vector<Node> nodes_;
  std::vector<Footprint> last_footprints_;
  std::int64_t step_ = 0;
  std::int64_t first_new_ = 0;
  bool is_blocked_ = false;
  std::string divergence_;
};

}  // namespace plumb::simulator
