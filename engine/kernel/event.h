// SPDX-License-Identifier: Apache-2.0
// What fibers wait on: an event (set until reset), a latch (counts down), a mutex (first come,
// first served). Waking is a schedule point; passing something that is open is not.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "engine/kernel/loop.h"

namespace plumb::engine {

/// One loop. `name` is what a stuck fiber is said to wait for. Outlives its waiters.
class Event {
 public:
  Event(Loop& loop, std::string name, Touch touch = Touch())
      : loop_(&loop), touch_(std::move(touch)), waiters_("event '" + std::move(name) + "'") {}

  bool is_set() const {
    note(false);
    return is_set_;
  }
  void set() {
    note(true);
    is_set_ = true;
    waiters_.wake_all();
  }
  void reset() {
    note(true);
    is_set_ = false;
  }

  class [[nodiscard]] Awaiter : private Waiter {
   public:
    explicit Awaiter(Event& event) : Waiter(*event.loop_, event.touch_), event_(&event) {}
    bool await_ready() const noexcept { return event_->is_set(); }
    template <class Handle>
    void await_suspend(Handle handle) {
      suspend(handle);
      event_->waiters_.append(*this);
    }
    void await_resume() const noexcept {}

   private:
    Event* event_;
  };
  Awaiter wait() { return Awaiter(*this); }
  /// The running step reads or changes what the event stands for, beside the event itself.
  void note(bool writes) const { loop_->note(TouchKind::signal, waiters_.name(), writes); }

 private:
  Loop* loop_;
  Touch touch_;
  bool is_set_ = false;
  WaitList waiters_;
};

/// Opens when it has been counted down `count` times.
class Latch {
 public:
  Latch(Loop& loop, std::string name, std::int64_t count)
      : loop_(&loop), name_("latch '" + name + "'"), event_(loop, std::move(name)), left_(count) {
    if (left_ <= 0) event_.set();
  }
  void count_down() {
    loop_->note(TouchKind::signal, name_, true);
    if (--left_ <= 0) event_.set();
  }
  std::int64_t left() const {
    loop_->note(TouchKind::signal, name_, false);
    return left_;
  }
  Event::Awaiter wait() { return event_.wait(); }

 private:
  Loop* loop_;
  std::string name_;
  Event event_;
  std::int64_t left_;
};

/// First come, first served. Coming is no schedule point: where the order of coming may vary, pass
/// a point with the same touch first.
class AsyncMutex {
 public:
  AsyncMutex(Loop& loop, std::string name, Touch touch = Touch())
      : loop_(&loop), touch_(std::move(touch)), waiters_("mutex '" + std::move(name) + "'") {}

  /// Held until it goes.
  class [[nodiscard]] Lock {
   public:
    explicit Lock(AsyncMutex& mutex) : mutex_(&mutex) {}
    Lock(Lock&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
    Lock& operator=(Lock&& other) noexcept {
      if (this == &other) return *this;
      release();
      mutex_ = std::exchange(other.mutex_, nullptr);
      return *this;
    }
    ~Lock() { release(); }
    void release() {
      if (mutex_ != nullptr) std::exchange(mutex_, nullptr)->unlock();
    }

   private:
    AsyncMutex* mutex_;
  };

  class [[nodiscard]] Awaiter : private Waiter {
   public:
    explicit Awaiter(AsyncMutex& mutex) : Waiter(*mutex.loop_, mutex.touch_), mutex_(&mutex) {}
    /// A frame destroyed between its turn and its resumption passes the lock on.
    ~Awaiter() {
      if (is_granted_) mutex_->unlock();
    }
    bool await_ready() noexcept {
      mutex_->note(true);
      if (mutex_->is_locked_) return false;
      mutex_->is_locked_ = is_granted_ = true;
      return true;
    }
    template <class Handle>
    void await_suspend(Handle handle) {
      suspend(handle);
      mutex_->waiters_.append(*this);
    }
    Lock await_resume() noexcept {
      is_granted_ = false;
      return Lock(*mutex_);
    }

   private:
    friend class AsyncMutex;
    AsyncMutex* mutex_;
    bool is_granted_ = false;
  };
  Awaiter lock() { return Awaiter(*this); }
  bool is_locked() const {
    note(false);
    return is_locked_;
  }
  bool has_waiters() const {
    note(false);
    return !waiters_.empty();
  }

 private:
  void note(bool writes) const { loop_->note(TouchKind::signal, waiters_.name(), writes); }
  void unlock() {
    note(true);
    if (waiters_.empty()) {
      is_locked_ = false;
      return;
    }
    auto& next = static_cast<Awaiter&>(*waiters_.first());
    next.is_granted_ = true;
    waiters_.wake(next);
  }

  Loop* loop_;
  Touch touch_;
  bool is_locked_ = false;
  WaitList waiters_;
};

}  // namespace plumb::engine
