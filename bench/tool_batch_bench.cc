// SPDX-License-Identifier: Apache-2.0
// One answer with many calls that do nothing, from the prompt to the settled run, with the trace in
// memory: in parallel and one after the other, with and without an extension that hears of every
// call. The label is the digest of what was said.
#include <benchmark/benchmark.h>

#include "bench/measured.h"
#include "bench/run_workloads.h"

namespace plumb::simulator {
namespace {

void bench_batch(benchmark::State& state) {
  const auto variant = run_variant({.calls = state.range(0),
                                    .is_sequential = state.range(1) != 0,
                                    .has_hooks = state.range(2) != 0});
  if (!variant) return state.SkipWithError(error_line(variant.error().front()).c_str());
  SessionSubject subject;
  // Libraries that prepare themselves on first use do so now.
  RunResult result = subject.run(variant->scenario, {});
  for (auto _ : state) measured([&] { result = subject.run(variant->scenario, {}); });
  if (!result.errors.empty()) {
    return state.SkipWithError(error_line(result.errors.front()).c_str());
  }
  state.SetLabel(conversation_digest(result.trace));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(bench_batch)
    ->Name("batch")
    ->ArgNames({"calls", "sequential", "hooks"})
    ->ArgsProduct({{1, 8, 32, 128}, {0, 1}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace plumb::simulator
