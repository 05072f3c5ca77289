// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and a polite kill end a run between two scenarios: what was judged by then is still
// reported. The second signal ends the program at once.
#pragma once

namespace plumb::simulator {

/// From now on SIGINT and SIGTERM are noted, each once.
void note_interrupts();

/// The signal that was noted; 0: none.
int noted_interrupt();

/// As if it had not come: for a command that is meant to be ended so.
void forget_interrupt();

}  // namespace plumb::simulator
