// SPDX-License-Identifier: Apache-2.0
// A trace (header and append-only events) and the recorder through which engine and ports write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/trace/event.h"

namespace plumb {

inline constexpr std::string_view kTraceSchema = "plumb-trace/1";

enum class Determinism : std::uint8_t { hermetic, replayed, live };

/// What a reader must know before the first event. `emits`: the kinds that this subject can show at
/// all; a rule that needs another kind is untestable. `declares`: choices the subject makes where
/// rules leave one.
struct TraceHeader {
  std::string schema{kTraceSchema};
  std::string subject;
  std::string engine = "session";
  std::string edition = "seed";
  std::int64_t seed = 0;
  Determinism determinism = Determinism::hermetic;
  bool is_clock_virtual = true;
  std::vector<std::string> emits;
  std::map<std::string, std::string> declares;

  bool operator==(const TraceHeader&) const = default;
};

struct Trace {
  TraceHeader header;
  std::vector<Event> events;

  bool operator==(const Trace&) const = default;
};

/// Appends events to a trace with increasing seq and the time of `now_ms`. After `sever` nothing is
/// recorded any more: a crashed incarnation leaves no record. One loop.
class Recorder {
 public:
  Recorder(Trace& trace, std::function<std::int64_t()> now_ms)
      : trace_(trace), now_ms_(std::move(now_ms)) {
    trace_.events.reserve(kEventsExpected);
  }

  /// Returns the event's seq, or -1 once severed. `call` may be empty; `cause` is a seq or -1.
  std::int64_t record(Source source, Payload payload, std::string call = {},
                      std::int64_t cause = -1);

  void sever() { is_severed_ = true; }

  /// Called after each append, event by event in their order; the runner's `when` patterns listen
  /// here. At most one; not to be replaced from inside. The listener may record: its events are
  /// queued, so that it hears of them once it has returned, and it is given a copy that they leave
  /// alone.
  void listen(std::function<void(const Event&)> listener);

 private:
  /// Most traces are shorter: nothing is moved while they grow.
  static constexpr std::size_t kEventsExpected = 1024;

  void tell();

  Trace& trace_;
  std::function<std::int64_t()> now_ms_;
  std::function<void(const Event&)> listener_;
  std::size_t heard_count_ = 0;  ///< Events that the listener knows, or came before it.
  bool is_telling_ = false;
  bool is_severed_ = false;
};

}  // namespace plumb
