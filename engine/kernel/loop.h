// SPDX-License-Identifier: Apache-2.0
// The loop resumes fibers, one at a time. Whatever suspends at it is a Waiter, which lives in the
// suspended frame and unlinks itself when the frame is destroyed. A derived loop decides two things
// only: which ready waiter comes next (pick), and what happens when none is (idle).
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/fiber.h"
#include "engine/kernel/result.h"
#include "engine/kernel/touch.h"

namespace plumb::engine {

template <class T>
class Task;
class PromiseBase;
class WaitList;
struct Spawned;

/// A suspended fiber, as the loop sees it. One loop.
class Waiter {
 public:
  Waiter(Loop& loop, Touch touch) : loop_(&loop), touch_(std::move(touch)) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    if (state_ != State::idle) unlink();
  }

  const Fiber& fiber() const { return *fiber_; }
  const Touch& touch() const { return touch_; }
  std::int64_t ordinal() const { return ordinal_; }
  PointId id() const { return PointId(fiber_->path, ordinal_); }
  /// "event 'name'", "timer at 50 ms", "ready": what a stuck fiber waits for.
  std::string description() const;

 protected:
  /// Belongs to the loop of whoever suspends at it.
  Waiter() = default;
  explicit Waiter(Touch touch) : touch_(std::move(touch)) {}
  Loop& loop() const { return *loop_; }
  /// Remembers who suspends here; the caller then hands the waiter to the loop or to a list.
  template <class Handle>
  void suspend(Handle handle) {
    suspend_frame(handle, handle.promise().fiber());
  }
  /// Consumes no ordinal: the start of a child is not a schedule point.
  void prepare_start(std::coroutine_handle<> frame, Fiber& fiber);

 private:
  friend class Loop;
  friend class WaitList;
  enum class State : std::uint8_t { idle, immediate, ready, timer, waiting };

  void suspend_frame(std::coroutine_handle<> frame, Fiber* fiber);
  void unlink();

  Loop* loop_ = nullptr;
  Touch touch_;
  Fiber* fiber_ = nullptr;
  std::coroutine_handle<> frame_;
  std::int64_t ordinal_ = -1;
  State state_ = State::idle;
  WaitList* list_ = nullptr;
  Waiter* previous_ = nullptr;
  Waiter* next_ = nullptr;
  std::int64_t due_ms_ = 0;
  std::int64_t timer_number_ = 0;
};

/// Waiters in order of arrival, for events, locks and signals. Must outlive its waiters or be
/// emptied.
class WaitList {
 public:
  explicit WaitList(std::string name) : name_(std::move(name)) {}
  WaitList(const WaitList&) = delete;
  WaitList& operator=(const WaitList&) = delete;
  ~WaitList() { PLUMB_ASSERT(first_ == nullptr); }

  const std::string& name() const { return name_; }
  bool empty() const { return first_ == nullptr; }
  Waiter* first() const { return first_; }
  static Waiter* following(const Waiter& waiter) { return waiter.next_; }
  void append(Waiter& waiter);
  /// Makes a waiter of this list ready, as a schedule point.
  void wake(Waiter& waiter);
  void wake_all();

 private:
  friend class Waiter;
  void remove(Waiter& waiter);

  std::string name_;
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

/// `co_await loop.point(touch)`: the fiber may be overtaken here. Gives the point's ordinal.
class [[nodiscard]] PointAwaiter : private Waiter {
 public:
  PointAwaiter(Loop& loop, Touch touch) : Waiter(loop, std::move(touch)) {}
  bool await_ready() const noexcept { return false; }
  template <class Handle>
  void await_suspend(Handle handle);
  std::int64_t await_resume() const noexcept { return ordinal(); }
};

/// `co_await loop.sleep_ms(n)`.
class [[nodiscard]] SleepAwaiter : private Waiter {
 public:
  SleepAwaiter(Loop& loop, std::int64_t delay_ms)
      : Waiter(loop, Touch(TouchKind::clock, "", false)), delay_ms_(delay_ms) {}
  bool await_ready() const noexcept { return false; }
  template <class Handle>
  void await_suspend(Handle handle);
  void await_resume() const noexcept {}

 private:
  std::int64_t delay_ms_;
};

template <class T>
struct AsResultOf {
  using type = Result<T>;
};
template <class T>
struct AsResultOf<Result<T>> {
  using type = Result<T>;
};
/// Result<T> for T, and for Result<T> itself: an outcome is never nested in an outcome.
template <class T>
using AsResult = typename AsResultOf<T>::type;

using SpawnId = std::int64_t;

/// One loop, one thread.
class Loop {
 public:
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  virtual ~Loop();

  /// Milliseconds since the loop began.
  virtual std::int64_t now_ms() const = 0;

  PointAwaiter point(Touch touch) { return PointAwaiter(*this, std::move(touch)); }
  PointAwaiter yield() { return PointAwaiter(*this, Touch()); }
  /// 0 or less is a yield.
  SleepAwaiter sleep_ms(std::int64_t delay_ms) { return SleepAwaiter(*this, delay_ms); }

  /// Starts a root fiber; its start is a schedule point. It ends by itself, by `cancel`, or with
  /// the loop. What it throws, which nobody awaits, ends the run that is under way.
  SpawnId spawn(Task<void> task, std::string label);
  /// Destroys the frames of a root fiber, innermost first. Not from inside that fiber.
  void cancel(SpawnId id);
  /// Destroys the frames of all root fibers. Not from inside a fiber.
  void destroy_fibers();
  bool is_running(SpawnId id) const;

  /// Runs until nothing is ready and nothing is due. Errors: exhausted at the step limit; protocol,
  /// when a root fiber of `spawn` threw; what `stop` said.
  Result<void> run_until_idle() { return drive(nullptr); }
  /// Runs a root fiber to its end, other fibers beside it. Errors: as above, and stuck when it can
  /// never end.
  template <class T>
  AsResult<T> run(Task<T> task);
  /// Ends the run that is under way, before another fiber is resumed.
  void stop(Error error) { stop_ = std::move(error); }

  /// One line for each suspended fiber: its path, its label, what it waits for.
  std::string describe_waiting() const;
  std::int64_t step_count() const { return step_count_; }
  std::int64_t live_frames() const { return live_frames_; }
  /// Bounds the steps of all runs, and the frames that one step resumes: a fiber that never waits
  /// ends the run as well.
  void limit_steps(std::int64_t step_max) { step_max_ = step_max; }

  // For awaiters and promises.
  void hand_over(std::coroutine_handle<> frame) {
    PLUMB_ASSERT(!next_frame_);
    next_frame_ = frame;
  }
  void frame_bound() { ++live_frames_; }
  void frame_released() { --live_frames_; }
  void add_ready(Waiter& waiter);
  void add_timer(Waiter& waiter, std::int64_t delay_ms);
  /// Started before anything ready, the last one added first: add siblings in reverse.
  void add_immediate(Waiter& waiter);
  void register_fiber(Fiber& fiber);
  /// The running step touches this beside what its point names.
  void note(TouchKind kind, const std::string& key, bool writes) {
    if (is_noting_ && is_driving_) note_touch(Touch(kind, key, writes));
  }
  void note_fiber(FiberChange change, const std::string& path) {
    if (is_noting_) note_fiber_change(change, path);
  }
  void unregister_fiber(Fiber& fiber);

 protected:
  Loop();

  /// An index into the ready waiters, which stand in order of arrival; there is at least one.
  virtual std::int64_t pick(std::span<Waiter* const> ready) = 0;
  /// Called when nothing is ready. True when something may have become so. `due_ms`: the next
  /// timer.
  virtual bool idle(std::optional<std::int64_t> due_ms) = 0;
  /// Called between steps, to let outside events in.
  virtual void look_outside() {}
  /// From now on `note_touch` and `note_fiber_change` are called.
  void start_noting() { is_noting_ = true; }

 private:
  friend class Waiter;
  struct EarlierTimer {
    bool operator()(const Waiter* a, const Waiter* b) const;
  };

  virtual void note_touch(Touch /*touch*/) {}
  virtual void note_fiber_change(FiberChange /*change*/, const std::string& /*path*/) {}
  Result<void> drive(const bool* is_done);
  void resume(std::coroutine_handle<> frame);
  void run_immediate();
  void release_due();
  bool wait_for_more();
  Result<void> step();
  Waiter& take_ready(std::int64_t index);
  void forget_ready(Waiter& waiter);
  Result<void> reap();
  Error stuck_error() const;
  std::string take_root_path() { return std::to_string(next_root_++); }

  std::coroutine_handle<> next_frame_;
  std::vector<Waiter*> immediate_;
  std::vector<Waiter*> ready_;
  std::size_t ready_begin_ = 0;
  std::set<Waiter*, EarlierTimer> timers_;
  std::vector<std::unique_ptr<Spawned>> spawned_;
  Fiber* first_fiber_ = nullptr;
  Fiber* last_fiber_ = nullptr;
  std::optional<Error> stop_;
  std::int64_t next_root_ = 0;
  std::int64_t next_timer_ = 0;
  std::int64_t live_frames_ = 0;
  std::int64_t step_count_ = 0;
  std::int64_t step_max_ = 10'000'000;
  bool has_finished_spawns_ = false;
  bool is_driving_ = false;
  bool is_noting_ = false;
};

template <class Handle>
void PointAwaiter::await_suspend(Handle handle) {
  suspend(handle);
  loop().add_ready(*this);
}

template <class Handle>
void SleepAwaiter::await_suspend(Handle handle) {
  suspend(handle);
  loop().add_timer(*this, delay_ms_);
}

}  // namespace plumb::engine
