// SPDX-License-Identifier: Apache-2.0
// The cost of an await, of a schedule point, and of a batch of eight tasks with five awaits each.
#include <benchmark/benchmark.h>

#include "bench/kernel_workloads.h"
#include "bench/measured.h"

namespace plumb::engine {
namespace {

constexpr std::int64_t kRepeats = 10'000;

void report_each(benchmark::State& state, std::int64_t count) {
  state.SetItemsProcessed(state.iterations() * count);
  state.counters["each"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
}

void bench_await(benchmark::State& state) {
  for (auto _ : state) {
    measured([] {
      SimLoop loop;
      benchmark::DoNotOptimize(loop.run(await_often(kRepeats)));
    });
  }
  report_each(state, kRepeats);
}
BENCHMARK(bench_await)->Name("kernel/await");

void bench_point(benchmark::State& state) {
  SimLoopOptions options;
  options.seed = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    measured([&] {
      SimLoop loop(options);
      benchmark::DoNotOptimize(loop.run(yield_often(loop, kRepeats)));
    });
  }
  report_each(state, kRepeats);
}
BENCHMARK(bench_point)->Name("kernel/point")->ArgName("seed")->Arg(0)->Arg(1);

void bench_batch(benchmark::State& state) {
  SimLoopOptions options;
  options.seed = static_cast<std::uint64_t>(state.range(0));
  options.records_steps = options.records_ready = state.range(1) != 0;
  for (auto _ : state) {
    measured([&] {
      SimLoop loop(options);
      benchmark::DoNotOptimize(loop.run(run_batch(loop, 8, 5)));
    });
  }
}
BENCHMARK(bench_batch)
    ->Name("kernel/batch_8x5")
    ->ArgNames({"seed", "records"})
    ->Args({0, 0})
    ->Args({1, 0})
    ->Args({1, 1});

}  // namespace
}  // namespace plumb::engine
