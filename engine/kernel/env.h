// SPDX-License-Identifier: Apache-2.0
// The engine's only door to files, processes, time and chance.
#pragma once

#include <cstdint>

#include "engine/kernel/files.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/processes.h"
#include "engine/kernel/rng.h"

namespace plumb::engine {

/// 2025-01-01T00:00:00Z: the wall clock at which hermetic runs begin.
inline constexpr std::int64_t kHermeticEpochMs = 1'735'689'600'000;

/// Borrows everything; what it borrows outlives the engine. One loop.
struct Env {
  Env(Loop& env_loop, Files& env_files, Processes& env_processes, Rng& env_rng)
      : loop(env_loop), files(env_files), processes(env_processes), rng(env_rng) {}

  /// Milliseconds since 1970, on the run's clock.
  std::int64_t wall_ms() const { return wall_base_ms + loop.now_ms(); }

  Loop& loop;
  Files& files;
  Processes& processes;
  Rng& rng;
  /// The wall clock when the loop began.
  std::int64_t wall_base_ms = kHermeticEpochMs;
};

}  // namespace plumb::engine
