// SPDX-License-Identifier: Apache-2.0
// Task<T> is a lazy coroutine. Awaiting it and ending it hand the next frame to the loop's
// trampoline instead of transferring to it, so that neither a million awaits nor a deep chain of
// them grows the native stack. A chain that is destroyed while suspended is taken down from its
// innermost frame, for the same reason.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/kernel/fiber.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/result.h"

namespace plumb::engine {

/// Told when a task that no coroutine awaits has ended.
class Completion {
 public:
  virtual void task_ended(std::int64_t index) noexcept = 0;

 protected:
  ~Completion() = default;
};

class PromiseBase {
 public:
  PromiseBase() = default;
  PromiseBase(const PromiseBase&) = delete;
  PromiseBase& operator=(const PromiseBase&) = delete;
  ~PromiseBase() {
    if (fiber_ != nullptr) fiber_->loop->frame_released();
  }

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <class Handle>
    void await_suspend(Handle handle) const noexcept {
      handle.promise().end();
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { exception_ = std::current_exception(); }

  /// Null until the task is awaited or started.
  Fiber* fiber() const { return fiber_; }
  std::coroutine_handle<> frame() const { return frame_; }

  /// A coroutine awaits this task, whose handle stands in `*owner` until then.
  void await_from(PromiseBase& parent, std::coroutine_handle<>* owner) {
    bind(*parent.fiber_);
    parent_ = &parent;
    owner_ = owner;
    parent.awaited_ = this;
  }
  /// The task is the first frame of a fiber.
  void start_in(Fiber& fiber, Completion& completion, std::int64_t index) {
    bind(fiber);
    completion_ = &completion;
    index_ = index;
  }
  void rethrow() {
    if (parent_ != nullptr) parent_->awaited_ = nullptr;
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  }
  /// Destroys the frame, and before it what it awaits.
  void destroy_chain();

 protected:
  void set_frame(std::coroutine_handle<> frame) { frame_ = frame; }

 private:
  void bind(Fiber& fiber) {
    PLUMB_ASSERT(fiber_ == nullptr);
    fiber_ = &fiber;
    fiber.loop->frame_bound();
  }
  void end() noexcept {
    if (parent_ != nullptr) {
      fiber_->loop->hand_over(parent_->frame_);
    } else if (completion_ != nullptr) {
      completion_->task_ended(index_);
    }
  }

  Fiber* fiber_ = nullptr;
  std::coroutine_handle<> frame_;
  PromiseBase* parent_ = nullptr;
  PromiseBase* awaited_ = nullptr;
  std::coroutine_handle<>* owner_ = nullptr;
  Completion* completion_ = nullptr;
  std::int64_t index_ = 0;
  std::exception_ptr exception_;
};

template <class T>
class Promise final : public PromiseBase {
 public:
  Task<T> get_return_object();
  template <class U>
    requires std::is_convertible_v<U, T>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    rethrow();
    return *std::move(value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> final : public PromiseBase {
 public:
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() { rethrow(); }
};

/// Move-only; runs when awaited, once. Dropping it destroys its frames.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = Promise<T>;
  using Value = T;

  explicit Task(promise_type& promise) : promise_(&promise), frame_(promise.frame()) {}
  Task(Task&& other) noexcept
      : promise_(std::exchange(other.promise_, nullptr)),
        frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this == &other) return *this;
    reset();
    promise_ = std::exchange(other.promise_, nullptr);
    frame_ = std::exchange(other.frame_, nullptr);
    return *this;
  }
  ~Task() { reset(); }

  bool await_ready() const noexcept { return false; }
  template <class Handle>
  void await_suspend(Handle parent) {
    promise_->await_from(parent.promise(), &frame_);
    promise_->fiber()->loop->hand_over(frame_);
  }
  T await_resume() { return promise_->take(); }

  promise_type& promise() const { return *promise_; }
  bool is_done() const { return frame_ && frame_.done(); }
  T take() { return promise_->take(); }
  /// Destroys the frames now.
  void reset() {
    if (frame_) promise_->destroy_chain();
    frame_ = nullptr;
    promise_ = nullptr;
  }

 private:
  promise_type* promise_;
  std::coroutine_handle<> frame_;
};

template <class T>
Task<T> Promise<T>::get_return_object() {
  set_frame(std::coroutine_handle<Promise>::from_promise(*this));
  return Task<T>(*this);
}

inline Task<void> Promise<void>::get_return_object() {
  set_frame(std::coroutine_handle<Promise>::from_promise(*this));
  return Task<void>(*this);
}

/// The loop's side of a task that nothing awaits: its fiber and its start. Must outlive the task's
/// frames.
class StartedTask final : public Waiter {
 public:
  StartedTask() = default;
  void prepare(PromiseBase& promise, Fiber& fiber) { prepare_start(promise.frame(), fiber); }
};

/// Runs one root fiber inside Loop::run.
class RootRun final : public Completion {
 public:
  RootRun(Loop& loop, std::string path) { fiber_.attach(loop, std::move(path), ""); }
  void begin(PromiseBase& promise, Loop& loop) {
    promise.start_in(fiber_, *this, 0);
    start_.prepare(promise, fiber_);
    loop.note_fiber(FiberChange::started, fiber_.path);
    loop.add_immediate(start_);
  }
  void task_ended(std::int64_t /*index*/) noexcept override {
    is_done_ = true;
    fiber_.loop->note_fiber(FiberChange::returned, fiber_.path);
  }
  const bool& is_done() const { return is_done_; }

 private:
  Fiber fiber_;
  StartedTask start_;
  bool is_done_ = false;
};

template <class T>
AsResult<T> Loop::run(Task<T> task) {
  RootRun root(*this, take_root_path());
  Task<T> running = std::move(task);
  root.begin(running.promise(), *this);
  auto driven = drive(&root.is_done());
  if (!driven) return std::unexpected(std::move(driven).error());
  if (!root.is_done()) return std::unexpected(stuck_error());
  if constexpr (std::is_void_v<T>) {
    running.take();
    return {};
  } else {
    return running.take();
  }
}

}  // namespace plumb::engine
