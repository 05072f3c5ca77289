// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/schedule_tree.h"

#include <algorithm>
#include <utility>

#include "engine/kernel/sim_loop.h"

namespace plumb::simulator {

void ScheduleTree::begin_run() {
  step_ = 0;
  is_blocked_ = false;
}

std::int64_t ScheduleTree::pick(std::span<engine::Waiter* const> ready) {
  if (is_blocked_ || !divergence_.empty()) return 0;
  std::vector<FiberIndex> fibers;
  fibers.reserve(ready.size());
  for (const engine::Waiter* one : ready) fibers.push_back(table_->fiber(one->fiber().path));
  const std::int64_t picked = step_ < std::ssize(nodes_)
                                  ? follow(fibers)
                                  : extend(std::move(fibers), *ready.front()->fiber().loop);
  ++step_;
  return picked;
}

std::int64_t ScheduleTree::follow(const std::vector<FiberIndex>& ready) {
  const Node& node = nodes_[static_cast<std::size_t>(step_)];
  if (node.ready != ready) {
    divergence_ = "step " + std::to_string(step_) +
                  " has other ready fibers than in an earlier run under the same schedule";
    return 0;
  }
  return std::ranges::find(ready, node.chosen) - ready.begin();
}

std::int64_t ScheduleTree::extend(std::vector<FiberIndex> ready, const engine::Loop& loop) {
  Node next;
  if (step_ > 0) {
    // The notes on the last step are complete only now that the loop asks for the next one.
    const auto& steps = static_cast<const engine::SimLoop&>(loop).steps();
    if (std::ssize(steps) != step_) {
      divergence_ = "the run takes steps on several loops, or does not record them";
      return 0;
    }
    next.asleep = still_asleep(nodes_.back(), table_->footprint(steps.back()));
  }
  const auto awake =
      std::ranges::find_if(ready, [&](FiberIndex one) { return !next.asleep.contains(one); });
  if (awake == ready.end()) {
    is_blocked_ = true;
    return 0;
  }
  next.chosen = *awake;
  next.planned.insert(*awake);
  const std::int64_t picked = awake - ready.begin();
  next.ready = std::move(ready);
  nodes_.push_back(std::move(next));
  return picked;
}

std::map<FiberIndex, Footprint> ScheduleTree::still_asleep(const Node& before,
                                                           const Footprint& step) const {
  std::map<FiberIndex, Footprint> asleep;
  for (const auto& [fiber, footprint] : before.asleep) {
    if (fiber == step.fiber || table_->may_change(footprint, step)) continue;
    asleep.emplace(fiber, footprint);
  }
  return asleep;
}

void ScheduleTree::end_run(const TraceClass& run) {
  const auto explored = std::ssize(nodes_);
  if (std::ssize(run.footprints()) < explored) {
    divergence_ = "the run ended earlier than before under the same schedule";
    return;
  }
  for (const Race& race : run.races()) {
    if (race.second >= first_new_ && race.second < explored) plan(run, race);
  }
  // An old step may have taken away what a new step would have woken.
  for (std::int64_t i = 0; i < explored; ++i) plan_disabled(run, i);
  last_footprints_ = run.footprints();
}

void ScheduleTree::plan(const TraceClass& run, const Race& race) {
  Node& at = node(race.first);
  const auto initials = run.initials(race);
  const bool is_covered = std::ranges::any_of(initials, [&](FiberIndex one) {
    return at.planned.contains(one) || at.asleep.contains(one);
  });
  if (is_covered) return;
  const auto found = std::ranges::find_if(
      initials, [&](FiberIndex one) { return std::ranges::find(at.ready, one) != at.ready.end(); });
  if (found != initials.end()) {
    at.planned.insert(*found);
  } else {
    // No way to the reversed order is known from here: try everything.
    at.planned.insert(at.ready.begin(), at.ready.end());
  }
}

// A point that the step took away could have come before it.
void ScheduleTree::plan_disabled(const TraceClass& run, std::int64_t step) {
  Node& at = node(step);
  for (const FiberIndex one : run.disabled(step)) {
    if (const auto found = at.asleep.find(one); found != at.asleep.end()) {
      plan_waking(run, step, found->second);
    } else {
      at.planned.insert(one);
    }
  }
}

// What the sleeping step leads to is known, but not what it leads to after a step that changes it.
// Such a step woke it, had it come before the fiber was gone.
void ScheduleTree::plan_waking(const TraceClass& run, std::int64_t step,
                               const Footprint& sleeping) {
  const auto& footprints = run.footprints();
  for (std::int64_t i = std::max(step + 1, first_new_); i < std::ssize(footprints); ++i) {
    if (run.happens_before(step, i)) continue;
    if (!table_->may_change(sleeping, footprints[static_cast<std::size_t>(i)])) continue;
    plan(run, Race{step, i});
  }
}

FiberIndex ScheduleTree::next_to_try(const Node& node) {
  for (const FiberIndex one : node.planned) {
    if (one != node.chosen && !node.asleep.contains(one)) return one;
  }
  return -1;
}

bool ScheduleTree::advance() {
  for (; !nodes_.empty(); nodes_.pop_back()) {
    Node& last = nodes_.back();
    const FiberIndex next = next_to_try(last);
    if (next < 0) continue;
    last.asleep.insert_or_assign(last.chosen, last_footprints_[nodes_.size() - 1]);
    last.chosen = next;
    first_new_ = std::ssize(nodes_) - 1;
    return true;
  }
  return false;
}

std::int64_t ScheduleTree::open_count() const {
  return std::ranges::count_if(nodes_, [](const Node& one) { return next_to_try(one) >= 0; });
}

}  // namespace plumb::simulator
