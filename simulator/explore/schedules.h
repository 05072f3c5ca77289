// SPDX-License-Identifier: Apache-2.0
// Explores the schedules of one run: one schedule of each class of schedules that differ in the
// order of conflicting points (dynamic partial-order reduction with source sets and sleep sets,
// by playing the run again and again), or a sample where there are too many.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::simulator {

/// What SimLoopOptions::picker takes.
using SchedulePicker = std::function<std::int64_t(std::span<engine::Waiter* const>)>;

/// What one run did. `steps` as recorded by a SimLoop with `records_steps` and `records_ready`.
struct Execution {
  std::vector<engine::Step> steps;
  /// What went wrong, such as the ids of the rules that failed; empty when nothing did. A schedule
  /// is shortened as long as this stays the same.
  std::string failure;
};

/// Plays the run once, on one SimLoop that records steps and their ready sets and is given the
/// picker. Under equal picks it does the same every time.
using PlaySchedule = std::function<Execution(SchedulePicker)>;

struct ExploreOptions {
  std::int64_t classes_max = 20'000;
  std::int64_t runs_max = 40'000;
  std::int64_t failures_max = 5;  ///< How many failing schedules are kept and shortened.
  // When there are more classes or runs than that:
  std::int64_t sample_count = 1'000;
  std::int64_t priority_changes = 3;  ///< A sampled run.
  std::uint64_t seed = 1;
};

/// A schedule that fails. `picks` reproduces it as SimLoopOptions::schedule: one index a step into
/// the ready fibers, first in, first out after its end.
struct FailingSchedule {
  std::string failure;
  std::vector<std::int64_t> picks;
  std::string class_key;

  bool operator==(const FailingSchedule&) const = default;
};

struct ExploreReport {
  std::int64_t classes_explored = 0;
  std::int64_t classes_at_least = 0;  ///< Equal to `classes_explored` when exhaustive.
  std::int64_t schedules_run = 0;
  std::int64_t redundant_runs = 0;  ///< Runs that found a class again.
  std::int64_t sampled_runs = 0;    ///< Of `schedules_run`.
  /// Classes met where only known ones were expected. Above 0: some steps share what they do not
  /// say that they touch, and classes may be missing.
  std::int64_t unplanned_classes = 0;
  bool is_exhaustive = false;
  std::int64_t failing_classes = 0;
  std::vector<FailingSchedule> failures;  ///< Fewest picks that are not 0 first, then shortest.
};

/// Errors: protocol when equal picks do not lead to equal ready fibers.
Result<ExploreReport> explore_schedules(const PlaySchedule& play,
                                        ExploreOptions options = ExploreOptions());

/// "explored 12 of 12 classes of schedules, in 12 runs".
std::string describe(const ExploreReport& report, const ExploreOptions& options);

/// Follows `picks`, then first in, first out. An index beyond the ready fibers counts as 0.
SchedulePicker schedule_picker(std::vector<std::int64_t> picks);

/// Fewer and smaller picks that fail in the same way: those at the end that are 0 are dropped, the
/// others are set to 0 one by one. Plays the run up to `runs_max` times.
std::vector<std::int64_t> shorten_schedule(const PlaySchedule& play, const Execution& failing,
                                           std::int64_t runs_max);

}  // namespace plumb::simulator
