// SPDX-License-Identifier: Apache-2.0
// How another thread wakes a real loop, and waits until the loop has seen to it.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/kernel/owned_fd.h"
#include "engine/kernel/result.h"

namespace plumb::engine {

/// Thread-safe: `wake` is called from any thread, `take` on the loop that waits for `fd`.
class WakeUp {
 public:
  /// Errors: io, when the system has no descriptor left.
  static Result<std::unique_ptr<WakeUp>> create();

  /// Readable after a `wake` that nobody took.
  int fd() const { return fd_.get(); }
  void wake() const;
  /// How often `wake` was called since the last time.
  std::int64_t take() const;

 private:
  explicit WakeUp(OwnedFd fd) : fd_(std::move(fd)) {}

  OwnedFd fd_;
};

}  // namespace plumb::engine
