// SPDX-License-Identifier: Apache-2.0
// Traces as text: JSON Lines. The header is the first line, then comes one event a line; the last
// line, {"end":true,"events":N}, says that nothing was cut off.
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
/// is no event, a gap in seq, time that runs backwards, a kind that the header's `emits` lacks, no
/// line that ends the trace, or something behind it.
Result<Trace> read_trace(std::string_view text, std::string_view file);

}  // namespace plumb
