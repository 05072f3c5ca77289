// SPDX-License-Identifier: Apache-2.0
// The engine of a live run as its harness drives it: an adapter, or a command that knows nothing of
// the harness.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/kernel/task.h"
#include "simulator/script/scenario.h"
#include "simulator/subjects/external/live_record.h"
#include "simulator/subjects/external/sandbox.h"

namespace plumb::simulator {

/// What an engine is given for one run; all of it outlives the run.
struct LiveCase {
  LiveCase(const Scenario& played, const Sandbox& folders, LiveRecord& kept)
      : scenario(played), sandbox(folders), record(kept) {}
  const Scenario& scenario;
  const Sandbox& sandbox;
  LiveRecord& record;
  std::string base_url;
  /// To be called before an event that makes use of a whole answer: the news of its end may still
  /// be on its way.
  std::function<void()> catch_up;
};

/// One loop. Errors of tasks: rejected, when it cannot be done with this subject (the run says
/// nothing of it); aborted, after `crash`; invalid, when the engine says that it went wrong;
/// protocol, when the subject did not do its part.
class LiveEngine {
 public:
  virtual ~LiveEngine() = default;
  virtual engine::Task<Result<void>> start(LiveCase live, bool is_resumed) = 0;
  /// Ends when the engine is idle again.
  virtual engine::Task<Result<void>> perform(const Step& step) = 0;
  /// At once, while the engine runs: `on_answered` is called when the engine knows, or with
  /// false when it does not take it. What else comes of it is told by `settle`.
  virtual Result<void> interrupt(const Step& step, std::function<void(bool)> on_answered) = 0;
  /// Everything that `interrupt` asked for has been done.
  virtual engine::Task<Result<void>> settle() = 0;
  virtual void crash() = 0;
  /// What the engine has said until now is recorded.
  virtual void drain() = 0;
  virtual engine::Task<Result<void>> finish() = 0;
  /// The run is over, whichever way.
  virtual void leave() = 0;
  /// What went wrong beside the steps.
  virtual std::vector<Error> errors() const = 0;
};

}  // namespace plumb::simulator
