// SPDX-License-Identifier: Apache-2.0
// The JSON form of events, made from each payload's field list, and access to a field by its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/kernel/result.h"
#include "engine/trace/trace.h"

namespace plumb {

std::string_view to_string(Source source);
std::string_view to_string(Zone zone);
std::string_view to_string(Determinism determinism);

/// One line of a trace: seq, at, src, kind, call?, cause?, then the payload's fields. Empty
/// strings, empty lists and null values are left out, unless the schema requires them; numbers and
/// booleans are always there.
Json to_json(const Event& event);

/// An event of which only what matters need be said: what is not there keeps its default. Errors:
/// invalid, for an unknown kind or member (with the nearest known name), a wrong type or a missing
/// seq, at, src or kind. `where` is left empty.
Result<Event> parse_event(const Json& json);

/// Reads what `to_json` writes. Errors: as `parse_event`; for a member too that the schema requires
/// and that is not there.
Result<Event> parse_whole_event(const Json& json);

Json to_json(const TraceHeader& header);

/// Errors: invalid, for another schema version than kTraceSchema too.
Result<TraceHeader> parse_header(const Json& json);

/// The value of a field by its name in the JSON form ("call", "name", "args.path",
/// "result.content.0.text"); nothing if the event has no such field or the path leads nowhere.
std::optional<Json> field_of(const Event& event, std::string_view path);

/// JSON Schema (2020-12) of one line: generated from the field lists, kept in
/// engine/trace/trace.schema.json by a test.
Json trace_schema();

}  // namespace plumb
