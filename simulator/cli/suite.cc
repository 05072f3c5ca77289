// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/suite.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/trace/jsonl.h"
#include "simulator/cli/record_builder.h"
#include "simulator/cli/report_files.h"
#include "simulator/explore/case_run.h"
#include "simulator/explore/worker_pool.h"

namespace plumb::simulator {
namespace {

std::string file_safe(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == ' ' || c == ':' || c == '<' || c == '>'; }, '-');
  return text;
}

/// One scenario under one seed: itself and its variants.
class SuiteItem {
 public:
  SuiteItem(const Scenario& scenario, std::uint64_t seed, const SuiteOptions& options,
            const Catalogue& catalogue)
      : scenario_(scenario), seed_(seed), options_(options), catalogue_(catalogue) {}

  SuiteResult play(const invariants::Catalogue& facts);

 private:
  std::string trace_path(const reports::ScenarioResult& result) const;
  std::string reproduction() const;
  void keep_trace(reports::ScenarioResult& result, const Trace& trace);

  const Scenario& scenario_;
  std::uint64_t seed_;
  const SuiteOptions& options_;
  const Catalogue& catalogue_;
  SuiteResult out_;
};

std::string SuiteItem::trace_path(const reports::ScenarioResult& result) const {
  std::string name = options_.trace_folder + "/" + result.id;
  if (!result.variant.empty()) name += "." + file_safe(result.variant);
  if (result.seed != 0) name += ".seed-" + std::to_string(result.seed);
  return name + ".jsonl";
}

std::string SuiteItem::reproduction() const {
  std::string line = "./plumb run " + scenario_.file;
  if (seed_ != 0) line += " --seed " + std::to_string(seed_);
  if (options_.schedule) {
    line += " --schedule \"";
    for (const auto pick : *options_.schedule) line += std::to_string(pick) + " ";
    line.back() = '"';
  }
  if (!options_.reproduce_with.empty()) line += " " + options_.reproduce_with;
  return line;
}

void SuiteItem::keep_trace(reports::ScenarioResult& result, const Trace& trace) {
  if (options_.trace_folder.empty()) return;
  result.trace_path = trace_path(result);
  if (auto written = write_output(result.trace_path, write_trace(trace)); !written) {
    out_.diagnostics.push_back(reports::run_error(written.error()));
  }
}

SuiteResult SuiteItem::play(const invariants::Catalogue& facts) {
  const auto subject = options_.make_subject();
  RunOptions options;
  options.schedule = options_.schedule;
  options.alterations = options_.alterations;
  std::vector<CaseRun> runs;
  for (const auto& variant : variants_of(scenario_, seed_)) {
    runs.push_back(run_case(*subject, variant, options, facts));
    auto result = scenario_result(scenario_, runs.back(), catalogue_);
    result.reproduce = reproduction();
    keep_trace(result, runs.back().result.trace);
    out_.scenarios.push_back(std::move(result));
  }
  add_relations(out_.scenarios.front(), scenario_, judge_relations(runs, facts), catalogue_);
  return std::move(out_);
}

}  // namespace

SuiteResult play_suite(std::span<const Scenario> scenarios, const SuiteOptions& options,
                       const Catalogue& catalogue) {
  const auto facts = facts_of(catalogue);
  const auto total = static_cast<std::int64_t>(scenarios.size()) * options.seed_count;
  std::vector<SuiteResult> parts(static_cast<std::size_t>(total));
  std::atomic<std::int64_t> done{0};
  for_each_index(total, options.jobs, [&](std::int64_t index) {
    const auto& scenario = scenarios[static_cast<std::size_t>(index / options.seed_count)];
    const auto seed = options.seed + static_cast<std::uint64_t>(index % options.seed_count);
    SuiteItem item(scenario, seed, options, catalogue);
    parts[static_cast<std::size_t>(index)] = item.play(facts);
    if (options.progress) options.progress(++done, total);
  });
  SuiteResult result;
  for (auto& part : parts) {
    std::ranges::move(part.scenarios, std::back_inserter(result.scenarios));
    std::ranges::move(part.diagnostics, std::back_inserter(result.diagnostics));
  }
  return result;
}

}  // namespace plumb::simulator
