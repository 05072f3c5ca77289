// SPDX-License-Identifier: Apache-2.0
// Plays independent runs side by side: the one place where the simulator uses threads. Each run has
// a loop of its own; results are taken by index, so that their order does not depend on the number
// of workers.
#pragma once

#include <cstdint>
#include <functional>

namespace plumb::simulator {

/// Calls `work(i)` for each i below `count`, on `jobs` threads (1: on the caller's). Returns when
/// all are done. `work` must not touch what another index uses; what it throws is thrown here after
/// the others are done (of several the one with the lowest index).
void for_each_index(std::int64_t count, std::int64_t jobs,
                    const std::function<void(std::int64_t)>& work);

}  // namespace plumb::simulator
