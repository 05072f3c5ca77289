// SPDX-License-Identifier: Apache-2.0
// A read at the beginning and near the end of 10 MB, through the tool on a real file, beside the
// floor: the bytes from the file system alone.
#include <string>

#include <benchmark/benchmark.h>

#include "bench/file_workloads.h"
#include "bench/measured.h"
#include "engine/values/sha256.h"

namespace plumb::engine {
namespace {

/// From a line to the end, or to the tool's own cap. The label is the digest of the text.
void bench_read(benchmark::State& state) {
  const LargeFile file;
  const Json arguments{{"path", file.path()}, {"offset", state.range(0)}};
  LocalTools tools;
  ToolResult result;
  for (auto _ : state) measured([&] { result = tools.call(tools.read, arguments); });
  if (result.is_error) return state.SkipWithError("the read failed");
  state.SetLabel(sha256_hex(text_of(result.content)));
  state.SetBytesProcessed(state.iterations() * std::ssize(large_text()));
}
BENCHMARK(bench_read)
    ->Name("read/tool_10MB")
    ->ArgName("line")
    ->Arg(1)
    ->Arg(kLargeLines - 499)
    ->Unit(benchmark::kMillisecond);

void bench_floor(benchmark::State& state) {
  const LargeFile file;
  for (auto _ : state) benchmark::DoNotOptimize(read_whole(file.path()));
  state.SetBytesProcessed(state.iterations() * std::ssize(large_text()));
}
BENCHMARK(bench_floor)->Name("read/floor_10MB")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plumb::engine
