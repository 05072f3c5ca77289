// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/renumber.h"

#include <cstdint>
#include <map>
#include <utility>

namespace plumb {

void renumber(std::vector<Event>& events) {
  std::map<std::int64_t, std::int64_t> places;
  for (std::size_t i = 0; i < events.size(); ++i) {
    places.emplace(events[i].seq, static_cast<std::int64_t>(i));
  }
  const auto place_of = [&places](std::int64_t seq) {
    const auto found = places.find(seq);
    return found == places.end() ? std::int64_t{-1} : found->second;
  };
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i].seq = static_cast<std::int64_t>(i);
    events[i].cause = place_of(events[i].cause);
    if (const auto* request = events[i].as<ProviderRequest>()) {
      auto renumbered = *request;
      renumbered.base = place_of(request->base);
      events[i].payload = Payload(std::move(renumbered));
    }
  }
}

}  // namespace plumb
