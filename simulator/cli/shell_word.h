// SPDX-License-Identifier: Apache-2.0
// Words of a command line that a person may paste into a shell.
#pragma once

#include <string>
#include <string_view>

namespace plumb::simulator {

/// The word itself when a shell reads it as one plain word, else in single quotes.
std::string shell_word(std::string_view word);

}  // namespace plumb::simulator
