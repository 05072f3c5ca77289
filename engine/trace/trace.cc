// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trace.h"

namespace plumb {

std::int64_t Recorder::record(Source source, Payload payload, std::string call,
                              std::int64_t cause) {
  if (is_severed_) return -1;
  const auto seq = static_cast<std::int64_t>(trace_.events.size());
  trace_.events.push_back(Event{.seq = seq,
                                .at = now_ms_(),
                                .source = source,
                                .call = std::move(call),
                                .cause = cause,
                                .payload = std::move(payload)});
  if (listener_) listener_(trace_.events.back());
  return seq;
}

}  // namespace plumb
