// SPDX-License-Identifier: Apache-2.0
// One edit call's work on 10 MB: planning and diffs of 1, 10 and 100 edits, with and without the
// file, and beside it what the file system asks for the same bytes.
#include <cstdio>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/file_workloads.h"
#include "engine/tools/builtin/edit_planner.h"
#include "engine/tools/builtin/line_diff.h"

namespace plumb::engine {
namespace {

void set_bytes(benchmark::State& state, std::size_t size) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
}

void bench_plan(benchmark::State& state) {
  const std::string text = large_text();
  const auto edits = spread_edits(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(plan_edits(text, edits));
  set_bytes(state, text.size());
}
BENCHMARK(bench_plan)->Name("edit/plan_10MB")->ArgName("edits")->Arg(1)->Arg(10)->Arg(100);

void bench_describe(benchmark::State& state) {
  const auto plan = plan_edits(large_text(), spread_edits(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(describe_change("f", plan.before, plan.after));
  set_bytes(state, plan.before.size());
}
BENCHMARK(bench_describe)->Name("edit/diff_10MB")->ArgName("edits")->Arg(1)->Arg(10)->Arg(100);

void bench_whole(benchmark::State& state) {
  const LargeFile file;
  const auto edits = spread_edits(state.range(0));
  for (auto _ : state) {
    const auto plan = plan_edits(read_whole(file.path()), edits);
    benchmark::DoNotOptimize(describe_change("f", plan.before, plan.after));
    write_whole(file.path(), plan.bytes);
    state.PauseTiming();
    write_whole(file.path(), large_text());
    state.ResumeTiming();
  }
  set_bytes(state, large_text().size());
}
BENCHMARK(bench_whole)->Name("edit/read_plan_write_10MB")->ArgName("edits")->Arg(1)->Arg(100);

/// The floor: the same bytes to a new file, and its rename.
void bench_floor(benchmark::State& state) {
  const LargeFile file;
  const std::string text = large_text();
  const std::string temporary = file.path() + ".new";
  for (auto _ : state) {
    write_whole(temporary, text);
    if (std::rename(temporary.c_str(), file.path().c_str()) != 0) state.SkipWithError("rename");
  }
  set_bytes(state, text.size());
}
BENCHMARK(bench_floor)->Name("edit/floor_write_rename_10MB");

}  // namespace
}  // namespace plumb::engine
