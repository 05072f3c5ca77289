// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/event_gate.h"

#include <utility>

#include "engine/kernel/task.h"

namespace plumb::simulator {

engine::Task<void> TraceGate::wait(Trigger trigger) {
  auto pattern = parse_event_pattern(trigger.text);
  PLUMB_ASSERT(pattern.has_value());  // the loader has read it
  PatternCounter counter(*std::move(pattern));
  for (const auto& event : trace_.events) {
    if (counter.hits(event)) co_return;
  }
  waiting_.push_back(std::make_unique<Waiting>(std::move(counter), loop_, trigger.text));
  Waiting& mine = *waiting_.back();
  co_await mine.opened.wait();
}

void TraceGate::see(const Event& event) {
  for (auto& one : waiting_) {
    if (one->counter.hits(event)) one->opened.set();
  }
}

}  // namespace plumb::simulator
