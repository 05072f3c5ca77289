// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/interrupt.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <initializer_list>

#include <sys/eventfd.h>
#include <unistd.h>

namespace plumb::simulator {
namespace {

volatile std::sig_atomic_t g_signal = 0;
volatile std::sig_atomic_t g_event = -1;

void note(int signal) {
  g_signal = signal;
  // Whatever was interrupted still has its own.
  const int number = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(g_event, &one, sizeof(one));
  errno = number;
}

}  // namespace

void note_interrupts() {
  g_event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    // Ignored by whoever started the program, as in the background of a script: it stays so.
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

int noted_interrupt() {
  return g_signal;
}

int interrupt_fd() {
  return g_event;
}

void forget_interrupt() {
  g_signal = 0;
}

}  // namespace plumb::simulator
