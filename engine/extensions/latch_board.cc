// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/latch_board.h"

namespace plumb::engine {

Event& LatchBoard::find(std::string_view name) {
  auto found = latches_.find(name);
  if (found == latches_.end()) {
    auto latch = std::make_unique<Event>(loop_, "latch " + std::string(name));
    found = latches_.emplace(std::string(name), std::move(latch)).first;
  }
  return *found->second;
}

}  // namespace plumb::engine
