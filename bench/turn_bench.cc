// SPDX-License-Identifier: Apache-2.0
// Turns with one call that does nothing, from the prompt to the settled run, with the trace in
// memory; judged by all checks, and played only. The label is the digest of what was said.
#include <benchmark/benchmark.h>

#include "bench/measured.h"
#include "bench/run_workloads.h"

namespace plumb::simulator {
namespace {

void report_turns(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void bench_judged(benchmark::State& state) {
  const auto variant = run_variant({.turns = state.range(0)});
  if (!variant) return state.SkipWithError(error_line(variant.error().front()).c_str());
  const auto facts = facts_of(bench_catalogue());
  SessionSubject subject;
  // Libraries that prepare themselves on first use do so now.
  CaseRun run = run_case(subject, *variant, {}, facts);
  for (auto _ : state) measured([&] { run = run_case(subject, *variant, {}, facts); });
  if (const auto reason = reason_against(run); !reason.empty()) {
    return state.SkipWithError(reason.c_str());
  }
  state.SetLabel(conversation_digest(run.result.trace));
  report_turns(state);
}
BENCHMARK(bench_judged)
    ->Name("turn/judged")
    ->ArgName("turns")
    ->Arg(1)
    ->Arg(100)
    ->Unit(benchmark::kMicrosecond);

void bench_played(benchmark::State& state) {
  const auto variant = run_variant({.turns = state.range(0)});
  if (!variant) return state.SkipWithError(error_line(variant.error().front()).c_str());
  SessionSubject subject;
  RunResult result = subject.run(variant->scenario, {});
  for (auto _ : state) measured([&] { result = subject.run(variant->scenario, {}); });
  if (!result.errors.empty()) {
    return state.SkipWithError(error_line(result.errors.front()).c_str());
  }
  state.SetLabel(conversation_digest(result.trace));
  report_turns(state);
}
BENCHMARK(bench_played)
    ->Name("turn/played")
    ->ArgName("turns")
    ->Arg(1)
    ->Arg(100)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace plumb::simulator
