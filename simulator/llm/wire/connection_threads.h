// SPDX-License-Identifier: Apache-2.0
// Threads for connections, made when they are needed: an open connection owns one for as long as
// it lives.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace plumb::simulator {

/// Thread-safe. Work beyond `threads_max` waits until a thread is free.
class ConnectionThreads final {
 public:
  explicit ConnectionThreads(std::int64_t threads_max) : threads_max_(threads_max) {}
  ~ConnectionThreads() { join(); }
  ConnectionThreads(const ConnectionThreads&) = delete;
  ConnectionThreads& operator=(const ConnectionThreads&) = delete;

  void add(std::function<void()> work);
  /// Ends when all work that was added is done; none is taken after it.
  void join();

 private:
  void serve();

  std::int64_t threads_max_;
  std::mutex mutex_;  ///< Guards all below.
  std::condition_variable added_;
  std::deque<std::function<void()>> work_;
  std::vector<std::thread> threads_;
  std::int64_t idle_ = 0;
  bool is_ending_ = false;
};

}  // namespace plumb::simulator
