// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/bench_player.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "simulator/cli/record_builder.h"

namespace plumb::simulator {

/// Takes the time of each run of another.
class BenchPlayer::TimedSubject final : public Subject {
 public:
  explicit TimedSubject(std::unique_ptr<Subject> subject) : subject_(std::move(subject)) {}

  std::string_view name() const override { return subject_->name(); }
  std::string_view engine() const override { return subject_->engine(); }
  std::string_view edition() const override { return subject_->edition(); }
  bool is_built_in() const override { return subject_->is_built_in(); }
  std::vector<std::string> emits() const override { return subject_->emits(); }
  RunResult run(const Scenario& scenario, const RunOptions& options) override {
    using std::chrono::steady_clock;
    const auto began = steady_clock::now();
    RunResult result = subject_->run(scenario, options);
    const auto took = steady_clock::now() - began;
    wall_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
    return result;
  }
  /// Of the last run.
  std::int64_t wall_ns() const { return std::max<std::int64_t>(1, wall_ns_); }

 private:
  std::unique_ptr<Subject> subject_;
  std::int64_t wall_ns_ = 0;
};

namespace {

std::vector<std::string> reasons_against(const CaseRun& run, const Scenario& scenario) {
  std::vector<std::string> reasons;
  for (const auto& judgement : run.judgements) {
    const bool is_broken = judgement.verdict == invariants::Verdict::fail;
    if (!is_broken && judgement.verdict != invariants::Verdict::harness_error) continue;
    std::string why = judgement.reason;
    if (!judgement.findings.empty()) why = judgement.findings.front().message;
    reasons.push_back(judgement.id + (is_broken ? " fails: " : " could not be judged: ") + why);
  }
  for (const auto& unmet : run.unmet) {
    reasons.push_back(located(scenario.file, unmet.place) + ": " + unmet.message);
  }
  for (const auto& error : run.result.errors) reasons.push_back(error_line(error));
  return reasons;
}

/// The scenario is not for the subject, or beyond what it can do.
std::string reason_not_played(const CaseRun& run) {
  if (!run.result.errors.empty()) return "";
  if (!run.result.untestable.empty()) return run.result.untestable;
  if (!run.result.trace.events.empty()) return "";
  return run.judgements.empty() ? "it is not for this subject" : run.judgements.front().reason;
}

}  // namespace

void take_call_times(const Trace& trace, BenchSample& sample) {
  std::map<std::string, std::int64_t> began;
  for (const auto& event : trace.events) {
    if (event.as<ToolExecutionStart>() != nullptr) began[event.call] = event.at;
    if (event.as<ToolExecutionEnd>() == nullptr) continue;
    ++sample.calls;
    const auto start = began.find(event.call);
    if (start == began.end()) continue;
    sample.call_ms.push_back(std::max<std::int64_t>(0, event.at - start->second));
    began.erase(start);
  }
  sample.is_virtual = trace.header.is_clock_virtual;
}

BenchPlayer::BenchPlayer(ChosenSubject chosen, const Catalogue& catalogue,
                         const invariants::Catalogue& facts)
    : catalogue_(catalogue),
      facts_(facts),
      chosen_(std::move(chosen)),
      subject_(std::make_unique<TimedSubject>(chosen_.pool->lend())) {
  const auto emits = subject_->emits();
  shows_calls_ = std::ranges::find(emits, ToolExecutionEnd::kKind) != emits.end();
}

BenchPlayer::~BenchPlayer() = default;
BenchPlayer::BenchPlayer(BenchPlayer&&) noexcept = default;

BenchSample BenchPlayer::play(const Scenario& scenario, std::uint64_t seed) {
  const Variant variant{"", "", scenario, seed};
  const CaseRun run = run_case(*subject_, variant, RunOptions(), facts_);
  BenchSample sample;
  sample.wall_ns = subject_->wall_ns();
  sample.skip_reason = reason_not_played(run);
  if (!sample.skip_reason.empty()) return sample;
  take_call_times(run.result.trace, sample);
  sample.wrong = reasons_against(run, scenario);
  if (sample.wrong.empty()) return sample;
  reports::Record record;
  record.scenarios.push_back(scenario_result(scenario, run, catalogue_));
  sample.code = std::max(kExitNonconforming, reports::exit_code(record));
  return sample;
}

}  // namespace plumb::simulator
