// SPDX-License-Identifier: Apache-2.0
// What those who talk to a child through pipes have in common.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include "engine/kernel/processes.h"

namespace plumb::engine {

/// Writes to a pipe whose reader may be gone: EPIPE instead of the signal. As write(2).
ssize_t write_without_signal(int fd, std::string_view bytes);
/// Whether a call that failed so may be made again: nothing is there yet, or it was interrupted.
bool is_again(int number);
/// "exited with code 1", "was ended by signal 11".
std::string exit_text(const ProcessExit& exit);

}  // namespace plumb::engine
