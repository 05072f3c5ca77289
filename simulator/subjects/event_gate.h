// SPDX-License-Identifier: Apache-2.0
// Lets the scripted model wait for an event of the run (`until` of a reply).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/kernel/event.h"
#include "engine/trace/pattern.h"
#include "simulator/llm/scripted_provider.h"

namespace plumb::simulator {

/// Sees every event of the run, in order. One loop.
class TraceGate final : public EventGate {
 public:
  TraceGate(engine::Loop& loop, const Trace& trace) : loop_(loop), trace_(trace) {}

  engine::Task<void> wait(Trigger trigger) override;
  /// What is set at the event. To be asked for before the run begins; lives as long as the gate.
  engine::Event& opened_at(const Trigger& trigger);
  void see(const Event& event);
  bool is_watching() const { return !watched_.empty(); }
  /// Watches for a pattern, which the loader has read; what has happened already counts.
  void watch(const std::string& pattern) { find(pattern); }

 private:
  struct Watched {
    Watched(EventPattern pattern, engine::Loop& loop, std::string name)
        : counter(std::move(pattern)), happened(loop, std::move(name)) {}
    PatternCounter counter;
    engine::Event happened;
  };
  Watched& find(const std::string& pattern);

  engine::Loop& loop_;
  const Trace& trace_;
  std::map<std::string, std::unique_ptr<Watched>> watched_;
};

}  // namespace plumb::simulator
