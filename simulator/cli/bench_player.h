// SPDX-License-Identifier: Apache-2.0
// One timed and judged run after the other on one subject: what `plumb bench` takes its samples
// from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simulator/cli/live_subjects.h"
#include "simulator/explore/case_run.h"
#include "simulator/script/catalogue.h"

namespace plumb::simulator {

/// What one run came to. `wall_ns`: from the call of the subject to its return, the making of its
/// world and the recording of the trace included, the judging not; at least 1. `call_ms`: by the
/// trace's own clock, of each call that began and ended. `skip_reason`: why the subject did not
/// play the scenario. `wrong`: why the time says nothing, and `code` the exit code that fits.
struct BenchSample {
  std::int64_t wall_ns = 1;
  std::int64_t calls = 0;
  std::vector<std::int64_t> call_ms;
  bool is_virtual = true;
  std::string skip_reason;
  std::vector<std::string> wrong;
  int code = 0;
};

/// Calls that ended, and how long each took from its tool_execution_start by the trace's clock.
void take_call_times(const Trace& trace, BenchSample& sample);

/// One run at a time. `catalogue` and `facts` outlive it.
class BenchPlayer {
 public:
  BenchPlayer(ChosenSubject chosen, const Catalogue& catalogue, const invariants::Catalogue& facts);
  ~BenchPlayer();
  BenchPlayer(BenchPlayer&&) noexcept;
  BenchPlayer& operator=(BenchPlayer&&) = delete;

  BenchSample play(const Scenario& scenario, std::uint64_t seed);

  const std::string& name() const { return chosen_.name; }
  const std::string& edition() const { return chosen_.edition; }
  bool is_live() const { return chosen_.is_live; }
  /// Further words of a command that repeats a run.
  const std::string& words() const { return chosen_.reproduce_with; }
  /// Whether its traces show when calls begin and end.
  bool shows_calls() const { return shows_calls_; }

 private:
  class TimedSubject;

  const Catalogue& catalogue_;
  const invariants::Catalogue& facts_;
  ChosenSubject chosen_;
  std::unique_ptr<TimedSubject> subject_;
  bool shows_calls_ = false;
};

}  // namespace plumb::simulator
