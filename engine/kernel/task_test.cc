// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/task.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernel/join.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::engine {
namespace {

Task<int> add_one(Loop& loop, int value) {
  co_await loop.yield();
  co_return value + 1;
}

Task<int> sum_of_awaits(Loop& loop, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum = co_await add_one(loop, sum);
  co_return sum;
}

Task<int> plain(int value) {
  co_return value;
}

Task<std::int64_t> many_awaits(std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += co_await plain(1);
  co_return sum;
}

Task<std::int64_t> chain(Loop& loop, std::int64_t depth) {
  if (depth == 0) {
    co_await loop.sleep_ms(5);
    co_return 0;
  }
  co_return co_await chain(loop, depth - 1) + 1;
}

TEST(Task, GivesItsValue) {
  SimLoop loop;

  const auto result = loop.run(sum_of_awaits(loop, 5));

  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(*result, 5);
}

TEST(Task, AwaitsAMillionTimesInALoop) {
  SimLoop loop;

  const auto result = loop.run(many_awaits(1'000'000));

  EXPECT_EQ(result.value_or(-1), 1'000'000);
}

TEST(Task, AwaitsAHundredThousandDeep) {
  SimLoop loop;

  const auto result = loop.run(chain(loop, 100'000));

  EXPECT_EQ(result.value_or(-1), 100'000);
  EXPECT_EQ(loop.live_frames(), 0);
}

Task<void> await_chain(Loop& loop, std::int64_t depth) {
  co_await chain(loop, depth);
}

TEST(Task, DestroysADeepSuspendedChainWithoutRecursion) {
  SimLoop loop;
  std::vector<Task<void>> tasks;

  tasks.push_back(await_chain(loop, 100'000));
  tasks.push_back(sleep_task(loop, 1));
  const auto winner = loop.run(race(std::move(tasks)));

  EXPECT_EQ(winner.value_or(-1), 1);
  EXPECT_EQ(loop.live_frames(), 0);
}

}  // namespace
}  // namespace plumb::engine
