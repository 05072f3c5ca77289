// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/worker_pool.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

struct Outcome {
  std::string thrown;
  std::int64_t done = 0;
};

/// Twenty pieces of work, of which two throw their index.
Outcome with_two_failures(std::int64_t jobs) {
  std::atomic<std::int64_t> done{0};
  Outcome outcome;
  try {
    for_each_index(20, jobs, [&done](std::int64_t index) {
      if (index == 3 || index == 7) throw std::runtime_error(std::to_string(index));
      ++done;
    });
  } catch (const std::runtime_error& error) {
    outcome.thrown = error.what();
  }
  outcome.done = done;
  return outcome;
}

TEST(WorkerPool, FinishesTheOthersBeforeItThrows) {
  for (const std::int64_t jobs : {1, 4}) {
    const Outcome outcome = with_two_failures(jobs);

    EXPECT_EQ(outcome.thrown, "3");
    EXPECT_EQ(outcome.done, 18);
  }
}

}  // namespace
}  // namespace plumb::simulator
