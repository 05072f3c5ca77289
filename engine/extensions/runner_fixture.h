// SPDX-License-Identifier: Apache-2.0
// What tests of the extension runner share: a runner with all that it works on.
#pragma once

#include "engine/extensions/runner.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::engine {

struct RunnerFixture {
  SimLoop loop;
  Trace trace;
  Recorder recorder{trace, [this] { return loop.now_ms(); }};
  Policies policies;
  ToolRegistry registry{recorder, policies, ToolFilters()};
  ExtensionRunner runner{recorder, registry, policies};
};

}  // namespace plumb::engine
