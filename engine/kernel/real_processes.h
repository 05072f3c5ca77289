// SPDX-License-Identifier: Apache-2.0
// The process port of live runs. Each command is the leader of a process group of its own, which is
// killed when the run is aborted, takes too long, writes too much or is dropped.
#pragma once

#include "engine/kernel/processes.h"
#include "engine/kernel/real_loop.h"

namespace plumb::engine {

/// One loop.
class RealProcesses final : public Processes {
 public:
  explicit RealProcesses(RealLoop& loop) : loop_(&loop) {}
  Task<Result<ProcessExit>> run(ProcessSpec spec, OutputSink& sink, AbortSignal signal) override;

 private:
  RealLoop* loop_;
};

}  // namespace plumb::engine
