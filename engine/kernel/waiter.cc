// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "engine/kernel/loop.h"
#include "engine/kernel/task.h"

namespace plumb::engine {

void Waiter::suspend_frame(std::coroutine_handle<> frame, Fiber* fiber) {
  PLUMB_ASSERT(state_ == State::idle);
  PLUMB_ASSERT(fiber != nullptr);
  if (loop_ == nullptr) loop_ = fiber->loop;
  PLUMB_ASSERT(loop_ == fiber->loop);
  frame_ = frame;
  fiber_ = fiber;
  ordinal_ = fiber->next_point++;
  fiber->at = this;
}

void Waiter::prepare_start(std::coroutine_handle<> frame, Fiber& fiber) {
  loop_ = fiber.loop;
  frame_ = frame;
  fiber_ = &fiber;
  fiber.at = this;
}

void Waiter::unlink() {
  if (fiber_->at == this) fiber_->at = nullptr;
  switch (state_) {
    case State::idle:
      break;
    case State::immediate:
      std::erase(loop_->immediate_, this);
      break;
    case State::ready:
      loop_->forget_ready(*this);
      break;
    case State::timer:
      loop_->timers_.erase(this);
      break;
    case State::waiting:
      loop_->note(TouchKind::signal, list_->name(), true);
      list_->remove(*this);
      break;
  }
  state_ = State::idle;
}

std::string Waiter::description() const {
  switch (state_) {
    case State::idle:
      return "nothing";
    case State::immediate:
      return "its start";
    case State::ready:
      return "its turn";
    case State::timer:
      return "the timer at " + std::to_string(due_ms_) + " ms";
    case State::waiting:
      return list_->name();
  }
  return "nothing";
}

void WaitList::append(Waiter& waiter) {
  waiter.loop_->note(TouchKind::signal, name_, false);
  waiter.state_ = Waiter::State::waiting;
  waiter.list_ = this;
  waiter.previous_ = last_;
  waiter.next_ = nullptr;
  (last_ != nullptr ? last_->next_ : first_) = &waiter;
  last_ = &waiter;
}

void WaitList::remove(Waiter& waiter) {
  PLUMB_ASSERT(waiter.list_ == this);
  Waiter* const before = waiter.previous_;
  Waiter* const after = waiter.next_;
  (before != nullptr ? before->next_ : first_) = after;
  (after != nullptr ? after->previous_ : last_) = before;
  waiter.list_ = nullptr;
}

void WaitList::wake(Waiter& waiter) {
  waiter.loop_->note(TouchKind::signal, name_, true);
  remove(waiter);
  waiter.loop_->add_ready(waiter);
}

void WaitList::wake_all() {
  while (first_ != nullptr) wake(*first_);
}

void PromiseBase::destroy_chain() {
  PromiseBase* innermost = this;
  while (innermost->awaited_ != nullptr) innermost = innermost->awaited_;
  while (innermost != this) {
    PromiseBase* const outer = innermost->parent_;
    const auto doomed = std::exchange(*innermost->owner_, nullptr);
    outer->awaited_ = nullptr;
    doomed.destroy();
    innermost = outer;
  }
  frame_.destroy();
}

}  // namespace plumb::engine
