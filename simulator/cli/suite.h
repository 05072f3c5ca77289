// SPDX-License-Identifier: Apache-2.0
// Plays a suite: every scenario with its variants and seeds, side by side, and puts the results in
// the order of the scenarios.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/record.h"
#include "simulator/explore/sweeps.h"
#include "simulator/script/catalogue.h"
#include "simulator/script/scenario.h"
#include "simulator/subjects/subject.h"

namespace plumb::simulator {

struct SuiteOptions {
  std::uint64_t seed = 0;
  std::int64_t seed_count = 1;
  std::optional<std::vector<std::int64_t>> schedule;
  bool explores_schedules = false;
  std::optional<SweepKind> sweep;
  std::int64_t sweep_at = 0;  ///< The only point of the sweep; 0: all of them.
  std::int64_t sweep_points_max = kSweepPointsMax;
  std::int64_t jobs = 1;
  std::string out_folder;  ///< Traces go to traces/ in it; empty: they are not written.
  Alterations alterations;
  std::optional<std::int64_t> step_max;  ///< A bound of its own, for engines that may spin.
  std::string reproduce_with;  ///< Further words of the command that repeats a run: "--mutant x".
  /// Makes the subject of one run; called from several threads.
  std::function<std::unique_ptr<Subject>()> make_subject;
  /// Asked before each scenario: true leaves out this one and all that follow.
  std::function<bool()> is_cancelled;
  /// Called on the thread of `play_suite` only, after each scenario that it played itself.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

struct SuiteResult {
  std::vector<reports::ScenarioResult> scenarios;
  std::vector<reports::Diagnostic> diagnostics;  ///< Traces that could not be written.
};

/// The same results in the same order whatever `jobs` is.
SuiteResult play_suite(std::span<const Scenario> scenarios, const SuiteOptions& options,
                       const Catalogue& catalogue);

}  // namespace plumb::simulator
