// SPDX-License-Identifier: Apache-2.0
// Processes that a killed program has left behind outside of its process group: known by a mark in
// their environment, which they inherit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::engine {

/// "PLUMB_MARK=..." for the environment of a program and of all that it starts; another one each
/// time. "" where the system gives no such names.
std::string fresh_mark();

/// SIGKILL to every process with this entry in its environment, and to those that they started
/// meanwhile. Processes that took it out of theirs are not found. Returns how many there were.
std::int64_t kill_marked(std::string_view mark);

}  // namespace plumb::engine
