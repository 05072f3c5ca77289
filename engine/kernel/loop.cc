// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/loop.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/kernel/task.h"

namespace plumb::engine {

/// A root fiber that the loop owns. Its frames go before its fiber.
struct Spawned final : public Completion {
  explicit Spawned(SpawnId number) : id(number) {}
  void task_ended(std::int64_t /*index*/) noexcept override {
    has_ended = true;
    *has_finished_spawns = true;
  }

  SpawnId id;
  Fiber fiber;
  StartedTask start;
  bool has_ended = false;
  bool* has_finished_spawns = nullptr;
  std::optional<Task<void>> task;
};

Fiber::~Fiber() {
  if (loop != nullptr) loop->unregister_fiber(*this);
}

void Fiber::attach(Loop& owner, std::string own_path, std::string own_label) {
  PLUMB_ASSERT(loop == nullptr);
  loop = &owner;
  path = std::move(own_path);
  label = std::move(own_label);
  owner.register_fiber(*this);
}

bool Loop::EarlierTimer::operator()(const Waiter* a, const Waiter* b) const {
  return std::pair(a->due_ms_, a->timer_number_) < std::pair(b->due_ms_, b->timer_number_);
}

Loop::Loop() = default;

Loop::~Loop() {
  destroy_fibers();
  PLUMB_ASSERT(first_fiber_ == nullptr);
  PLUMB_ASSERT(live_frames_ == 0);
}

SpawnId Loop::spawn(Task<void> task, std::string label) {
  const SpawnId id = next_root_;
  auto spawned = std::make_unique<Spawned>(id);
  spawned->has_finished_spawns = &has_finished_spawns_;
  spawned->fiber.attach(*this, take_root_path(), std::move(label));
  spawned->task.emplace(std::move(task));
  spawned->task->promise().start_in(spawned->fiber, *spawned, 0);
  spawned->start.prepare(spawned->task->promise(), spawned->fiber);
  note(TouchKind::signal, "the number of root fibers", true);
  note_fiber(FiberChange::started, spawned->fiber.path);
  add_ready(spawned->start);
  spawned_.push_back(std::move(spawned));
  return id;
}

void Loop::cancel(SpawnId id) {
  const auto found = std::ranges::find(spawned_, id, [](const auto& one) { return one->id; });
  if (found == spawned_.end()) return;
  const auto doomed = std::move(*found);
  spawned_.erase(found);
  if (is_driving_) note_fiber(FiberChange::cancelled, doomed->fiber.path);
  doomed->task.reset();
}

void Loop::destroy_fibers() {
  // A destructor may spawn: go on until none is left.
  while (!spawned_.empty()) cancel(spawned_.back()->id);
}

bool Loop::is_running(SpawnId id) const {
  return std::ranges::any_of(spawned_,
                             [id](const auto& one) { return one->id == id && !one->has_ended; });
}

namespace {

Error unawaited(const Fiber& fiber, std::string_view what) {
  std::string message = "fiber " + fiber.path;
  if (!fiber.label.empty()) message += " (" + fiber.label + ")";
  return Error{ErrorCode::protocol, message + " threw what nobody awaits: " + std::string(what),
               ""};
}

/// Takes what the fiber gave.
Result<void> taken(Spawned& spawned) {
  try {
    spawned.task->take();
  } catch (const std::exception& error) {
    return std::unexpected(unawaited(spawned.fiber, error.what()));
  } catch (...) {
    return std::unexpected(unawaited(spawned.fiber, "a value of unknown type"));
  }
  return {};
}

}  // namespace

Result<void> Loop::reap() {
  Result<void> outcome;
  if (!std::exchange(has_finished_spawns_, false)) return outcome;
  for (auto& one : spawned_) {
    if (!one->has_ended) continue;
    auto own = taken(*one);
    if (outcome) outcome = std::move(own);
  }
  std::erase_if(spawned_, [](const auto& one) { return one->has_ended; });
  return outcome;
}

void Loop::add_ready(Waiter& waiter) {
  waiter.state_ = Waiter::State::ready;
  ready_.push_back(&waiter);
}

void Loop::add_timer(Waiter& waiter, std::int64_t delay_ms) {
  if (delay_ms <= 0) return add_ready(waiter);
  waiter.state_ = Waiter::State::timer;
  waiter.due_ms_ = now_ms() + delay_ms;
  waiter.timer_number_ = next_timer_++;
  timers_.insert(&waiter);
}

void Loop::add_immediate(Waiter& waiter) {
  waiter.state_ = Waiter::State::immediate;
  immediate_.push_back(&waiter);
}

void Loop::register_fiber(Fiber& fiber) {
  fiber.previous_in_loop = last_fiber_;
  (last_fiber_ != nullptr ? last_fiber_->next_in_loop : first_fiber_) = &fiber;
  last_fiber_ = &fiber;
}

void Loop::unregister_fiber(Fiber& fiber) {
  Fiber* const before = fiber.previous_in_loop;
  Fiber* const after = fiber.next_in_loop;
  (before != nullptr ? before->next_in_loop : first_fiber_) = after;
  (after != nullptr ? after->previous_in_loop : last_fiber_) = before;
}

void Loop::resume(std::coroutine_handle<> frame) {
  hand_over(frame);
  for (std::int64_t count = 0; next_frame_; ++count) {
    const auto next = std::exchange(next_frame_, nullptr);
    if (count >= step_max_) {
      // The frame stays suspended; it goes with its fiber.
      stop(Error{ErrorCode::exhausted,
                 "a fiber never waits: it resumed " + std::to_string(count) +
                     " frames within one step\n" + describe_waiting(),
                 ""});
      return;
    }
    PLUMB_ASSERT(!next.done());
    next.resume();
  }
}

void Loop::run_immediate() {
  while (!immediate_.empty()) {
    Waiter& waiter = *immediate_.back();
    immediate_.pop_back();
    waiter.state_ = Waiter::State::idle;
    waiter.fiber_->at = nullptr;
    resume(waiter.frame_);
  }
}

void Loop::release_due() {
  if (timers_.empty()) return;
  const std::int64_t now = now_ms();
  while (!timers_.empty() && (*timers_.begin())->due_ms_ <= now) {
    Waiter& waiter = **timers_.begin();
    timers_.erase(timers_.begin());
    add_ready(waiter);
  }
}

bool Loop::wait_for_more() {
  std::optional<std::int64_t> due_ms;
  if (!timers_.empty()) due_ms = (*timers_.begin())->due_ms_;
  return idle(due_ms);
}

Waiter& Loop::take_ready(std::int64_t index) {
  Waiter& waiter = *ready_[ready_begin_ + static_cast<std::size_t>(index)];
  forget_ready(waiter);
  return waiter;
}

void Loop::forget_ready(Waiter& waiter) {
  if (ready_[ready_begin_] == &waiter) {
    ++ready_begin_;
  } else {
    ready_.erase(std::find(ready_.begin() + static_cast<std::ptrdiff_t>(ready_begin_), ready_.end(),
                           &waiter));
  }
  const bool is_mostly_gone = ready_begin_ >= 64 && ready_begin_ * 2 >= ready_.size();
  if (ready_begin_ == ready_.size() || is_mostly_gone) {
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(ready_begin_));
    ready_begin_ = 0;
  }
}

Result<void> Loop::step() {
  if (step_count_ >= step_max_) {
    return fail(ErrorCode::exhausted,
                "step limit of " + std::to_string(step_max_) + " reached\n" + describe_waiting());
  }
  ++step_count_;
  const auto ready = std::span<Waiter* const>(ready_).subspan(ready_begin_);
  const std::int64_t index = pick(ready);
  if (stop_) return std::unexpected(*std::exchange(stop_, std::nullopt));
  Waiter& waiter = take_ready(index);
  waiter.state_ = Waiter::State::idle;
  waiter.fiber_->at = nullptr;
  resume(waiter.frame_);
  return {};
}

Result<void> Loop::drive(const bool* is_done) {
  PLUMB_ASSERT(!is_driving_);
  is_driving_ = true;
  Result<void> outcome;
  while (true) {
    run_immediate();
    outcome = reap();
    if (!outcome) break;
    if (is_done != nullptr && *is_done) break;
    if (stop_) {
      outcome = std::unexpected(*std::exchange(stop_, std::nullopt));
      break;
    }
    look_outside();
    release_due();
    if (ready_begin_ < ready_.size()) {
      outcome = step();
      if (!outcome) break;
    } else if (!wait_for_more()) {
      break;
    }
  }
  is_driving_ = false;
  return outcome;
}

std::string Loop::describe_waiting() const {
  std::string text;
  for (const Fiber* fiber = first_fiber_; fiber != nullptr; fiber = fiber->next_in_loop) {
    if (fiber->at == nullptr) continue;
    if (!text.empty()) text += "\n";
    text += "fiber " + fiber->path;
    if (!fiber->label.empty()) text += " (" + fiber->label + ")";
    text += " waits for " + fiber->at->description();
  }
  return text;
}

Error Loop::stuck_error() const {
  const std::string waiting = describe_waiting();
  return Error{ErrorCode::stuck, "nothing can wake the run any more\n" + waiting, ""};
}

}  // namespace plumb::engine
