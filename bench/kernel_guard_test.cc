// SPDX-License-Identifier: Apache-2.0
// Prints what the kernel costs, and fails only at ten times the guard: a busy machine decides no
// test.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "bench/kernel_workloads.h"

namespace plumb::engine {
namespace {

constexpr double kAwaitGuardNs = 60;
constexpr double kBatchGuardNs = 5000;
constexpr double kTolerance = 10;
constexpr std::int64_t kAwaits = 100'000;
constexpr std::int64_t kBatches = 1000;

/// The best of five, which noise can only make worse.
double nanoseconds_each(std::int64_t count, const std::function<void()>& work) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    best = std::min(best, spent.count() / static_cast<double>(count));
  }
  return best;
}

TEST(KernelGuard, AwaitIsCheap) {
  const double each = nanoseconds_each(kAwaits, [] {
    SimLoop loop;
    EXPECT_EQ(loop.run(await_often(kAwaits)).value_or(0), kAwaits);
  });

  std::printf("await: %.1f ns (guard %.0f ns)\n", each, kAwaitGuardNs);
  EXPECT_LT(each, kAwaitGuardNs * kTolerance);
}

TEST(KernelGuard, BatchOfEightTasksIsCheap) {
  const double each = nanoseconds_each(kBatches, [] {
    for (std::int64_t i = 0; i < kBatches; ++i) {
      SimLoop loop;
      EXPECT_EQ(loop.run(run_batch(loop, 8, 5)).value_or(0), 40);
    }
  });

  std::printf("batch of 8 x 5: %.0f ns (guard %.0f ns)\n", each, kBatchGuardNs);
  EXPECT_LT(each, kBatchGuardNs * kTolerance);
}

}  // namespace
}  // namespace plumb::engine
