// SPDX-License-Identifier: Apache-2.0
// plumb bench: plays scenarios again and again on a subject, or on two in turns, and says how long
// the runs took. Every run is judged; the judging is not timed.
#include <algorithm>
#include <set>
#include <utility>

#include "engine/kernel/shell_word.h"
#include "engine/values/sha256.h"
#include "simulator/cli/bench_player.h"
#include "simulator/cli/bench_report.h"
#include "simulator/cli/inputs.h"
#include "simulator/cli/interrupt.h"
#include "simulator/cli/live_subjects.h"
#include "simulator/cli/options.h"
#include "simulator/cli/record_builder.h"
#include "simulator/cli/report_files.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// A hermetic run takes a fraction of a millisecond, one of another process up to seconds.
constexpr std::int64_t kHermeticRuns = 100;
constexpr std::int64_t kLiveRuns = 10;
constexpr std::int64_t kHermeticWarmup = 3;
constexpr std::int64_t kLiveWarmup = 1;
/// Reasons of one wrong run that are shown.
constexpr std::size_t kReasonsMax = 5;

class Bench {
 public:
  Bench(const CommonOptions& common, const BenchCommand& command, const Catalogue& catalogue)
      : common_(common),
        command_(command),
        catalogue_(catalogue),
        facts_(facts_of(catalogue)),
        progress_(print_error, terminal_style(), is_terminal_error()) {}

  /// The first is measured; a second one takes turns with it.
  void add(ChosenSubject chosen, const std::string& api);
  /// Errors: a file that cannot be read, two scenarios of one name.
  Result<void> take(std::vector<Scenario> scenarios);
  /// Returns the exit code; everything is printed.
  int run(const std::optional<BenchRecord>& saved);

 private:
  using Round = std::vector<BenchSample>;  ///< By scenario, then by subject.

  bool play_round(Round& round, std::int64_t number);
  bool try_all();
  void drop_skipped(const Round& round);
  bool warm_up();
  bool measure();
  void keep(const Round& round);
  int report_wrong(const BenchPlayer& player, const Scenario& scenario, const BenchSample& sample);
  bool find_saved(const std::optional<BenchRecord>& saved);
  void compare();
  int report();
  std::int64_t count_above_limit();
  std::string head() const;
  int finish(int code, std::int64_t passed, std::int64_t failed, std::int64_t left_out);
  void say(const std::string& text) const;

  const CommonOptions& common_;
  const BenchCommand& command_;
  const Catalogue& catalogue_;
  invariants::Catalogue facts_;
  reports::ProgressLine progress_;
  std::vector<BenchPlayer> players_;
  std::vector<Scenario> scenarios_;
  std::vector<std::string> digests_;  ///< Of the files of `scenarios_`.
  std::vector<std::string> skipped_;  ///< A line each.
  std::int64_t runs_ = 0;             ///< Rounds to measure.
  std::int64_t rounds_done_ = 0;      ///< Of those that are measured.
  std::int64_t played_ = 0;           ///< Runs of any kind.
  int wrong_code_ = kExitOk;
  BenchRecord record_;
  const BenchSubject* saved_ = nullptr;  ///< Of the file to compare with; null: none.
};

void Bench::say(const std::string& text) const {
  if (command_.is_json) {
    print_error(text);
  } else {
    print_out(text);
  }
}

void Bench::add(ChosenSubject chosen, const std::string& api) {
  players_.emplace_back(std::move(chosen), catalogue_, facts_);
  const BenchPlayer& player = players_.back();
  record_.subjects.push_back({player.name(), player.edition(), player.is_live() ? api : "", {}});
}

Result<void> Bench::take(std::vector<Scenario> scenarios) {
  std::set<std::string> ids;
  for (const auto& scenario : scenarios) {
    const auto id = id_of_file(scenario.file);
    if (!ids.insert(id).second) {
      return fail(ErrorCode::invalid, "two scenarios are called " + in_quotes(id), scenario.file);
    }
    PLUMB_TRY(const auto text, read_text_file(scenario.file));
    digests_.push_back(sha256_hex(text));
  }
  scenarios_ = std::move(scenarios);
  const bool is_live = std::ranges::any_of(players_, &BenchPlayer::is_live);
  runs_ = command_.runs > 0 ? command_.runs : (is_live ? kLiveRuns : kHermeticRuns);
  record_.tool_version = PLUMB_VERSION;
  record_.command = common_.command_line;
  record_.seed = command_.play.seed;
  record_.warmup = command_.warmup.value_or(is_live ? kLiveWarmup : kHermeticWarmup);
  return {};
}

/// Each scenario once on each subject; who of two goes first changes from round to round. False: a
/// run went wrong, which was told, or an interrupt came, and the round counts for nothing.
bool Bench::play_round(Round& round, std::int64_t number) {
  const std::size_t count = players_.size();
  round.assign(scenarios_.size() * count, BenchSample());
  const auto rounds = 1 + record_.warmup + runs_;
  for (std::size_t i = 0; i < round.size(); ++i) {
    const std::size_t turn = number % 2 == 0 ? i % count : count - 1 - i % count;
    const std::size_t at = i / count * count + turn;
    BenchPlayer& player = players_[turn];
    const Scenario& scenario = scenarios_[i / count];
    round[at] = player.play(scenario, command_.play.seed);
    // It may have ended what it was for: the run proves nothing.
    if (noted_interrupt() != 0) return false;
    progress_.update(steady_ms(), ++played_, rounds * std::ssize(round), "runs");
    if (round[at].wrong.empty()) continue;
    wrong_code_ = report_wrong(player, scenario, round[at]);
    return false;
  }
  return true;
}

int Bench::report_wrong(const BenchPlayer& player, const Scenario& scenario,
                        const BenchSample& sample) {
  progress_.clear();
  const std::string run = id_of_file(scenario.file) + " on " + player.name();
  for (std::size_t i = 0; i < std::min(sample.wrong.size(), kReasonsMax); ++i) {
    print_error(run + ": " + sample.wrong[i] + "\n");
  }
  if (sample.wrong.size() > kReasonsMax) {
    print_error(run + ": and " + std::to_string(sample.wrong.size() - kReasonsMax) + " more\n");
  }
  std::string repeat = "./plumb run " + engine::shell_word(scenario.file);
  if (command_.play.seed != 0) repeat += " --seed " + std::to_string(command_.play.seed);
  if (player.is_live()) repeat += " " + player.words();
  print_error("times of wrong runs say nothing, so that none are shown; repeat with: " + repeat +
              "\n");
  return sample.code;
}

/// Once each, so that nothing is measured that is not right.
bool Bench::try_all() {
  Round round;
  if (!play_round(round, 0)) return false;
  drop_skipped(round);
  return true;
}

void Bench::drop_skipped(const Round& round) {
  std::vector<Scenario> kept;
  std::vector<std::string> digests;
  for (std::size_t i = 0; i < scenarios_.size(); ++i) {
    std::string reason;
    for (std::size_t turn = 0; turn < players_.size() && reason.empty(); ++turn) {
      reason = round[i * players_.size() + turn].skip_reason;
      if (!reason.empty()) reason = players_[turn].name() + ": " + reason;
    }
    if (reason.empty()) {
      kept.push_back(std::move(scenarios_[i]));
      digests.push_back(std::move(digests_[i]));
    } else {
      skipped_.push_back(id_of_file(scenarios_[i].file) + " not measured on " + reason);
    }
  }
  scenarios_ = std::move(kept);
  digests_ = std::move(digests);
  for (std::size_t turn = 0; turn < players_.size(); ++turn) {
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      BenchScenario scenario{id_of_file(scenarios_[i].file), digests_[i], std::nullopt, {}, {}};
      if (players_[turn].shows_calls()) scenario.calls = 0;
      record_.subjects[turn].scenarios.push_back(std::move(scenario));
    }
  }
}

bool Bench::warm_up() {
  Round round;
  for (std::int64_t i = 0; i < record_.warmup; ++i) {
    if (!play_round(round, i)) return false;
  }
  return true;
}

/// False: a run went wrong. An interrupt leaves the rounds before it.
bool Bench::measure() {
  Round round;
  for (std::int64_t i = 0; i < runs_; ++i) {
    if (!play_round(round, i)) return wrong_code_ == kExitOk;
    keep(round);
    ++rounds_done_;
  }
  return true;
}

void Bench::keep(const Round& round) {
  for (std::size_t i = 0; i < round.size(); ++i) {
    const BenchSample& sample = round[i];
    BenchScenario& scenario = record_.subjects[i % players_.size()].scenarios[i / players_.size()];
    scenario.wall_ns.push_back(sample.wall_ns);
    if (!scenario.calls) continue;
    *scenario.calls += sample.calls;
    if (sample.call_ms.empty()) continue;
    if (!scenario.call_times) scenario.call_times = CallTimes{sample.is_virtual, {}};
    auto& all = scenario.call_times->ms;
    all.insert(all.end(), sample.call_ms.begin(), sample.call_ms.end());
  }
}

int Bench::finish(int code, std::int64_t passed, std::int64_t failed, std::int64_t left_out) {
  progress_.clear();
  for (const auto& line : skipped_) say("  " + line + "\n");
  const auto skipped = left_out + std::ssize(skipped_);
  say(std::to_string(passed) + " passed, " + std::to_string(failed) + " failed, " +
      std::to_string(skipped) + " skipped\n");
  return code;
}

/// What to compare with, if anything; names what the file has and this bench leaves out.
bool Bench::find_saved(const std::optional<BenchRecord>& saved) {
  if (!saved) return true;
  const auto found = matching_subject(*saved, record_, command_.compare);
  if (!found) {
    print_located(found.error());
    return false;
  }
  saved_ = *found;
  std::set<std::string> measured;
  for (const auto& scenario : record_.subjects.front().scenarios) measured.insert(scenario.id);
  for (const auto& scenario : saved_->scenarios) {
    if (measured.contains(scenario.id)) continue;
    skipped_.push_back(scenario.id + " not measured, and in " + command_.compare);
  }
  return true;
}

/// Scenarios that took longer than they may, a line each.
std::int64_t Bench::count_above_limit() {
  if (!command_.fail_above || !record_.comparison) return 0;
  std::int64_t count = 0;
  for (const auto& [id, ratio] : record_.comparison->scenarios) {
    if (ratio.value <= *command_.fail_above) continue;
    ++count;
    say("FAIL " + id + ": ratio " + ratio_text(ratio.value) + " is above " +
        ratio_text(*command_.fail_above) + "\n");
  }
  return count;
}

std::string Bench::head() const {
  std::string text = "plumb bench, " + std::to_string(rounds_done_) + " runs of each after " +
                     std::to_string(record_.warmup) + " to warm up, one at a time, seed " +
                     std::to_string(record_.seed) + "\n";
  text += "run: wall time of a whole run, without its judging; call: by the trace's own clock\n";
  if (record_.comparison) {
    text += "ratio: how many times longer " + record_.subjects.front().name + " took" +
            (command_.compare.empty() ? ", median of the rounds" : " now, of the medians") +
            ", and where it lies in 95 of 100 cases\n";
  }
  return text + "\n";
}

/// Prints and saves what was measured: at least one round.
int Bench::report() {
  progress_.clear();
  if (command_.is_json) {
    print_out(bench_json(record_));
  } else {
    print_out(head() + bench_text(record_) + "\n");
  }
  if (rounds_done_ < runs_) {
    say("interrupted after " + std::to_string(rounds_done_) + " of " + std::to_string(runs_) +
        " runs\n");
  }
  const auto slow = count_above_limit();
  const auto count = std::ssize(scenarios_);
  int code = slow > 0 ? kExitNonconforming : kExitOk;
  std::int64_t failed = slow;
  if (!command_.save.empty()) {
    const auto written = write_output(command_.save, bench_json(record_));
    if (!written) {
      print_located(written.error());
      code = kExitHarness;
      ++failed;
    } else {
      say("saved: " + command_.save + "\n");
    }
  }
  return finish(code, count - slow, failed, 0);
}

void Bench::compare() {
  const BenchSubject& ours = record_.subjects.front();
  if (saved_ != nullptr)
    record_.comparison = BenchComparison{command_.compare, ratios_of_saved(ours, *saved_)};
  if (players_.size() == 1) return;
  const BenchSubject& theirs = record_.subjects.back();
  record_.comparison = BenchComparison{theirs.name, ratios_of_subjects(ours, theirs)};
}

int Bench::run(const std::optional<BenchRecord>& saved) {
  const auto all = std::ssize(scenarios_);
  if (!try_all()) {
    if (wrong_code_ != kExitOk) return finish(wrong_code_, 0, 1, all - 1);
    say("interrupted before anything was measured\n");
    return finish(kExitNothing, 0, 0, all);
  }
  const auto count = std::ssize(scenarios_);
  if (count == 0) {
    say("nothing was measured\n");
    return finish(kExitNothing, 0, 0, 0);
  }
  if (!find_saved(saved)) return finish(kExitInput, 0, 1, count);
  if (!warm_up() || !measure()) {
    if (wrong_code_ != kExitOk) return finish(wrong_code_, 0, 1, count - 1);
  }
  if (rounds_done_ == 0) {
    say("interrupted before anything was measured\n");
    return finish(kExitNothing, 0, 0, count);
  }
  compare();
  return report();
}

/// The words that choose the second subject: those of the first but its name.
RunCommand words_of_second(const BenchCommand& command) {
  RunCommand words = command.play;
  words.subject_command.clear();
  words.subject = command.compare_subject;
  return words;
}

/// What is said of the wire is for the one that has one.
void leave_wire_to_the_other(RunCommand& words) {
  words.subject_api.clear();
  words.subject_timeout_s = 0;
}

bool is_session(const RunCommand& words) {
  return words.subject == "session" && words.subject_command.empty();
}

Result<std::optional<BenchRecord>> read_saved(const BenchCommand& command) {
  if (command.fail_above && command.compare.empty() && command.compare_subject.empty()) {
    return fail(ErrorCode::invalid, "--fail-above needs --compare or --compare-subject");
  }
  if (command.compare.empty()) return std::nullopt;
  PLUMB_TRY(const auto text, read_text_file(command.compare));
  PLUMB_TRY(auto saved, read_bench(text, command.compare));
  return saved;
}

}  // namespace

int bench_command(const CommonOptions& common, const BenchCommand& command) {
  const auto saved = read_saved(command);
  if (!saved) return refuse({saved.error()});
  const auto catalogue = find_catalogue(common);
  if (!catalogue) return refuse(catalogue.error());
  auto loaded = load_scenarios(command.play.paths, *catalogue);
  if (!loaded.errors.empty()) return refuse(loaded.errors);
  std::vector<RunCommand> words{command.play};
  if (!command.compare_subject.empty()) words.push_back(words_of_second(command));
  if (words.size() > 1 && is_session(words[0]) != is_session(words[1])) {
    leave_wire_to_the_other(words[is_session(words[0]) ? 0 : 1]);
  }
  const std::string api = command.play.subject_api.empty() ? "messages" : command.play.subject_api;
  Bench bench(common, command, *catalogue);
  for (const auto& choice : words) {
    auto subject = choose_subject(choice);
    if (!subject) return refuse_subject(subject.error());
    bench.add(*std::move(subject), api);
  }
  if (auto taken = bench.take(std::move(loaded.scenarios)); !taken) {
    return refuse({taken.error()});
  }
  return bench.run(*saved);
}

}  // namespace plumb::simulator
