// SPDX-License-Identifier: Apache-2.0
// Text as one word of a shell command: whatever the engine puts into a command goes through here.
#pragma once

#include <string>
#include <string_view>

namespace plumb::engine {

/// Whether a shell takes `text` as it is: one word, nothing expanded, no option.
bool is_plain_shell_word(std::string_view text);

/// `text` as one word of a POSIX shell: as it is where that is safe, else in single quotes. A
/// leading hyphen is kept; it is up to the command not to take it for an option.
std::string shell_word(std::string_view text);

}  // namespace plumb::engine
