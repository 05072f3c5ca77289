// SPDX-License-Identifier: Apache-2.0
// A read near the beginning and near the end of 10 MB, through the tool on real files, beside the
// floor: the bytes from the file system alone.
#include <memory>
#include <string>
#include <utility>

#include <benchmark/benchmark.h>

#include "bench/file_workloads.h"
#include "engine/kernel/sim_loop.h"
#include "engine/tools/builtin/read.h"

namespace plumb::engine {
namespace {

Task<void> read_once(ToolDefinition& tool, std::string path, std::int64_t offset) {
  auto params = std::make_shared<Json>(Json{{"path", std::move(path)}, {"offset", offset}});
  ToolCall call("c1", "read", std::move(params));
  const ToolResult result = co_await tool.execute(std::move(call));
  benchmark::DoNotOptimize(result.is_error);
}

void bench_read(benchmark::State& state) {
  const LargeFile file;
  const std::string text = large_text();
  const std::int64_t lines = kLargeLines;
  const std::int64_t offset = lines * state.range(0) / 100 + 1;
  FileOperations operations;
  operations.check_read = [](std::string) -> Task<Result<void>> { co_return Result<void>(); };
  operations.read_file = [](std::string path) -> Task<Result<std::string>> {
    co_return read_whole(path);
  };
  operations.is_local = true;
  ToolDefinition tool = read_tool({operations, "/", ""});
  for (auto _ : state) {
    SimLoop loop;
    benchmark::DoNotOptimize(loop.run(read_once(tool, file.path(), offset)));
  }
  state.SetBytesProcessed(state.iterations() * std::ssize(text));
}
BENCHMARK(bench_read)->Name("read/10MB")->ArgName("percent")->Arg(0)->Arg(99);

void bench_floor(benchmark::State& state) {
  const LargeFile file;
  for (auto _ : state) benchmark::DoNotOptimize(read_whole(file.path()));
  state.SetBytesProcessed(state.iterations() * std::ssize(large_text()));
}
BENCHMARK(bench_floor)->Name("read/floor_10MB");

}  // namespace
}  // namespace plumb::engine
