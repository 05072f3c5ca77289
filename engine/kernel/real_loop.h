// SPDX-License-Identifier: Apache-2.0
// The loop of live runs: a poll reactor on a steady clock, first in, first out. It installs no
// signal handler.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/kernel/loop.h"

namespace plumb::engine {

struct RealLoopOptions {
  /// Jump to the next timer while no outside event is waited for, as a simulated clock does.
  bool skips_idle_time = false;
  /// The longest wait for outside events alone; then the run is stuck.
  std::int64_t wait_ms_max = 600'000;
  /// A descriptor that ends every run, now and later, once it has something to read; -1: none.
  int stop_fd = -1;
};

/// One loop.
class RealLoop final : public Loop {
 public:
  explicit RealLoop(RealLoopOptions options = RealLoopOptions());
  ~RealLoop() override { destroy_fibers(); }

  std::int64_t now_ms() const override;

  /// Until a descriptor has something to read (or its end), or can be written to (or never again).
  /// A process descriptor is readable when the process has ended. The descriptor stays open
  /// meanwhile.
  class [[nodiscard]] FdAwaiter : private Waiter {
   public:
    FdAwaiter(RealLoop& loop, int fd, short events)
        : Waiter(loop, Touch()), reactor_(&loop), fd_(fd), events_(events) {}
    bool await_ready() const noexcept { return false; }
    template <class Handle>
    void await_suspend(Handle handle) {
      suspend(handle);
      reactor_->outside_.append(*this);
    }
    void await_resume() const noexcept {}

   private:
    friend class RealLoop;
    RealLoop* reactor_;
    int fd_;
    short events_;
  };
  FdAwaiter readable(int fd);
  FdAwaiter writable(int fd);

 private:
  std::int64_t pick(std::span<Waiter* const> /*ready*/) override { return 0; }
  bool idle(std::optional<std::int64_t> due_ms) override;
  void look_outside() override;
  /// True when a waiter was woken, or the run was stopped: from outside, or because poll failed.
  bool poll_outside(std::int64_t timeout_ms);

  RealLoopOptions options_;
  std::chrono::steady_clock::time_point began_;
  std::int64_t skipped_ms_ = 0;
  std::int64_t steps_since_look_ = 0;
  WaitList outside_;
};

}  // namespace plumb::engine
