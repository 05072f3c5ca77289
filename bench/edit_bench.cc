// SPDX-License-Identifier: Apache-2.0
// One edit call's work on 10 MB: planning and diffs of 1, 10 and 100 edits; the whole tool on a
// real file, and beside it what the file system asks for reading and writing the same bytes.
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/file_workloads.h"
#include "bench/measured.h"
#include "engine/tools/builtin/edit_planner.h"
#include "engine/tools/builtin/line_diff.h"
#include "engine/values/sha256.h"

namespace plumb::engine {
namespace {

void set_bytes(benchmark::State& state, std::size_t size) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
}

void bench_plan(benchmark::State& state) {
  const std::string& text = large_text();
  const auto edits = spread_edits(state.range(0));
  for (auto _ : state) measured([&] { benchmark::DoNotOptimize(plan_edits(text, edits)); });
  set_bytes(state, text.size());
}
BENCHMARK(bench_plan)->Name("edit/plan_10MB")->ArgName("edits")->Arg(1)->Arg(10)->Arg(100);

void bench_describe(benchmark::State& state) {
  const auto plan = plan_edits(large_text(), spread_edits(state.range(0)));
  for (auto _ : state) {
    measured([&] { benchmark::DoNotOptimize(describe_change("f", plan.before, plan.after)); });
  }
  set_bytes(state, plan.before.size());
}
BENCHMARK(bench_describe)->Name("edit/diff_10MB")->ArgName("edits")->Arg(1)->Arg(10)->Arg(100);

Json edit_arguments(const std::string& path, std::int64_t count) {
  Json edits = Json::array();
  for (auto& edit : spread_edits(count)) {
    edits.push_back(Json{{"oldText", std::move(edit.old_text)}, {"newText", edit.new_text}});
  }
  return Json{{"path", path}, {"edits", std::move(edits)}};
}

/// The label is the digest of the file after the edits.
void bench_tool(benchmark::State& state) {
  const LargeFile file;
  const Json arguments = edit_arguments(file.path(), state.range(0));
  LocalTools tools;
  ToolResult result;
  for (auto _ : state) {
    measured([&] { result = tools.call(tools.edit, arguments); });
    state.PauseTiming();
    state.SetLabel(sha256_hex(read_whole(file.path())));
    write_whole(file.path(), large_text());
    state.ResumeTiming();
  }
  if (result.is_error) return state.SkipWithError("the edit failed");
  set_bytes(state, large_text().size());
}
BENCHMARK(bench_tool)
    ->Name("edit/tool_10MB")
    ->ArgName("edits")
    ->Arg(1)
    ->Arg(10)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);

/// The floor: the same bytes from the file and back into it.
void bench_floor(benchmark::State& state) {
  const LargeFile file;
  for (auto _ : state) write_whole(file.path(), read_whole(file.path()));
  set_bytes(state, large_text().size());
}
BENCHMARK(bench_floor)->Name("edit/floor_read_write_10MB")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plumb::engine
