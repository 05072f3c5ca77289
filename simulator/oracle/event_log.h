// SPDX-License-Identifier: Apache-2.0
// The events of a row in their order: NAME:start, NAME:read:end, NAME:settled. Disturbances wait
// for them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/event.h"

namespace plumb::simulator {

/// One loop.
class EventLog final {
 public:
  explicit EventLog(engine::Loop& loop) : loop_(loop) {}

  /// Adds an event and tells who waits for it.
  void add(const std::string& event);
  /// Calls `act` when `event` happens first, inside `add`; never when it has happened.
  void on(const std::string& event, std::function<void()> act);
  /// Set once `event` has happened. Lives as long as the log.
  engine::Event& happened(const std::string& event);

  const std::vector<std::string>& events() const { return events_; }
  /// Those whose kind (the word after the name) is one of `kinds`.
  std::vector<std::string> of_kinds(const std::vector<std::string>& kinds) const;
  /// The place of the first `event`, or -1.
  std::int64_t first(std::string_view event) const;

 private:
  engine::Loop& loop_;
  std::vector<std::string> events_;
  std::map<std::string, std::vector<std::function<void()>>> listeners_;
  std::map<std::string, std::unique_ptr<engine::Event>> waited_;
};

}  // namespace plumb::simulator
