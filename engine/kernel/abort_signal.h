// SPDX-License-Identifier: Apache-2.0
// Cancellation: a controller aborts, signals tell. Signals are cheap copies of one shared state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/kernel/loop.h"

namespace plumb::engine {

/// Shared by a controller, its signals and what is registered with them: none of them owns the
/// others.
struct AbortState {
  bool is_aborted = false;
  std::string reason;
  std::int64_t next_registration = 0;
  std::map<std::int64_t, std::function<void()>> callbacks;
  WaitList waiters{"an abort"};
  /// Told of what touches the state; null when no explorer needs to know.
  Loop* loop = nullptr;

  void note(bool writes) const {
    if (loop != nullptr) loop->note(TouchKind::signal, waiters.name(), writes);
  }
};

/// Takes the callback back when it goes.
class [[nodiscard]] AbortRegistration {
 public:
  AbortRegistration() = default;
  AbortRegistration(std::weak_ptr<AbortState> state, std::int64_t number)
      : state_(std::move(state)), number_(number) {}
  AbortRegistration(AbortRegistration&& other) noexcept = default;
  AbortRegistration& operator=(AbortRegistration&& other) noexcept;
  ~AbortRegistration() { release(); }
  void release();

 private:
  std::weak_ptr<AbortState> state_;
  std::int64_t number_ = 0;
};

/// Keeps the state alive until its waiter has left the list: a base, so that it goes last.
class AbortStateHold {
 protected:
  explicit AbortStateHold(std::shared_ptr<AbortState> state) : held_(std::move(state)) {}
  std::shared_ptr<AbortState> held_;
};

/// One loop. A default signal never aborts.
class AbortSignal {
 public:
  AbortSignal() : state_(std::make_shared<AbortState>()) {}
  explicit AbortSignal(std::shared_ptr<AbortState> state) : state_(std::move(state)) {}

  bool aborted() const {
    state_->note(false);
    return state_->is_aborted;
  }
  /// Empty until aborted.
  const std::string& reason() const { return state_->reason; }
  /// Called once, inside `abort`, in order of registration; at once when already aborted.
  AbortRegistration on_abort(std::function<void()> callback) const;

  class [[nodiscard]] Awaiter : private AbortStateHold, private Waiter {
   public:
    explicit Awaiter(std::shared_ptr<AbortState> state)
        : AbortStateHold(std::move(state)), Waiter(Touch(TouchKind::signal, "", false)) {}
    bool await_ready() const noexcept {
      held_->note(false);
      return held_->is_aborted;
    }
    template <class Handle>
    void await_suspend(Handle handle) {
      suspend(handle);
      held_->waiters.append(*this);
    }
    void await_resume() const noexcept {}
  };
  Awaiter wait() const { return Awaiter(state_); }

 private:
  friend class AbortController;
  std::shared_ptr<AbortState> state_;
};

/// One loop.
class AbortController {
 public:
  AbortController() : state_(std::make_shared<AbortState>()) {}
  /// Tells `loop` who asks and who aborts, so that schedules of both orders are explored. The loop
  /// outlives the use of the signals.
  explicit AbortController(Loop& loop) : AbortController() { state_->loop = &loop; }
  /// Aborted together with `parent`, and by itself.
  explicit AbortController(const AbortSignal& parent);

  AbortSignal signal() const { return AbortSignal(state_); }
  bool aborted() const { return signal().aborted(); }
  /// The first call counts.
  void abort(std::string reason);

 private:
  std::shared_ptr<AbortState> state_;
  AbortRegistration parent_;
};

}  // namespace plumb::engine
