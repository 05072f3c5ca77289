// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/loop.h"

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/event.h"
#include "engine/kernel/join.h"
#include "engine/kernel/rng.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::engine {
namespace {

using Log = std::vector<std::string>;

Task<void> noting(Loop& loop, Log& log, std::string name, int points) {
  log.push_back(name + "0");
  for (int i = 1; i <= points; ++i) {
    co_await loop.yield();
    log.push_back(name + std::to_string(i));
  }
}

Task<void> nested(Loop& loop, Log& log, std::string name) {
  std::vector<Task<void>> inner;
  inner.push_back(noting(loop, log, name + "x", 1));
  inner.push_back(noting(loop, log, name + "y", 1));
  log.push_back(name);
  co_await all(std::move(inner));
}

std::vector<Task<void>> three_tasks(Loop& loop, Log& log) {
  std::vector<Task<void>> tasks;
  for (const char* name : {"a", "b", "c"}) tasks.push_back(noting(loop, log, name, 2));
  return tasks;
}

TEST(All, StartsChildrenInOrderAndRunsThemFirstInFirstOut) {
  SimLoop loop;
  Log log;

  ASSERT_TRUE(loop.run(all(three_tasks(loop, log))));

  EXPECT_EQ(log, (Log{"a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"}));
}

TEST(All, StartsChildrenDepthFirstUnderEverySeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SimLoop loop(SimLoopOptions{.seed = seed});
    Log log;
    std::vector<Task<void>> outer;
    outer.push_back(nested(loop, log, "1"));
    outer.push_back(nested(loop, log, "2"));

    ASSERT_TRUE(loop.run(all(std::move(outer))));

    log.resize(6);
    EXPECT_EQ(log, (Log{"1", "1x0", "1y0", "2", "2x0", "2y0"}));
  }
}

Task<std::string> path_and_label() {
  Fiber& fiber = co_await current_fiber();
  const std::string seen = fiber.path + " " + fiber.label;
  fiber.label = "own";
  co_return seen;
}

Task<std::vector<std::string>> labelled_children() {
  Fiber& fiber = co_await current_fiber();
  fiber.label = "call 1";
  std::vector<Task<std::string>> tasks;
  tasks.push_back(path_and_label());
  tasks.push_back(path_and_label());
  co_return co_await all(std::move(tasks));
}

TEST(All, GivesValuesInOrderFromFibersWithPathsOfTheirOwn) {
  SimLoop loop;

  const auto seen = loop.run(labelled_children());

  EXPECT_EQ(seen.value(), (Log{"0.0 call 1", "0.1 call 1"}));
}

TEST(All, OfNothingEndsAtOnce) {
  SimLoop loop;

  EXPECT_TRUE(loop.run(all(std::vector<Task<void>>())));
}

Task<int> after(Loop& loop, std::int64_t delay_ms, int value) {
  co_await loop.sleep_ms(delay_ms);
  co_return value;
}

TEST(Race, GivesTheFirstAndDestroysTheOthers) {
  SimLoop loop;
  std::vector<Task<int>> tasks;
  tasks.push_back(after(loop, 20, 1));
  tasks.push_back(after(loop, 10, 2));

  const auto winner = loop.run(race(std::move(tasks)));

  EXPECT_EQ(winner->index, 1);
  EXPECT_EQ(winner->value, 2);
  EXPECT_EQ(loop.now_ms(), 10);
  EXPECT_EQ(loop.live_frames(), 0);
}

Task<int> at_once(int value) {
  co_return value;
}

TEST(Race, WonBeforeTheOthersStart) {
  SimLoop loop;
  std::vector<Task<int>> tasks;
  tasks.push_back(at_once(7));
  tasks.push_back(after(loop, 10, 2));

  EXPECT_EQ(loop.run(race(std::move(tasks)))->value, 7);
  EXPECT_EQ(loop.now_ms(), 0);
}

TEST(WithTimeout, GivesTheValueOrATimeout) {
  SimLoop loop;

  const auto quick = loop.run(with_timeout(after(loop, 10, 3), 50));
  const auto slow = loop.run(with_timeout(after(loop, 3'600'000, 3), 1'800'000));

  EXPECT_EQ(quick.value_or(-1), 3);
  EXPECT_EQ(slow.error(), (Error{ErrorCode::timeout, "timed out after 1800000 ms", ""}));
  EXPECT_EQ(loop.now_ms(), 1'800'010);
}

Task<void> throwing(Loop& loop) {
  co_await loop.yield();
  throw std::runtime_error("from an extension");
}

Task<std::string> catching(Loop& loop) {
  try {
    co_await throwing(loop);
  } catch (const std::runtime_error& error) {
    co_return error.what();
  }
  co_return "";
}

TEST(Task, ThrowsOnWhatTheAwaitedTaskThrew) {
  SimLoop loop;

  EXPECT_EQ(loop.run(catching(loop)).value_or(""), "from an extension");
}

TEST(Loop, TimersComeInOrderOfTimeThenOfCreation) {
  SimLoop loop;
  std::vector<Task<int>> tasks;
  for (const int delay : {30, 10, 20, 10}) tasks.push_back(after(loop, delay, delay));

  EXPECT_EQ(loop.run(all(std::move(tasks))).value(), (std::vector<int>{30, 10, 20, 10}));
  EXPECT_EQ(loop.now_ms(), 30);
}

Task<void> wait_for(Event& event) {
  Fiber& fiber = co_await current_fiber();
  fiber.label = "call c1";
  co_await event.wait();
}

TEST(Loop, NamesWhoIsStuckAndWhy) {
  SimLoop loop;
  Event event(loop, "answer");

  const auto result = loop.run(wait_for(event));

  EXPECT_EQ(result.error().code, ErrorCode::stuck);
  EXPECT_THAT(result.error().message,
              testing::HasSubstr("fiber 0 (call c1) waits for event 'answer'"));
}

Task<void> forever(Loop& loop) {
  while (true) co_await loop.yield();
}

TEST(Loop, EndsARunAtTheStepLimit) {
  SimLoop loop(SimLoopOptions{.step_max = 1000});

  EXPECT_EQ(loop.run(forever(loop)).error().code, ErrorCode::exhausted);
  EXPECT_EQ(loop.step_count(), 1000);
}

Task<void> at_once() {
  co_return;
}

Task<void> never_waiting() {
  while (true) co_await at_once();
}

TEST(Loop, EndsAFiberThatNeverWaits) {
  SimLoop loop(SimLoopOptions{.step_max = 1000});

  const auto result = loop.run(never_waiting());

  EXPECT_EQ(result.error().code, ErrorCode::exhausted);
  EXPECT_THAT(result.error().message, testing::HasSubstr("a fiber never waits"));
  EXPECT_EQ(loop.live_frames(), 0);
}

TEST(Loop, SpawnedFibersRunUntilIdleAndCanBeCancelled) {
  SimLoop loop;
  Log log;
  Event never(loop, "never");
  const SpawnId waiting = loop.spawn(wait_for(never), "daemon");
  const SpawnId ending = loop.spawn(noting(loop, log, "s", 1), "");

  ASSERT_TRUE(loop.run_until_idle());
  EXPECT_EQ(log, (Log{"s0", "s1"}));
  EXPECT_TRUE(loop.is_running(waiting));
  EXPECT_FALSE(loop.is_running(ending));

  loop.cancel(waiting);
  EXPECT_EQ(loop.live_frames(), 0);
}

TEST(Loop, DestroysItsFibersAtItsEnd) {
  SimLoop loop;
  Event never(loop, "never");
  loop.spawn(wait_for(never), "");
  ASSERT_TRUE(loop.run_until_idle());

  loop.destroy_fibers();

  EXPECT_EQ(loop.live_frames(), 0);
}

Task<void> throw_after(Loop& loop, std::int64_t delay_ms) {
  co_await loop.sleep_ms(delay_ms);
  throw std::runtime_error("nobody hears this");
}

TEST(Loop, ThrowThatNobodyAwaitsEndsTheRun) {
  SimLoop loop;
  loop.spawn(throw_after(loop, 5), "c1");

  const auto outcome = loop.run_until_idle();

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "fiber 0 (c1) threw what nobody awaits: nobody hears this");
  EXPECT_TRUE(loop.run_until_idle());
}

TEST(LoopDeathTest, FindsLeakedFrames) {
  EXPECT_DEATH(
      {
        SimLoop loop;
        loop.frame_bound();
      },
      "live_frames_ == 0");
}

Task<void> await_twice(Loop& loop) {
  Task<int> task = after(loop, 1, 1);
  co_await task;
  co_await task;
}

TEST(LoopDeathTest, FindsATaskAwaitedTwice) {
  SimLoop loop;

  EXPECT_DEATH(static_cast<void>(loop.run(await_twice(loop))), "fiber_ == nullptr");
}

Log order_under(SimLoopOptions options) {
  SimLoop loop(std::move(options));
  Log log;
  const auto run = loop.run(all(three_tasks(loop, log)));
  EXPECT_TRUE(run) << run.error().message;
  return log;
}

TEST(SimLoop, OneSeedGivesOneOrder) {
  std::set<Log> orders;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Log order = order_under(SimLoopOptions{.seed = seed});
    EXPECT_EQ(order, order_under(SimLoopOptions{.seed = seed}));
    orders.insert(order);
  }
  // Three tasks with two points each: 6! / (2! 2! 2!) = 90 orders.
  EXPECT_GT(orders.size(), 60U);
  EXPECT_LE(orders.size(), 90U);
}

TEST(SimLoop, FollowsAnExplicitSchedule) {
  const Log log = order_under(SimLoopOptions{.schedule = std::vector<std::int64_t>{2, 2, 0}});

  EXPECT_EQ(log, (Log{"a0", "b0", "c0", "c1", "c2", "a1", "b1", "a2", "b2"}));
}

TEST(SimLoop, RefusesAScheduleThatDoesNotFit) {
  SimLoop loop(SimLoopOptions{.schedule = std::vector<std::int64_t>{3}});
  Log log;

  const auto run = loop.run(all(three_tasks(loop, log)));

  EXPECT_EQ(run.error().code, ErrorCode::invalid);
  EXPECT_EQ(run.error().message, "step 1 picks 3 of 3 ready fibers");
}

Task<void> touching(Loop& loop, Touch touch) {
  co_await loop.point(std::move(touch));
}

TEST(SimLoop, RecordsStepsWithTheReadySet) {
  SimLoop loop(SimLoopOptions{.records_steps = true, .records_ready = true});
  const Touch write_a(TouchKind::file, "/a", true);
  const Touch queue_b(TouchKind::queue, "b", false);
  std::vector<Task<void>> tasks;
  tasks.push_back(touching(loop, write_a));
  tasks.push_back(touching(loop, queue_b));

  ASSERT_TRUE(loop.run(all(std::move(tasks))));

  ASSERT_EQ(loop.steps().size(), 2U);
  const Step& first = loop.steps()[0];
  EXPECT_EQ(point_text(first.id), "0.0#0");
  EXPECT_EQ(first.touch, write_a);
  EXPECT_EQ(first.ready_count, 2);
  ASSERT_EQ(first.ready.size(), 2U);
  EXPECT_EQ(first.ready[1].touch, queue_b);
}

TEST(SimLoop, ReplaysItsOwnRecordedPicks) {
  SimLoop recorded(SimLoopOptions{.seed = 42, .records_steps = true});
  Log log;
  ASSERT_TRUE(recorded.run(all(three_tasks(recorded, log))));
  std::vector<std::int64_t> picks;
  for (const Step& step : recorded.steps()) picks.push_back(step.picked);

  EXPECT_EQ(order_under(SimLoopOptions{.schedule = picks}), log);
}

TEST(SimLoop, HookSeesEachPointAndMayStop) {
  Log log;
  std::vector<std::string> points;
  SimLoop* running = nullptr;
  SimLoopOptions options;
  options.on_point = [&](const Step& step) {
    points.push_back(point_text(step.id));
    if (points.size() == 2) running->stop(Error{ErrorCode::aborted, "crash here", ""});
  };
  SimLoop loop(std::move(options));
  running = &loop;

  const auto run = loop.run(all(three_tasks(loop, log)));

  EXPECT_EQ(run.error().message, "crash here");
  EXPECT_EQ(points, (Log{"0.0#0", "0.1#0"}));
  EXPECT_EQ(log, (Log{"a0", "b0", "c0", "a1"}));
}

Task<void> stop_from_inside(Loop& loop) {
  loop.stop(Error{ErrorCode::aborted, "enough", ""});
  co_await loop.yield();
}

TEST(SimLoop, FiberMayStopTheRun) {
  SimLoop loop;

  EXPECT_EQ(loop.run(stop_from_inside(loop)).error().message, "enough");
  EXPECT_EQ(loop.step_count(), 0);
}

TEST(SimLoop, PickerChoosesInsteadOfTheSeed) {
  SimLoopOptions options;
  options.picker = [](std::span<Waiter* const> ready) { return std::ssize(ready) - 1; };

  EXPECT_EQ(order_under(std::move(options)),
            (Log{"a0", "b0", "c0", "c1", "c2", "b1", "b2", "a1", "a2"}));
}

TEST(Touch, ConflictsOnTheSameThingWithAWrite) {
  const Touch read_a(TouchKind::file, "/d/a", false);
  const Touch write_a(TouchKind::file, "/d/a", true);
  const Touch list_d(TouchKind::file, "/d", false);
  const Touch write_other(TouchKind::file, "/data", true);

  EXPECT_TRUE(conflicts(read_a, write_a));
  EXPECT_FALSE(conflicts(read_a, read_a));
  EXPECT_TRUE(conflicts(list_d, write_a));
  EXPECT_FALSE(conflicts(list_d, write_other));
  EXPECT_FALSE(conflicts(Touch(), Touch()));
  EXPECT_FALSE(conflicts(write_a, Touch(TouchKind::queue, "/d/a", true)));
}

TEST(Rng, IsUniformBelowABound) {
  Rng rng(1);
  std::vector<int> counts(6);

  for (int i = 0; i < 60'000; ++i) ++counts[static_cast<std::size_t>(rng.below(6))];

  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Rng, FollowsThePublishedGenerators) {
  // splitmix64 seeded with 0 fills xoshiro256** with E220A8397B1DCDAF 6E789E6AA1B965F4
  // 06C45D188009454F F88BB8A8724C81EC; its first output is rotl(s1 * 5, 7) * 9.
  Rng rng(0);

  EXPECT_EQ(rng.next(), std::rotl(0x6E789E6AA1B965F4U * 5, 7) * 9);
}

}  // namespace
}  // namespace plumb::engine
