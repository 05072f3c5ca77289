// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/bench_report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "engine/values/json_members.h"
#include "simulator/cli/bench_schema.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

constexpr std::int64_t kNsAMicrosecond = 1'000;
constexpr std::int64_t kNsAMillisecond = 1'000'000;
constexpr double kNsASecond = 1e9;
/// Scenarios that a message names; of more it says how many.
constexpr std::size_t kNamesMax = 5;

std::string fixed(double value, int digits) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, digits);
  PLUMB_ASSERT(end.ec == std::errc());
  return {text.data(), end.ptr};
}

double seconds_of(const BenchScenario& scenario) {
  const auto& runs = scenario.wall_ns;
  return std::accumulate(runs.begin(), runs.end(), 0.0) / kNsASecond;
}

double runs_per_second(const BenchScenario& scenario) {
  return static_cast<double>(scenario.wall_ns.size()) / seconds_of(scenario);
}

double calls_per_second(const BenchScenario& scenario) {
  return static_cast<double>(scenario.calls.value_or(0)) / seconds_of(scenario);
}

const BenchScenario* find_scenario(const BenchSubject& subject, std::string_view id) {
  const auto found = std::ranges::find(subject.scenarios, id, &BenchScenario::id);
  return found == subject.scenarios.end() ? nullptr : &*found;
}

// --------------------------------------------------------------------------- as a file

Json to_json(const Distribution& distribution) {
  return {{"count", distribution.count},
          {"min", distribution.min},
          {"p50", distribution.p50},
          {"p90", distribution.p90},
          {"p99", distribution.p99},
          {"max", distribution.max},
          {"deviation", distribution.deviation}};
}

Json summary_of(const BenchScenario& scenario) {
  Json json{{"wall_ns", to_json(distribution_of(scenario.wall_ns))},
            {"runs_per_second", runs_per_second(scenario)}};
  if (scenario.calls) json["calls_per_second"] = calls_per_second(scenario);
  if (!scenario.call_times) return json;
  json["call_ms"] = to_json(distribution_of(scenario.call_times->ms));
  json["call_clock"] = scenario.call_times->is_virtual ? "virtual" : "real";
  return json;
}

Json to_json(const BenchSubject& subject) {
  Json scenarios = Json::array();
  for (const auto& scenario : subject.scenarios) {
    Json json{{"id", scenario.id}, {"file_digest", scenario.file_digest}};
    json["calls"] = scenario.calls ? Json(*scenario.calls) : Json();
    json["summary"] = summary_of(scenario);
    json["wall_ns"] = scenario.wall_ns;
    scenarios.push_back(std::move(json));
  }
  Json json{{"name", subject.name}, {"edition", subject.edition}, {"api", subject.api}};
  json["scenarios"] = std::move(scenarios);
  return json;
}

Json to_json(const BenchComparison& comparison) {
  Json scenarios = Json::array();
  for (const auto& [id, ratio] : comparison.scenarios) {
    Json json{{"id", id}, {"ratio", ratio.value}};
    if (ratio.interval) {
      json["low"] = ratio.interval->low;
      json["high"] = ratio.interval->high;
    }
    scenarios.push_back(std::move(json));
  }
  return {{"with", comparison.with}, {"scenarios", std::move(scenarios)}};
}

/// `json` fits the schema.
BenchScenario scenario_from(const Json& json) {
  BenchScenario scenario;
  scenario.id = text_at(json, "id");
  scenario.file_digest = text_at(json, "file_digest");
  const Json& calls = at(json, "calls");
  if (!calls.is_null()) scenario.calls = calls.get<std::int64_t>();
  scenario.wall_ns = at(json, "wall_ns").get<std::vector<std::int64_t>>();
  return scenario;
}

BenchSubject subject_from(const Json& json) {
  BenchSubject subject{text_at(json, "name"), text_at(json, "edition"), text_at(json, "api"), {}};
  for (const auto& scenario : at(json, "scenarios")) {
    subject.scenarios.push_back(scenario_from(scenario));
  }
  return subject;
}

BenchRecord record_from(const Json& json) {
  BenchRecord record;
  record.tool_version = text_at(json, "tool_version");
  record.command = text_at(json, "command");
  record.seed = at(json, "seed").get<std::uint64_t>();
  record.warmup = at(json, "warmup").get<std::int64_t>();
  for (const auto& subject : at(json, "subjects")) {
    record.subjects.push_back(subject_from(subject));
  }
  return record;
}

std::unexpected<Error> bad_file(std::string message, const std::string& path) {
  return fail(ErrorCode::invalid, std::move(message), path);
}

Result<void> check_ids(const BenchSubject& subject, const std::string& path) {
  std::set<std::string_view> ids;
  for (const auto& scenario : subject.scenarios) {
    if (ids.insert(scenario.id).second) continue;
    return bad_file("scenario " + in_quotes(scenario.id) + " stands twice", path);
  }
  return {};
}

// ------------------------------------------------------------------------- comparisons

std::string name_of(const BenchSubject& subject) {
  std::string name = in_quotes(subject.name);
  if (!subject.edition.empty()) name += ", edition " + subject.edition;
  if (!subject.api.empty()) name += ", API " + subject.api;
  return name;
}

/// "'a', 'b' and 4 more".
std::string few_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesMax); ++i) {
    text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
  }
  if (names.size() > kNamesMax) {
    text += " and " + std::to_string(names.size() - kNamesMax) + " more";
  }
  return text;
}

Result<void> check_scenarios(const BenchSubject& measured, const BenchSubject& saved,
                             const std::string& path) {
  std::vector<std::string> missing;
  std::vector<std::string> changed;
  for (const auto& scenario : measured.scenarios) {
    const auto* before = find_scenario(saved, scenario.id);
    if (before == nullptr) {
      missing.push_back(scenario.id);
    } else if (before->file_digest != scenario.file_digest) {
      changed.push_back(scenario.id);
    }
  }
  if (!missing.empty()) return bad_file("has no run of " + few_of(missing), path);
  if (changed.empty()) return {};
  return bad_file("was measured with another text of " + few_of(changed), path);
}

// -------------------------------------------------------------------------- for people

std::string rate_text(double rate) {
  return fixed(rate, rate < 100 ? 1 : 0);
}

std::string distribution_text(const Distribution& all) {
  return "min " + wall_text(all.min) + "  p50 " + wall_text(all.p50) + "  p90 " +
         wall_text(all.p90) + "  p99 " + wall_text(all.p99) + "  max " + wall_text(all.max);
}

std::string call_text(const CallTimes& times) {
  const auto all = distribution_of(times.ms);
  std::string text = times.is_virtual ? "virtual" : "real";
  for (const auto& [name, ms] :
       std::array<std::pair<const char*, std::int64_t>, 5>{{{" time: min ", all.min},
                                                            {"  p50 ", all.p50},
                                                            {"  p90 ", all.p90},
                                                            {"  p99 ", all.p99},
                                                            {"  max ", all.max}}}) {
    text += name + std::to_string(ms) + " ms";
  }
  return text;
}

std::string rates_text(const BenchScenario& scenario) {
  std::string text = rate_text(runs_per_second(scenario)) + " runs/s, ";
  if (!scenario.calls) return text + "calls are not shown";
  const auto runs = std::ssize(scenario.wall_ns);
  const bool is_whole = *scenario.calls % runs == 0;
  return text + rate_text(calls_per_second(scenario)) + " calls/s (" +
         (is_whole ? std::to_string(*scenario.calls / runs)
                   : fixed(static_cast<double>(*scenario.calls) / static_cast<double>(runs), 1)) +
         " a run)";
}

std::string scenario_text(const BenchScenario& scenario) {
  const auto all = distribution_of(scenario.wall_ns);
  std::string text = "    run    " + distribution_text(all) + "\n";
  text += "    rate   " + rates_text(scenario) + "; deviation of a run " +
          wall_text(all.deviation) + "\n";
  if (scenario.call_times) text += "    call   " + call_text(*scenario.call_times) + "\n";
  return text;
}

std::string comparison_text(const BenchComparison& comparison, std::string_view id) {
  const auto found = std::ranges::find(comparison.scenarios, id, &ScenarioRatio::id);
  if (found == comparison.scenarios.end()) return "";
  const Ratio& ratio = found->ratio;
  std::string text = "  ratio    " + ratio_text(ratio.value);
  if (ratio.interval) {
    text += " [" + ratio_text(ratio.interval->low) + ", " + ratio_text(ratio.interval->high) + "]";
  } else {
    text += " (too few runs for an interval)";
  }
  return text + " of " + comparison.with + "\n";
}

}  // namespace

std::string wall_text(std::int64_t ns) {
  if (ns < kNsAMicrosecond) return std::to_string(ns) + " ns";
  const auto value = static_cast<double>(ns);
  if (ns < kNsAMillisecond) return fixed(value / kNsAMicrosecond, 2) + " us";
  if (value < kNsASecond) return fixed(value / kNsAMillisecond, 2) + " ms";
  return fixed(value / kNsASecond, 2) + " s";
}

std::string ratio_text(double ratio) {
  return fixed(ratio, 3);
}

std::string bench_json(const BenchRecord& record) {
  Json json{{"schema", kBenchSchema}, {"tool_version", record.tool_version}};
  json["command"] = record.command;
  json["seed"] = record.seed;
  json["warmup"] = record.warmup;
  if (record.comparison) json["comparison"] = to_json(*record.comparison);
  json["subjects"] = Json::array();
  for (const auto& subject : record.subjects) json["subjects"].push_back(to_json(subject));
  return dump_json_pretty(json) + "\n";
}

Result<BenchRecord> read_bench(std::string_view text, const std::string& path) {
  PLUMB_TRY(const auto json, parse_json(text, path));
  const auto schema = text_at(json, "schema");
  if (schema != kBenchSchema) {
    return bad_file("is no saved benchmark: schema is " +
                        (schema.empty() ? "missing" : in_quotes(schema)) + ", expected '" +
                        std::string(kBenchSchema) + "'",
                    path);
  }
  if (const auto errors = bench_schema().validate(json); !errors.empty()) {
    return bad_file(errors.front().path + ": " + errors.front().message, path);
  }
  auto record = record_from(json);
  for (const auto& subject : record.subjects) {
    if (auto checked = check_ids(subject, path); !checked) {
      return std::unexpected(std::move(checked).error());
    }
  }
  return record;
}

Result<const BenchSubject*> matching_subject(const BenchRecord& saved, const BenchRecord& measured,
                                             const std::string& path) {
  const BenchSubject& ours = measured.subjects.front();
  std::string others;
  const BenchSubject* found = nullptr;
  for (const auto& subject : saved.subjects) {
    if (found == nullptr && name_of(subject) == name_of(ours)) found = &subject;
    others += (others.empty() ? "" : " and ") + name_of(subject);
  }
  if (found == nullptr) {
    return bad_file("was measured with the subject " + others + ", not " + name_of(ours), path);
  }
  if (saved.seed != measured.seed) {
    return bad_file("was measured with seed " + std::to_string(saved.seed) + ", not " +
                        std::to_string(measured.seed),
                    path);
  }
  if (auto checked = check_scenarios(ours, *found, path); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  return found;
}

std::vector<ScenarioRatio> ratios_of_saved(const BenchSubject& measured,
                                           const BenchSubject& saved) {
  std::vector<ScenarioRatio> ratios;
  for (const auto& scenario : measured.scenarios) {
    const auto* before = find_scenario(saved, scenario.id);
    if (before == nullptr) continue;
    ratios.push_back({scenario.id, ratio_of_runs(scenario.wall_ns, before->wall_ns)});
  }
  return ratios;
}

std::vector<ScenarioRatio> ratios_of_subjects(const BenchSubject& ours,
                                              const BenchSubject& theirs) {
  std::vector<ScenarioRatio> ratios;
  for (const auto& scenario : ours.scenarios) {
    const auto* other = find_scenario(theirs, scenario.id);
    PLUMB_ASSERT(other != nullptr);
    ratios.push_back({scenario.id, ratio_of_rounds(scenario.wall_ns, other->wall_ns)});
  }
  return ratios;
}

std::string bench_text(const BenchRecord& record) {
  std::string text;
  for (const auto& first : record.subjects.front().scenarios) {
    text += first.id + "\n";
    for (const auto& subject : record.subjects) {
      const auto* scenario = find_scenario(subject, first.id);
      if (scenario != nullptr) text += "  " + subject.name + "\n" + scenario_text(*scenario);
    }
    if (record.comparison) text += comparison_text(*record.comparison, first.id);
  }
  return text;
}

}  // namespace plumb::simulator
