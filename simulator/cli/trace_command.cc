// SPDX-License-Identifier: Apache-2.0
// plumb trace normalise: what two live runs have in common, to be compared byte by byte.
#include <utility>

#include "engine/trace/jsonl.h"
#include "engine/trace/normal_form.h"
#include "simulator/cli/inputs.h"
#include "simulator/cli/options.h"
#include "simulator/cli/terminal_io.h"

namespace plumb::simulator {
namespace {

Result<Trace> read_normalised(const std::string& file) {
  PLUMB_TRY(const auto text, read_text_file(file));
  PLUMB_TRY(const auto trace, read_trace(text, file));
  auto normal = normal_form(trace);
  if (normal) return normal;
  Error error = std::move(normal).error();
  if (error.where.empty()) error.where = file;
  return std::unexpected(std::move(error));
}

}  // namespace

int trace_command(const TraceCommand& command) {
  const auto trace = read_normalised(command.file);
  if (!trace) {
    print_errors({trace.error()});
    return kExitInput;
  }
  print_out(write_trace(*trace));
  return kExitOk;
}

}  // namespace plumb::simulator
