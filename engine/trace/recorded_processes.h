// SPDX-License-Identifier: Apache-2.0
// The process port's recorder: which commands really ran, how they ended and what they left running
// is written down here, at the port, and not by the engine.
#pragma once

#include "engine/kernel/processes.h"
#include "engine/trace/trace.h"

namespace plumb {

/// Records a process_start when a command really runs and a process_exit at its end, with the
/// fiber's label as call. Everything outlives this. One loop.
class RecordedProcesses final : public engine::Processes {
 public:
  RecordedProcesses(engine::Processes& inner, Recorder& recorder)
      : inner_(inner), recorder_(recorder) {}

  engine::Task<Result<engine::ProcessExit>> run(engine::ProcessSpec spec, engine::OutputSink& sink,
                                                engine::AbortSignal signal) override;

 private:
  engine::Processes& inner_;
  Recorder& recorder_;
};

}  // namespace plumb
