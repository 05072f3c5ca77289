// SPDX-License-Identifier: Apache-2.0
// The schema of saved benchmarks (reports/bench.schema.json), built in.
#pragma once

#include "engine/values/json_schema.h"

namespace plumb::simulator {

const JsonSchema& bench_schema();

}  // namespace plumb::simulator
