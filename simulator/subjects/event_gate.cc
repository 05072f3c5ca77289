// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/event_gate.h"

#include <utility>

#include "engine/kernel/task.h"

namespace plumb::simulator {

TraceGate::Watched& TraceGate::find(const std::string& pattern) {
  auto& watched = watched_[pattern];
  if (watched != nullptr) return *watched;
  auto parsed = parse_event_pattern(pattern);
  PLUMB_ASSERT(parsed.has_value());  // the loader has read it
  watched = std::make_unique<Watched>(*std::move(parsed), loop_, pattern);
  for (const auto& event : trace_.events) {
    if (watched->counter.hits(event)) watched->happened.set();
  }
  return *watched;
}

engine::Task<void> TraceGate::wait(Trigger trigger) {
  Watched& watched = find(trigger.text);
  co_await watched.happened.wait();
}

engine::Event& TraceGate::opened_at(const Trigger& trigger) {
  return find(trigger.text).happened;
}

void TraceGate::see(const Event& event) {
  for (auto& [pattern, watched] : watched_) {
    if (watched->counter.hits(event)) watched->happened.set();
  }
}

}  // namespace plumb::simulator
