// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/pipe_words.h"

#include <cerrno>
#include <csignal>
#include <ctime>

#include <unistd.h>

namespace plumb::engine {

ssize_t write_without_signal(int fd, std::string_view bytes) {
  sigset_t pipe_signal;
  sigset_t before;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t count = ::write(fd, bytes.data(), bytes.size());
  const int number = errno;
  if (count < 0 && number == EPIPE && ::sigismember(&before, SIGPIPE) == 0) {
    constexpr timespec kNow = {};
    ::sigtimedwait(&pipe_signal, nullptr, &kNow);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = number;
  return count;
}

bool is_again(int number) {
  return number == EAGAIN || number == EINTR;
}

std::string exit_text(const ProcessExit& exit) {
  if (exit.end == ProcessEnd::exited) return "exited with code " + std::to_string(exit.exit_code);
  return "was ended by signal " + std::to_string(exit.signal_number);
}

}  // namespace plumb::engine
