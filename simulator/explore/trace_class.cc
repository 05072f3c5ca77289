// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/trace_class.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/values/sha256.h"

namespace plumb::simulator {
namespace {

void join_clock(std::vector<std::int32_t>& into, const std::vector<std::int32_t>& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

TraceClass::TraceClass(FootprintTable& table, std::span<const engine::Step> steps)
    : table_(&table) {
  read_steps(steps);
  contest_returns();
  link_steps();
  starts_.resize(static_cast<std::size_t>(table.fiber_count()));
  ended_.resize(starts_.size());
  epoch_clock_.resize(starts_.size());
  for (std::int64_t i = 0; i < std::ssize(events_); ++i) order_step(i);
}

void TraceClass::read_steps(std::span<const engine::Step> steps) {
  footprints_.reserve(steps.size());
  events_.reserve(steps.size());
  for (const engine::Step& step : steps) {
    footprints_.push_back(table_->footprint(step));
    Event& event = events_.emplace_back();
    event.at_ms = step.at_ms;
    event.ready.reserve(step.ready.size());
    for (const auto& point : step.ready) event.ready.push_back(table_->fiber(point.id.path));
  }
}

// Which fiber's end ends the run matters as soon as there are fibers of other roots, whose steps
// the end cuts off.
void TraceClass::contest_returns() {
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < std::ssize(events_); ++i) {
    Footprint& own = footprints_[static_cast<std::size_t>(i)];
    if (own.returned < 0) continue;
    if (has_outsiders(own.returned, begin, i)) own.contested = own.ended;
    begin = i + 1;
  }
}

bool TraceClass::has_outsiders(FiberIndex root, std::int64_t first, std::int64_t last) const {
  for (std::int64_t i = first; i <= last; ++i) {
    const auto is_own = [&](FiberIndex one) { return table_->is_within(one, root); };
    if (!std::ranges::all_of(event(i).ready, is_own)) return true;
    for (const StartedFiber& one : footprint(i).started) {
      if (!one.is_after_return && !is_own(one.fiber)) return true;
    }
  }
  return false;
}

void TraceClass::link_steps() {
  const auto count = static_cast<std::size_t>(table_->fiber_count());
  std::vector<std::int64_t> last(count, -1);
  std::vector<std::int64_t> ready_since(count, -1);
  for (std::int64_t i = 0; i < std::ssize(events_); ++i) {
    for (const FiberIndex one : event(i).ready) {
      const bool was_ready = i > 0 && footprint(i - 1).fiber != one && is_ready(i - 1, one);
      if (!was_ready) ready_since[static_cast<std::size_t>(one)] = i;
    }
    const auto fiber = static_cast<std::size_t>(footprint(i).fiber);
    event(i).enabler = ready_since[fiber] - 1;
    for (const FiberIndex one : disabled(i)) {
      event(i).undone.push_back(ready_since[static_cast<std::size_t>(one)] - 1);
    }
    event(i).previous = last[fiber];
    if (last[fiber] >= 0) event(i).position = event(last[fiber]).position + 1;
    last[fiber] = i;
  }
}

bool TraceClass::is_ready(std::int64_t step, FiberIndex fiber) const {
  const auto& ready = event(step).ready;
  return std::ranges::find(ready, fiber) != ready.end();
}

bool TraceClass::covers(const Clock& clock, std::int64_t step) const {
  return clock[static_cast<std::size_t>(footprint(step).fiber)] >= event(step).position;
}

bool TraceClass::happens_before(std::int64_t first, std::int64_t second) const {
  return first < second && covers(event(second).clock, first);
}

// Time passes only when nothing is ready: what is due later follows everything.
void TraceClass::begin_epoch(std::int64_t step) {
  if (step == 0 || event(step).at_ms == event(step - 1).at_ms) return;
  for (std::int64_t i = epoch_begin_; i < step; ++i) join_clock(epoch_clock_, event(i).clock);
  epoch_begin_ = step;
}

void TraceClass::follow_start(std::int64_t step, Clock& clock) const {
  if (event(step).previous >= 0) return;
  for (FiberIndex one = footprint(step).fiber; one >= 0; one = table_->parent(one)) {
    join_clock(clock, starts_[static_cast<std::size_t>(one)]);
  }
}

// From the latest to the earliest: what is covered is ordered by something in between.
void TraceClass::follow_conflicts(std::int64_t step, Clock& clock) {
  const Footprint& own = footprint(step);
  for (std::int64_t i = step - 1; i >= epoch_begin_; --i) {
    if (covers(clock, i)) continue;
    const Footprint& earlier = footprint(i);
    const bool is_family =
        table_->is_within(own.fiber, earlier.fiber) || table_->is_within(earlier.fiber, own.fiber);
    if (!is_family) {
      if (!table_->conflict(earlier, own) && !undoes(step, i)) continue;
      races_.push_back(Race{i, step});
    }
    join_clock(clock, event(i).clock);
  }
}

// Had it come first, the earlier step would have found no fiber to wake.
bool TraceClass::undoes(std::int64_t step, std::int64_t earlier) const {
  const auto& undone = event(step).undone;
  return std::ranges::find(undone, earlier) != undone.end();
}

void TraceClass::record_ends(std::int64_t step) {
  Clock clock = event(step).clock;
  for (const FiberIndex parent : footprint(step).ended) {
    join_clock(clock, ended_[static_cast<std::size_t>(parent)]);
    ended_[static_cast<std::size_t>(parent)] = clock;
  }
}

// A fiber follows what started it. When a parent started it that went on after its children's end,
// it follows all of them, not only the one that ended last.
void TraceClass::record_starts(std::int64_t step) {
  const Footprint& own = footprint(step);
  for (const StartedFiber& one : own.started) {
    Clock clock = event(step).clock;
    for (std::int64_t i = 0; i < one.ended_count; ++i) {
      const FiberIndex parent = own.ended[static_cast<std::size_t>(i)];
      join_clock(clock, ended_[static_cast<std::size_t>(parent)]);
    }
    starts_[static_cast<std::size_t>(one.fiber)] = std::move(clock);
  }
}

void TraceClass::order_step(std::int64_t step) {
  begin_epoch(step);
  Event& own = event(step);
  Clock clock = epoch_clock_;
  if (own.previous >= 0) join_clock(clock, event(own.previous).clock);
  if (own.enabler >= 0) join_clock(clock, event(own.enabler).clock);
  follow_start(step, clock);
  follow_conflicts(step, clock);
  clock[static_cast<std::size_t>(footprint(step).fiber)] = own.position;
  own.clock = std::move(clock);
  record_ends(step);
  record_starts(step);
}

std::vector<FiberIndex> TraceClass::initials(const Race& race) const {
  std::vector<std::int64_t> kept;
  for (std::int64_t i = race.first + 1; i < race.second; ++i) {
    if (!happens_before(race.first, i)) kept.push_back(i);
  }
  kept.push_back(race.second);
  std::vector<FiberIndex> initials;
  for (auto one = kept.begin(); one != kept.end(); ++one) {
    const bool follows = std::any_of(
        kept.begin(), one, [&](std::int64_t before) { return happens_before(before, *one); });
    if (!follows) initials.push_back(footprint(*one).fiber);
  }
  return initials;
}

std::vector<FiberIndex> TraceClass::disabled(std::int64_t step) const {
  std::vector<FiberIndex> disabled;
  for (const FiberIndex one : event(step).ready) {
    if (one == footprint(step).fiber) continue;
    if (step + 1 == std::ssize(events_) || !is_ready(step + 1, one)) disabled.push_back(one);
  }
  return disabled;
}

std::string TraceClass::key() const {
  std::vector<FiberIndex> fibers(static_cast<std::size_t>(table_->fiber_count()));
  std::iota(fibers.begin(), fibers.end(), 0);
  std::ranges::sort(fibers, {}, [this](FiberIndex one) { return table_->path(one); });
  std::vector<std::string> lines;
  for (std::int64_t i = 0; i < std::ssize(events_); ++i) {
    std::string line =
        engine::point_text(engine::PointId(table_->path(footprint(i).fiber), footprint(i).ordinal));
    for (const FiberIndex one : fibers) {
      const auto at = static_cast<std::size_t>(one);
      if (at >= event(i).clock.size() || event(i).clock[at] == 0) continue;
      line += " " + table_->path(one) + ":" + std::to_string(event(i).clock[at]);
    }
    lines.push_back(std::move(line));
  }
  std::ranges::sort(lines);
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return sha256_hex(text);
}

}  // namespace plumb::simulator
