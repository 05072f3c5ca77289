// SPDX-License-Identifier: Apache-2.0
// The measured part of a workload, as a function with a name of its own: instruction_gate.sh counts
// the instructions between its entry and its end, and nothing of what prepares the workload.
#pragma once

#include <memory>
#include <type_traits>

/// Calls `work(context)`. Never inlined, so that a profiler finds it by name.
extern "C" [[gnu::noinline]] inline void plumb_measured(void (*work)(void*), void* context) {
  work(context);
}

namespace plumb {

/// Runs `body` inside `plumb_measured`.
template <class Body>
void measured(Body&& body) {
  plumb_measured([](void* context) { (*static_cast<std::remove_reference_t<Body>*>(context))(); },
                 std::addressof(body));
}

}  // namespace plumb
