// SPDX-License-Identifier: Apache-2.0
// What `plumb bench` measured, as data, as a file (reports/bench.schema.json, version
// plumb-bench/1) and as a person reads it. The samples are the evidence; a summary is made of them
// and never read back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"
#include "simulator/cli/bench_numbers.h"

namespace plumb::simulator {

inline constexpr std::string_view kBenchSchema = "plumb-bench/1";
inline constexpr std::int64_t kBenchRunsMax = 100'000;
/// More than eleven days: no run takes as long.
inline constexpr std::int64_t kWallNsMax = 1'000'000'000'000'000;

/// From a call's tool_execution_start to its tool_execution_end by the trace's own clock, in
/// milliseconds: virtual ones are what the scenario's tools are said to take, not what the machine
/// took.
struct CallTimes {
  bool is_virtual = true;
  std::vector<std::int64_t> ms;  ///< Of all measured runs, at least one.

  bool operator==(const CallTimes&) const = default;
};

/// One scenario, played again and again. `wall_ns`: the wall time of each run, at least one, in
/// their order. `calls`: tool calls of all these runs together; none when the subject does not show
/// them. `file_digest`: SHA-256 of the scenario's file.
struct BenchScenario {
  std::string id;
  std::string file_digest;
  std::optional<std::int64_t> calls;
  std::vector<std::int64_t> wall_ns;
  std::optional<CallTimes> call_times;  ///< In the summary of a file only: it does not read back.

  bool operator==(const BenchScenario&) const = default;
};

/// `edition` is empty where the scenario decides, `api` where no wire lies between.
struct BenchSubject {
  std::string name;
  std::string edition;
  std::string api;
  std::vector<BenchScenario> scenarios;

  bool operator==(const BenchSubject&) const = default;
};

struct ScenarioRatio {
  std::string id;
  Ratio ratio;

  bool operator==(const ScenarioRatio&) const = default;
};

/// How many times longer the first subject took than `with`: a saved run's file or a subject.
struct BenchComparison {
  std::string with;
  std::vector<ScenarioRatio> scenarios;

  bool operator==(const BenchComparison&) const = default;
};

/// `subjects`: one, or two that took turns. `comparison` is not read back.
struct BenchRecord {
  std::string tool_version;
  std::string command;
  std::uint64_t seed = 0;
  std::int64_t warmup = 0;
  std::vector<BenchSubject> subjects;
  std::optional<BenchComparison> comparison;

  bool operator==(const BenchRecord&) const = default;
};

/// Indented, one line feed at the end.
std::string bench_json(const BenchRecord& record);

/// Errors: invalid, located "path:line:col" for text that is no JSON, else "path" with the JSON
/// Pointer of the value in the message. Unknown keys are errors: another version says so in
/// `schema`.
Result<BenchRecord> read_bench(std::string_view text, const std::string& path);

/// The part of `saved` that `measured` compares with: of the same subject and seed, the same
/// scenarios with the same text. Errors: invalid, `where` = path; all that differ, by name.
Result<const BenchSubject*> matching_subject(const BenchRecord& saved, const BenchRecord& measured,
                                             const std::string& path);

/// For each scenario of `measured` that `saved` has, too.
std::vector<ScenarioRatio> ratios_of_saved(const BenchSubject& measured, const BenchSubject& saved);
/// For two subjects that took turns in all scenarios.
std::vector<ScenarioRatio> ratios_of_subjects(const BenchSubject& ours, const BenchSubject& theirs);

/// Lines of at most 100 columns for names that are short enough.
std::string bench_text(const BenchRecord& record);

/// "950 ns", "104.20 us", "1.50 ms", "2.00 s". `ns` is not negative.
std::string wall_text(std::int64_t ns);
/// With three digits behind the point.
std::string ratio_text(double ratio);

}  // namespace plumb::simulator
