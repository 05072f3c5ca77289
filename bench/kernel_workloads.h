// SPDX-License-Identifier: Apache-2.0
// What the kernel's benchmark and its guard both measure.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/kernel/join.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::engine {

inline Task<std::int64_t> give(std::int64_t value) {
  co_return value;
}

/// `count` awaits of a task that ends at once.
inline Task<std::int64_t> await_often(std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += co_await give(1);
  co_return sum;
}

/// `count` schedule points, and nothing else.
inline Task<std::int64_t> yield_often(Loop& loop, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) co_await loop.yield();
  co_return count;
}

inline Task<std::int64_t> give_later(Loop& loop, std::int64_t value) {
  co_await loop.yield();
  co_return value;
}

inline Task<std::int64_t> await_later(Loop& loop, std::int64_t count) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += co_await give_later(loop, 1);
  co_return sum;
}

/// A batch: so many tasks beside each other, with so many awaits each that pass a schedule point.
inline Task<std::int64_t> run_batch(Loop& loop, std::int64_t task_count, std::int64_t await_count) {
  std::vector<Task<std::int64_t>> tasks;
  for (std::int64_t i = 0; i < task_count; ++i) tasks.push_back(await_later(loop, await_count));
  std::int64_t sum = 0;
  const auto values = co_await all(std::move(tasks));
  for (const std::int64_t value : values) sum += value;
  co_return sum;
}

}  // namespace plumb::engine
