// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/connection_threads.h"

#include <utility>

namespace plumb::simulator {

void ConnectionThreads::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (is_ending_) return;
  work_.push_back(std::move(work));
  if (std::ssize(work_) > idle_ && std::ssize(threads_) < threads_max_) {
    threads_.emplace_back([this] { serve(); });
  }
  added_.notify_one();
}

void ConnectionThreads::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    added_.wait(lock, [this] { return is_ending_ || !work_.empty(); });
    --idle_;
    if (work_.empty()) return;
    std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

void ConnectionThreads::join() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    threads.swap(threads_);
  }
  added_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace plumb::simulator
