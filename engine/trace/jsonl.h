// SPDX-License-Identifier: Apache-2.0
// Traces as text: JSON Lines, the header on the first line, one event on each other line.
#pragma once

#include <string>
#include <string_view>

#include "engine/kernel/result.h"
#include "engine/trace/trace.h"

namespace plumb {

/// Ends with a line break. Equal traces give equal bytes.
std::string write_trace(const Trace& trace);

/// Reads a whole trace; an event's seq must be its place (from 0). `file` names it in errors.
/// Errors: invalid, with `where` as file:line:col: no header, another schema version, a line that
/// is no event, a gap in seq, a last line that is cut short.
Result<Trace> read_trace(std::string_view text, std::string_view file);

}  // namespace plumb
