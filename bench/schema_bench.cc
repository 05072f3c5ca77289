// SPDX-License-Identifier: Apache-2.0
// A typical tool schema: compiled, and asked about arguments that fit and that do not.
#include <benchmark/benchmark.h>

#include "bench/measured.h"
#include "engine/values/json_schema.h"

namespace plumb {
namespace {

/// An edit tool's: a list of objects, a choice of literals as TypeBox writes it, a bound.
const char* const kTypicalSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1},
    "edits": {
      "type": "array",
      "minItems": 1,
      "items": {
        "type": "object",
        "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}},
        "required": ["oldText", "newText"],
        "additionalProperties": false
      }
    },
    "mode": {
      "anyOf": [{"type": "string", "const": "strict"}, {"type": "string", "const": "fuzzy"}]
    },
    "timeout": {"type": "number", "exclusiveMinimum": 0}
  },
  "required": ["path", "edits"],
  "additionalProperties": false
})";

const char* const kFitting = R"({
  "path": "src/a.cc",
  "edits": [{"oldText": "one", "newText": "two"}, {"oldText": "three", "newText": "four"}],
  "mode": "fuzzy",
  "timeout": 1.5
})";

/// A missing text, an unknown member, a literal that is not offered, a bound that is not kept.
const char* const kUnfitting = R"({
  "path": "src/a.cc",
  "edits": [{"oldText": "one"}, {"oldText": "three", "newText": "four", "all": true}],
  "mode": "loose",
  "timeout": 0
})";

void bench_compile(benchmark::State& state) {
  const Json schema = parse_json(kTypicalSchema).value();
  for (auto _ : state) measured([&] { benchmark::DoNotOptimize(compile_schema(schema)); });
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bench_compile)->Name("schema/compile");

void bench_fitting(benchmark::State& state) {
  const JsonSchema schema = compile_schema(parse_json(kTypicalSchema).value()).value();
  const Json value = parse_json(kFitting).value();
  bool fits = false;
  for (auto _ : state) measured([&] { fits = schema.accepts(value); });
  if (!fits) return state.SkipWithError("what fits is refused");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bench_fitting)->Name("schema/fitting");

void bench_unfitting(benchmark::State& state) {
  const JsonSchema schema = compile_schema(parse_json(kTypicalSchema).value()).value();
  const Json value = parse_json(kUnfitting).value();
  std::vector<SchemaError> errors;
  for (auto _ : state) measured([&] { errors = schema.validate(value); });
  if (errors.size() < 4) return state.SkipWithError("what does not fit is not said");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bench_unfitting)->Name("schema/unfitting");

}  // namespace
}  // namespace plumb
