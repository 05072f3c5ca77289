// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace plumb::simulator {

namespace {

/// What `work(i)` throws; null when nothing.
std::exception_ptr thrown_by(const std::function<void(std::int64_t)>& work, std::int64_t i) {
  try {
    work(i);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

void for_each_index(std::int64_t count, std::int64_t jobs,
                    const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next{0};
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(count));
  const auto run = [&] {
    for (auto i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      thrown[static_cast<std::size_t>(i)] = thrown_by(work, i);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::int64_t i = 1; i < std::min(jobs, count); ++i) workers.emplace_back(run);
    run();
  }
  for (const auto& exception : thrown) {
    if (exception) std::rethrow_exception(exception);
  }
}

}  // namespace plumb::simulator
