// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/wake_up.h"

#include <cerrno>

#include <sys/eventfd.h>
#include <unistd.h>

namespace plumb::engine {

Result<std::unique_ptr<WakeUp>> WakeUp::create() {
  OwnedFd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd.is_open()) return fail(ErrorCode::io, "cannot make a descriptor for wake-ups");
  return std::unique_ptr<WakeUp>(new WakeUp(std::move(fd)));
}

void WakeUp::wake() const {
  const std::uint64_t one = 1;
  while (::write(fd_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

std::int64_t WakeUp::take() const {
  std::uint64_t count = 0;
  while (true) {
    const ssize_t got = ::read(fd_.get(), &count, sizeof count);
    if (got == sizeof count) return static_cast<std::int64_t>(count);
    if (got < 0 && errno == EINTR) continue;
    return 0;
  }
}

}  // namespace plumb::engine
