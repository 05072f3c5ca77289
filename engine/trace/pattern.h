// SPDX-License-Identifier: Apache-2.0
// Event patterns: one line of text that names events of a trace. Scenarios wait on them,
// expectations count them, tampers edit what they name.
//
//   KIND [call ID] [FIELD VALUE]... [nth N]      tool_execution_start call c2
//                                                hook_call event tool_call index 1 nth 2
//
// VALUE is a bare word or a JSON string, number, list or literal; FIELD may be a dotted path into
// JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/trace/trace.h"

namespace plumb {

/// A bare word equals a string with its letters or a value that is written so (`index 1`, `is_error
/// true`).
struct FieldMatch {
  std::string path;
  std::string text;  ///< As written, quotes taken off.
  bool operator==(const FieldMatch&) const = default;
};

struct EventPattern {
  std::string kind;
  std::vector<FieldMatch> fields;
  std::int64_t nth = 1;  ///< Counts from 1 among the events that match.
  bool operator==(const EventPattern&) const = default;
};

/// Errors: invalid, for an unknown kind (with the nearest one), a field without a value, a field
/// that the kind has not, or an nth below 1.
Result<EventPattern> parse_event_pattern(std::string_view text);

/// Whether the event fits, whatever `nth` says.
bool matches(const EventPattern& pattern, const Event& event);

/// The event that a pattern names in a whole trace, or null.
const Event* find_event(const Trace& trace, const EventPattern& pattern);

/// Tells, event by event, when the nth match of a pattern comes.
class PatternCounter {
 public:
  explicit PatternCounter(EventPattern pattern) : pattern_(std::move(pattern)) {}

  /// True exactly once: at the nth event that matches.
  bool hits(const Event& event) { return matches(pattern_, event) && ++count_ == pattern_.nth; }

 private:
  EventPattern pattern_;
  std::int64_t count_ = 0;
};

}  // namespace plumb
