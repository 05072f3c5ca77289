// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/worker_pool.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

TEST(WorkerPool, FinishesTheOthersBeforeItThrows) {
  for (const std::int64_t jobs : {1, 4}) {
    std::atomic<std::int64_t> done{0};
    std::string thrown;
    try {
      for_each_index(20, jobs, [&done](std::int64_t index) {
        if (index == 3 || index == 7) throw std::runtime_error(std::to_string(index));
        ++done;
      });
    } catch (const std::runtime_error& error) {
      thrown = error.what();
    }

    EXPECT_EQ(thrown, "3");
    EXPECT_EQ(done, 18);
  }
}

}  // namespace
}  // namespace plumb::simulator
