// SPDX-License-Identifier: Apache-2.0
// Several tasks as child fibers: all (every one ends), race (the first one wins, the others' frames
// are destroyed), with_timeout. Children start in order, each up to its first schedule point,
// before the next.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/kernel/task.h"

namespace plumb::engine {

/// The child fibers of one suspended parent. The tasks belong to the caller and go before this.
class ChildFibers final : public Completion {
 public:
  enum class Until : std::uint8_t { all, first };

  ChildFibers(Fiber& parent, std::int64_t count, Until until)
      : parent_(&parent),
        children_(std::make_unique<Child[]>(static_cast<std::size_t>(count))),
        count_(count),
        change_(until == Until::all ? FiberChange::ended : FiberChange::won),
        left_(until == Until::all ? count : 1) {}

  void prepare(std::int64_t index, PromiseBase& promise) {
    Child& child = children_[static_cast<std::size_t>(index)];
    child.fiber.attach(*parent_->loop, parent_->take_child_path(), parent_->label);
    parent_->loop->note_fiber(FiberChange::started, child.fiber.path);
    promise.start_in(child.fiber, *this, index);
    child.start.prepare(promise, child.fiber);
  }
  void task_ended(std::int64_t index) noexcept override {
    if (left_ == 0) return;
    parent_->loop->note_fiber(change_, parent_->path);
    if (--left_ > 0) return;
    last_ = index;
    parent_->loop->hand_over(frame_);
  }
  /// The child whose end woke the parent.
  std::int64_t last() const { return last_; }

  bool await_ready() const noexcept { return left_ == 0; }
  void await_suspend(std::coroutine_handle<> frame) {
    frame_ = frame;
    for (std::int64_t i = count_ - 1; i >= 0; --i) {
      parent_->loop->add_immediate(children_[static_cast<std::size_t>(i)].start);
    }
  }
  void await_resume() const noexcept {}

 private:
  struct Child {
    Fiber fiber;
    StartedTask start;
  };

  Fiber* parent_;
  std::unique_ptr<Child[]> children_;
  std::int64_t count_;
  FiberChange change_;
  std::int64_t left_;
  std::int64_t last_ = -1;
  std::coroutine_handle<> frame_;
};

/// Values in the order of the tasks. What a task throws is thrown on when all have ended; the first
/// one's.
template <class T>
  requires(!std::is_void_v<T>)
Task<std::vector<T>> all(std::vector<Task<T>> tasks) {
  Fiber& fiber = co_await current_fiber();
  ChildFibers children(fiber, std::ssize(tasks), ChildFibers::Until::all);
  std::vector<Task<T>> running = std::move(tasks);
  for (std::int64_t i = 0; i < std::ssize(running); ++i) {
    children.prepare(i, running[static_cast<std::size_t>(i)].promise());
  }
  co_await children;
  std::vector<T> values;
  values.reserve(running.size());
  for (auto& task : running) values.push_back(task.take());
  co_return values;
}

inline Task<void> all(std::vector<Task<void>> tasks) {
  Fiber& fiber = co_await current_fiber();
  ChildFibers children(fiber, std::ssize(tasks), ChildFibers::Until::all);
  std::vector<Task<void>> running = std::move(tasks);
  for (std::int64_t i = 0; i < std::ssize(running); ++i) {
    children.prepare(i, running[static_cast<std::size_t>(i)].promise());
  }
  co_await children;
  for (auto& task : running) task.take();
}

/// Which task won, and what it gave.
template <class T>
struct Winner {
  Winner(std::int64_t winner, T given) : index(winner), value(std::move(given)) {}
  std::int64_t index;
  T value;
};

/// At least one task. The others are destroyed where they stand.
template <class T>
  requires(!std::is_void_v<T>)
Task<Winner<T>> race(std::vector<Task<T>> tasks) {
  PLUMB_ASSERT(!tasks.empty());
  Fiber& fiber = co_await current_fiber();
  ChildFibers children(fiber, std::ssize(tasks), ChildFibers::Until::first);
  std::vector<Task<T>> running = std::move(tasks);
  for (std::int64_t i = 0; i < std::ssize(running); ++i) {
    children.prepare(i, running[static_cast<std::size_t>(i)].promise());
  }
  co_await children;
  co_return Winner<T>(children.last(), running[static_cast<std::size_t>(children.last())].take());
}

/// The index of the task that ended first.
inline Task<std::int64_t> race(std::vector<Task<void>> tasks) {
  PLUMB_ASSERT(!tasks.empty());
  Fiber& fiber = co_await current_fiber();
  ChildFibers children(fiber, std::ssize(tasks), ChildFibers::Until::first);
  std::vector<Task<void>> running = std::move(tasks);
  for (std::int64_t i = 0; i < std::ssize(running); ++i) {
    children.prepare(i, running[static_cast<std::size_t>(i)].promise());
  }
  co_await children;
  running[static_cast<std::size_t>(children.last())].take();
  co_return children.last();
}

inline Task<void> sleep_task(Loop& loop, std::int64_t delay_ms) {
  co_await loop.sleep_ms(delay_ms);
}

/// The task's outcome, or a timeout after `timeout_ms`; the task is then destroyed where it stands.
template <class T>
Task<AsResult<T>> with_timeout(Task<T> task, std::int64_t timeout_ms) {
  Fiber& fiber = co_await current_fiber();
  ChildFibers children(fiber, 2, ChildFibers::Until::first);
  Task<void> timer = sleep_task(*fiber.loop, timeout_ms);
  Task<T> running = std::move(task);
  children.prepare(0, running.promise());
  children.prepare(1, timer.promise());
  co_await children;
  if (children.last() == 1) {
    co_return fail(ErrorCode::timeout, "timed out after " + std::to_string(timeout_ms) + " ms");
  }
  if constexpr (std::is_void_v<T>) {
    running.take();
    co_return AsResult<T>();
  } else {
    co_return running.take();
  }
}

}  // namespace plumb::engine
