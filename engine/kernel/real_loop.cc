// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/real_loop.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string>
#include <vector>

#include <poll.h>

namespace plumb::engine {
namespace {

constexpr std::int64_t kStepsBetweenLooks = 64;

}  // namespace

RealLoop::RealLoop(RealLoopOptions options)
    : options_(options), began_(std::chrono::steady_clock::now()), outside_("an outside event") {
  limit_steps(std::numeric_limits<std::int64_t>::max());
}

std::int64_t RealLoop::now_ms() const {
  const auto passed = std::chrono::steady_clock::now() - began_;
  return skipped_ms_ + std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

RealLoop::FdAwaiter RealLoop::readable(int fd) {
  return FdAwaiter(*this, fd, POLLIN);
}

RealLoop::FdAwaiter RealLoop::writable(int fd) {
  return FdAwaiter(*this, fd, POLLOUT);
}

bool RealLoop::poll_outside(std::int64_t timeout_ms) {
  std::vector<pollfd> fds;
  std::vector<FdAwaiter*> waiters;
  for (Waiter* one = outside_.first(); one != nullptr; one = WaitList::following(*one)) {
    auto* const waiter = static_cast<FdAwaiter*>(one);
    fds.push_back(pollfd{waiter->fd_, waiter->events_, 0});
    waiters.push_back(waiter);
  }
  // A negative one is passed over.
  fds.push_back(pollfd{options_.stop_fd, POLLIN, 0});
  const auto timeout = std::min<std::int64_t>(timeout_ms, std::numeric_limits<int>::max());
  const int count = ::poll(fds.data(), fds.size(), static_cast<int>(timeout));
  if (count < 0 && errno != EINTR) {
    // It would fail again at once, for ever.
    const int number = errno;
    stop(Error{ErrorCode::io, "poll failed with system error " + std::to_string(number), ""});
    return true;
  }
  if (count <= 0) return false;
  if (fds.back().revents != 0) {
    stop(Error{ErrorCode::aborted, "interrupted", ""});
    return true;
  }
  for (std::size_t i = 0; i < waiters.size(); ++i) {
    if (fds[i].revents != 0) outside_.wake(*waiters[i]);
  }
  return true;
}

bool RealLoop::idle(std::optional<std::int64_t> due_ms) {
  if (!due_ms) {
    if (outside_.empty()) return false;
    const std::int64_t end_ms = now_ms() + options_.wait_ms_max;
    while (now_ms() < end_ms) {  // a signal ends poll early
      if (poll_outside(end_ms - now_ms())) return true;
    }
    return false;
  }
  const std::int64_t left_ms = std::max<std::int64_t>(*due_ms - now_ms(), 0);
  if (options_.skips_idle_time && outside_.empty()) {
    skipped_ms_ += left_ms;
  } else {
    poll_outside(left_ms);
  }
  return true;
}

void RealLoop::look_outside() {
  if (outside_.empty() || ++steps_since_look_ < kStepsBetweenLooks) return;
  steps_since_look_ = 0;
  poll_outside(0);
}

}  // namespace plumb::engine
