// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace plumb::simulator {
namespace {

volatile std::sig_atomic_t g_signal = 0;

void note(int signal) {
  g_signal = signal;
}

}  // namespace

void note_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    // Ignored by whoever started the program, as in the background of a script: it stays so.
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

int noted_interrupt() {
  return g_signal;
}

void forget_interrupt() {
  g_signal = 0;
}

}  // namespace plumb::simulator
