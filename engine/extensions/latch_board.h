// SPDX-License-Identifier: Apache-2.0
// Named latches of one run: scripted tools and handlers, and the host's steps, set them and wait
// for them, so that a scenario orders itself without times.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/kernel/event.h"

namespace plumb::engine {

/// One loop. A latch exists from its first mention and stays set once set.
class LatchBoard final {
 public:
  explicit LatchBoard(Loop& loop) : loop_(loop) {}

  void set(std::string_view name) { find(name).set(); }
  bool is_set(std::string_view name) { return find(name).is_set(); }
  Event::Awaiter wait(std::string_view name) { return find(name).wait(); }

 private:
  Event& find(std::string_view name);

  Loop& loop_;
  std::map<std::string, std::unique_ptr<Event>, std::less<>> latches_;
};

}  // namespace plumb::engine
