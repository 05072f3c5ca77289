// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/event.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/join.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::engine {
namespace {

Task<void> hold(Loop& loop, AsyncMutex& mutex, std::string& log, std::string name) {
  const auto lock = co_await mutex.lock();
  log += "(" + name;
  co_await loop.yield();
  log += ")";
}

TEST(AsyncMutex, ServesFirstComeFirstServedUnderEverySeed) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SimLoop loop(SimLoopOptions{.seed = seed});
    AsyncMutex mutex(loop, "files");
    std::string log;
    std::vector<Task<void>> tasks;
    for (const char* name : {"a", "b", "c"}) tasks.push_back(hold(loop, mutex, log, name));

    ASSERT_TRUE(loop.run(all(std::move(tasks))));

    EXPECT_EQ(log, "(a)(b)(c)");
    EXPECT_FALSE(mutex.is_locked());
  }
}

Task<void> destroyed_in_turn(Loop& loop, AsyncMutex& mutex, std::string& log) {
  std::optional<AsyncMutex::Lock> lock = co_await mutex.lock();
  std::vector<Task<void>> rivals;
  rivals.push_back(hold(loop, mutex, log, "lost"));
  rivals.push_back(sleep_task(loop, 0));
  // The loser gets its turn in the very step in which the race ends.
  lock.reset();
  co_await race(std::move(rivals));
  co_await hold(loop, mutex, log, "next");
}

TEST(AsyncMutex, FrameDestroyedWhileHoldingPassesTheLockOn) {
  SimLoop loop(SimLoopOptions{.schedule = std::vector<std::int64_t>{1}});
  AsyncMutex mutex(loop, "files");
  std::string log;

  ASSERT_TRUE(loop.run(destroyed_in_turn(loop, mutex, log)));

  EXPECT_EQ(log, "(lost(next)");
}

Task<void> granted_then_destroyed(Loop& loop, AsyncMutex& mutex, std::string& log) {
  AsyncMutex::Lock lock = co_await mutex.lock();
  const SpawnId waiting = loop.spawn(hold(loop, mutex, log, "lost"), "");
  co_await loop.sleep_ms(1);
  lock.release();
  loop.cancel(waiting);
  co_await hold(loop, mutex, log, "next");
}

TEST(AsyncMutex, FrameDestroyedBetweenTurnAndResumptionPassesTheLockOn) {
  SimLoop loop;
  AsyncMutex mutex(loop, "files");
  std::string log;

  ASSERT_TRUE(loop.run(granted_then_destroyed(loop, mutex, log)));

  EXPECT_EQ(log, "(next)");
}

Task<void> wait_latch(Latch& latch, std::string& log) {
  co_await latch.wait();
  log += "open";
}

Task<void> count_down(Loop& loop, Latch& latch, std::string& log) {
  for (int i = 0; i < 2; ++i) {
    co_await loop.yield();
    log += ".";
    latch.count_down();
  }
}

TEST(Latch, OpensAtZero) {
  SimLoop loop;
  Latch latch(loop, "two", 2);
  std::string log;
  std::vector<Task<void>> tasks;
  tasks.push_back(wait_latch(latch, log));
  tasks.push_back(count_down(loop, latch, log));

  ASSERT_TRUE(loop.run(all(std::move(tasks))));

  EXPECT_EQ(log, "..open");
}

Task<std::string> reason_of(AbortSignal signal) {
  co_await signal.wait();
  co_return signal.reason();
}

Task<std::string> abort_later(Loop& loop, AbortController& controller) {
  co_await loop.sleep_ms(10);
  controller.abort("user");
  co_return "aborted";
}

TEST(AbortSignal, WakesWhoWaits) {
  SimLoop loop;
  AbortController controller;
  std::vector<Task<std::string>> tasks;
  tasks.push_back(reason_of(controller.signal()));
  tasks.push_back(abort_later(loop, controller));

  const auto values = loop.run(all(std::move(tasks)));

  EXPECT_EQ(values.value(), (std::vector<std::string>{"user", "aborted"}));
}

TEST(AbortSignal, CallsBackOnceInOrderAndAtOnceWhenLate) {
  AbortController controller;
  std::string log;
  const auto first = controller.signal().on_abort([&] { log += "1"; });
  auto second = controller.signal().on_abort([&] { log += "2"; });
  const auto third = controller.signal().on_abort([&] { log += "3"; });
  second.release();

  controller.abort("one");
  controller.abort("two");
  const auto late = controller.signal().on_abort([&] { log += "4"; });

  EXPECT_EQ(log, "134");
  EXPECT_EQ(controller.signal().reason(), "one");
}

TEST(AbortSignal, ChildAbortsWithItsParentAndAlone) {
  AbortController parent;
  AbortController child(parent.signal());
  AbortController other(parent.signal());

  other.abort("itself");
  EXPECT_FALSE(parent.aborted());
  parent.abort("parent");

  EXPECT_EQ(child.signal().reason(), "parent");
  EXPECT_EQ(other.signal().reason(), "itself");
}

TEST(AbortSignal, OutlivesItsControllerWhileWaitedFor) {
  SimLoop loop;
  {
    AbortController controller;
    auto task = reason_of(controller.signal());
    const auto result = loop.run(with_timeout(std::move(task), 5));
    EXPECT_EQ(result.error().code, ErrorCode::timeout);
  }
  EXPECT_EQ(loop.run(reason_of(AbortSignal())).error().code, ErrorCode::stuck);
}

}  // namespace
}  // namespace plumb::engine
