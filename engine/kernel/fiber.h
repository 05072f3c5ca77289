// SPDX-License-Identifier: Apache-2.0
// A fiber is one logical thread of control: the coroutines that await each other, innermost last.
// Its path names it in every run alike ("0.1.2" is the third child of the second child of root 0).
#pragma once

#include <cstdint>
#include <string>

namespace plumb::engine {

class Loop;
class Waiter;

/// One loop. Neither copied nor moved: frames and waiters point at it, so it outlives them.
struct Fiber {
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Registers with the loop. Called once, before the fiber's first frame is bound.
  void attach(Loop& owner, std::string own_path, std::string own_label);
  /// The path of the next child; each call names another one.
  std::string take_child_path() { return path + "." + std::to_string(next_child++); }

  Loop* loop = nullptr;
  std::string path;
  /// What the fiber works for, such as a tool call's id. Ports stamp effects with it; children
  /// inherit it.
  std::string label;
  std::int64_t next_point = 0;
  std::int64_t next_child = 0;
  /// Where the fiber is suspended; null while it runs or waits for its children.
  const Waiter* at = nullptr;
  Fiber* previous_in_loop = nullptr;
  Fiber* next_in_loop = nullptr;
};

/// `Fiber& fiber = co_await current_fiber();` does not suspend.
class CurrentFiber {
 public:
  bool await_ready() const noexcept { return false; }
  template <class Handle>
  bool await_suspend(Handle handle) noexcept {
    fiber_ = handle.promise().fiber();
    return false;
  }
  Fiber& await_resume() const noexcept { return *fiber_; }

 private:
  Fiber* fiber_ = nullptr;
};
inline CurrentFiber current_fiber() {
  return CurrentFiber();
}

}  // namespace plumb::engine
