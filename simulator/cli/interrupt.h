// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and a polite kill end a run between two scenarios, one with live processes at once: what
// was judged by then is still reported. The second signal ends the program.
#pragma once

namespace plumb::simulator {

/// From now on SIGINT, SIGTERM and SIGHUP are noted, each once.
void note_interrupts();

/// The signal that was noted; 0: none.
int noted_interrupt();

/// A descriptor that has something to read once a signal was noted; -1 before `note_interrupts`.
int interrupt_fd();

/// As if it had not come: for a command that is meant to be ended so.
void forget_interrupt();

}  // namespace plumb::simulator
