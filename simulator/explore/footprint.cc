// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/footprint.h"

#include <algorithm>
#include <utility>

namespace plumb::simulator {

using engine::FiberChange;
using engine::Touch;
using engine::TouchKind;

namespace {

bool holds(const std::vector<std::int64_t>& values, std::int64_t value) {
  return std::ranges::find(values, value) != values.end();
}

}  // namespace

FiberIndex FootprintTable::fiber(const std::string& path) {
  if (const auto found = fiber_by_path_.find(path); found != fiber_by_path_.end()) {
    return found->second;
  }
  const auto dot = path.rfind('.');
  const FiberIndex parent = dot == std::string::npos ? -1 : fiber(path.substr(0, dot));
  const FiberIndex index = fiber_count();
  fibers_.push_back(Fiber{path, parent});
  fiber_by_path_.emplace(path, index);
  return index;
}

void FootprintTable::add_touch(Footprint& footprint, const Touch& touch) {
  if (touch.kind == TouchKind::none) return;
  const auto [found, is_new] = touch_by_name_.try_emplace(
      std::tuple(touch.kind, touch.writes, touch.key), std::ssize(touches_));
  if (is_new) {
    touches_.push_back(touch);
    auto& row = conflicts_.emplace_back();
    for (const Touch& other : touches_) row.push_back(engine::conflicts(touch, other));
  }
  const std::int64_t index = found->second;
  if (!holds(footprint.touches, index)) footprint.touches.push_back(index);
}

void FootprintTable::add_fiber_note(Footprint& footprint, const engine::FiberNote& note,
                                    bool is_visible) {
  const FiberIndex named = fiber(note.path);
  switch (note.change) {
    case FiberChange::started:
      footprint.started.push_back(
          StartedFiber{named, std::ssize(footprint.ended), footprint.returned >= 0});
      break;
    case FiberChange::ended:
    case FiberChange::won:
      footprint.ended.push_back(named);
      if (is_visible || note.change == FiberChange::won) footprint.contested.push_back(named);
      break;
    case FiberChange::cancelled:
      footprint.contested.push_back(named);
      break;
    case FiberChange::returned:
      footprint.returned = named;
      break;
  }
}

Footprint FootprintTable::footprint(const engine::Step& step) {
  Footprint footprint;
  footprint.fiber = fiber(step.id.path);
  footprint.ordinal = step.id.ordinal;
  add_touch(footprint, step.touch);
  for (const Touch& touch : step.also) add_touch(footprint, touch);
  for (const auto& note : step.fibers) {
    add_fiber_note(footprint, note, note.touches_before < std::ssize(step.also));
  }
  return footprint;
}

bool FootprintTable::is_within(FiberIndex fiber, FiberIndex ancestor) const {
  while (fiber > ancestor) fiber = parent(fiber);
  return fiber == ancestor;
}

bool FootprintTable::touches_conflict(const Footprint& a, const Footprint& b) const {
  for (const std::int64_t one : a.touches) {
    for (const std::int64_t other : b.touches) {
      const auto [low, high] = std::minmax(one, other);
      if (at(conflicts_, high)[static_cast<std::size_t>(low)]) return true;
    }
  }
  return false;
}

bool FootprintTable::contests(const Footprint& winner, const Footprint& other) const {
  if (std::ranges::any_of(winner.contested,
                          [&](FiberIndex one) { return is_within(other.fiber, one); })) {
    return true;
  }
  return winner.returned >= 0 && !is_within(other.fiber, winner.returned);
}

bool FootprintTable::conflict(const Footprint& a, const Footprint& b) const {
  return touches_conflict(a, b) || contests(a, b) || contests(b, a);
}

bool FootprintTable::may_change(const Footprint& a, const Footprint& b) const {
  const bool ends_siblings =
      std::ranges::any_of(a.ended, [&](FiberIndex one) { return holds(b.ended, one); });
  return ends_siblings || conflict(a, b);
}

}  // namespace plumb::simulator
