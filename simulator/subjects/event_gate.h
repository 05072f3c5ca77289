// SPDX-License-Identifier: Apache-2.0
// Lets the scripted model wait for an event of the run (`until` of a reply).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel/event.h"
#include "engine/trace/pattern.h"
#include "simulator/llm/scripted_provider.h"

namespace plumb::simulator {

/// Sees every event of the run, in order. One loop.
class TraceGate final : public EventGate {
 public:
  TraceGate(engine::Loop& loop, const Trace& trace) : loop_(loop), trace_(trace) {}

  engine::Task<void> wait(Trigger trigger) override;
  void see(const Event& event);

 private:
  struct Waiting {
    Waiting(PatternCounter pattern, engine::Loop& loop, std::string name)
        : counter(std::move(pattern)), opened(loop, std::move(name)) {}
    PatternCounter counter;
    engine::Event opened;
  };

  engine::Loop& loop_;
  const Trace& trace_;
  std::vector<std::unique_ptr<Waiting>> waiting_;
};

}  // namespace plumb::simulator
