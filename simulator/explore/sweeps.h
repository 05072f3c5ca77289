// SPDX-License-Identifier: Apache-2.0
// Sweeps of one run: the host aborts before each schedule point in turn, or each file operation
// fails in turn. A cut run leaves parts of its script over, so nothing that the scenario expects
// counts: the rules of the trace, and that everything comes to an end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/explore/case_run.h"

namespace plumb::simulator {

enum class SweepKind : std::uint8_t { abort, fail };

/// A sweep tries no more points than this: it costs the square of the run's length.
inline constexpr std::int64_t kSweepPointsMax = 20'000;

struct SweepPlan {
  SweepKind kind = SweepKind::abort;
  std::int64_t points_max = kSweepPointsMax;
};

/// What happens to a run at its `at`-th schedule point or file operation, from 1.
struct SweepPoint {
  SweepKind kind = SweepKind::abort;
  std::int64_t at = 0;
};

/// A point whose run went wrong. `at` repeats it: RunOptions::abort_at or fail_at. `problems`: the
/// rules that failed, and what did not come to its end.
struct SweepFailure {
  std::int64_t at = 0;
  std::vector<std::string> problems;
  CaseRun run;
};

/// `points`: how many were tried. `is_complete`: there are no others. `points_total`: how many
/// there are; none when a sweep of failures stopped before its end, since each failure makes a run
/// of its own.
struct SweepReport {
  std::int64_t points = 0;
  bool is_complete = true;
  std::optional<std::int64_t> points_total;
  std::vector<SweepFailure> failures;
};

/// Plays the variant once as it is and once for each of its schedule points, or file operations
/// until a run has fewer, up to the plan's limit. Thread-compatible.
SweepReport sweep(const SweepPlan& plan, Subject& subject, const Variant& variant,
                  const RunOptions& options, const invariants::Catalogue& facts);

/// How many points the run has: its steps, which it must have recorded, or its file operations.
std::int64_t point_count(SweepKind kind, const CaseRun& run);

/// One point of a sweep.
CaseRun play_point(SweepPoint point, Subject& subject, const Variant& variant,
                   const RunOptions& options, const invariants::Catalogue& facts);

/// What is wrong with a cut run: rules that fail, a run that does not settle, calls without one
/// result, work that goes on for ever, a file that is neither old nor new by the `uncut` run. Empty
/// when nothing is.
std::vector<std::string> problems_of(const CaseRun& run, const Trace& uncut);

}  // namespace plumb::simulator
