// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/schedules.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "simulator/explore/footprint.h"
#include "simulator/explore/priority_picker.h"
#include "simulator/explore/schedule_tree.h"
#include "simulator/explore/trace_class.h"

namespace plumb::simulator {
namespace {

/// Plays that one failing schedule may cost to shorten.
constexpr std::int64_t kShortenRunsMax = 200;

std::vector<std::int64_t> picks_of(const Execution& execution) {
  std::vector<std::int64_t> picks;
  picks.reserve(execution.steps.size());
  for (const auto& step : execution.steps) picks.push_back(step.picked);
  while (!picks.empty() && picks.back() == 0) picks.pop_back();
  return picks;
}

std::int64_t changed_picks(const std::vector<std::int64_t>& picks) {
  return std::ssize(picks) - std::ranges::count(picks, 0);
}

/// One exploration: the tree first, then samples if it is too large.
class Exploration final {
 public:
  Exploration(const PlaySchedule& play, const ExploreOptions& options)
      : play_(play), options_(options), tree_(table_) {}

  Result<ExploreReport> run() {
    PLUMB_TRY(const bool is_complete, walk());
    report_.is_exhaustive = is_complete;
    report_.classes_explored = std::ssize(classes_);
    report_.classes_at_least = report_.classes_explored + (is_complete ? 0 : tree_.open_count());
    if (!is_complete) sample();
    keep_best_failures();
    return std::move(report_);
  }

 private:
  /// False when a limit was reached.
  Result<bool> walk() {
    do {
      if (std::ssize(classes_) >= options_.classes_max ||
          report_.schedules_run >= options_.runs_max) {
        return false;
      }
      tree_.begin_run();
      const Execution execution = play_([this](auto ready) { return tree_.pick(ready); });
      const auto known = std::ssize(classes_);
      tree_.end_run(judge(execution));
      if (!tree_.divergence().empty()) return fail(ErrorCode::protocol, tree_.divergence());
      if (tree_.is_blocked()) report_.unplanned_classes += std::ssize(classes_) - known;
    } while (tree_.advance());
    return true;
  }

  void sample() {
    for (std::int64_t i = 0; i < options_.sample_count; ++i) {
      const auto seed = options_.seed + static_cast<std::uint64_t>(i);
      PriorityPicker picker(seed, options_.priority_changes, steps_max_);
      judge(play_([&picker](auto ready) { return picker.pick(ready); }));
      ++report_.sampled_runs;
    }
    const auto seen = std::ssize(classes_);
    report_.classes_at_least = std::max(report_.classes_at_least, seen);
    report_.classes_explored = seen;
  }

  TraceClass judge(const Execution& execution) {
    ++report_.schedules_run;
    steps_max_ = std::max(steps_max_, std::ssize(execution.steps));
    TraceClass run(table_, execution.steps);
    const auto [key, is_new] = classes_.insert(run.key());
    if (!is_new) {
      ++report_.redundant_runs;
    } else if (!execution.failure.empty()) {
      keep_failure(execution, *key);
    }
    return run;
  }

  void keep_failure(const Execution& execution, const std::string& key) {
    ++report_.failing_classes;
    if (std::ssize(report_.failures) >= options_.failures_max) return;
    report_.failures.push_back(FailingSchedule{
        execution.failure, shorten_schedule(play_, execution, kShortenRunsMax), key});
  }

  void keep_best_failures() {
    std::ranges::sort(report_.failures, {}, [](const FailingSchedule& one) {
      return std::tuple(changed_picks(one.picks), std::ssize(one.picks), one.picks, one.failure);
    });
    // Different classes may shorten to one schedule.
    const auto [first, last] = std::ranges::unique(
        report_.failures,
        [](const auto& a, const auto& b) { return a.failure == b.failure && a.picks == b.picks; });
    report_.failures.erase(first, last);
  }

  const PlaySchedule& play_;
  const ExploreOptions& options_;
  FootprintTable table_;
  ScheduleTree tree_;
  std::set<std::string> classes_;
  std::int64_t steps_max_ = 0;
  ExploreReport report_;
};

/// Sets one pick to 0, if the run still fails in the same way. The rest is as the run took it.
bool try_default(const PlaySchedule& play, const std::string& failure,
                 std::vector<std::int64_t>& picks, std::size_t at) {
  auto shorter = picks;
  shorter[at] = 0;
  const Execution execution = play(schedule_picker(shorter));
  if (execution.failure != failure) return false;
  auto taken = picks_of(execution);
  const bool is_smaller = changed_picks(taken) < changed_picks(picks);
  if (is_smaller) picks = std::move(taken);
  return is_smaller;
}

}  // namespace

SchedulePicker schedule_picker(std::vector<std::int64_t> picks) {
  return [picks = std::move(picks), step = std::size_t{0}](auto ready) mutable -> std::int64_t {
    const std::size_t at = step++;
    if (at >= picks.size() || picks[at] >= std::ssize(ready)) return 0;
    return picks[at];
  };
}

std::vector<std::int64_t> shorten_schedule(const PlaySchedule& play, const Execution& failing,
                                           std::int64_t runs_max) {
  auto picks = picks_of(failing);
  bool has_changed = true;
  while (std::exchange(has_changed, false)) {
    // From the end: a late change leaves the earlier picks as they were.
    for (std::size_t at = picks.size(); at-- > 0;) {
      if (at >= picks.size() || picks[at] == 0) continue;
      if (runs_max-- <= 0) return picks;
      has_changed = try_default(play, failing.failure, picks, at) || has_changed;
    }
  }
  return picks;
}

Result<ExploreReport> explore_schedules(const PlaySchedule& play, ExploreOptions options) {
  return Exploration(play, options).run();
}

std::string describe(const ExploreReport& report, const ExploreOptions& options) {
  std::string text = "explored " + std::to_string(report.classes_explored) + " of ";
  if (!report.is_exhaustive) text += "at least ";
  text += std::to_string(report.classes_at_least) + " classes of schedules, in " +
          std::to_string(report.schedules_run) + " runs";
  if (report.is_exhaustive) return text;
  return text + ", " + std::to_string(report.sampled_runs) + " of them sampled with " +
         std::to_string(options.priority_changes) + " changes of priority, seed " +
         std::to_string(options.seed);
}

}  // namespace plumb::simulator
