// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/priority_picker.h"

#include <algorithm>

namespace plumb::simulator {

PriorityPicker::PriorityPicker(std::uint64_t seed, std::int64_t change_count,
                               std::int64_t step_count)
    : rng_(seed) {
  const std::int64_t span = std::max<std::int64_t>(step_count, 1);
  for (std::int64_t i = 0; i < change_count; ++i) changes_.insert(rng_.below(span));
}

std::int64_t& PriorityPicker::priority(const std::string& path) {
  const auto [found, is_new] = priorities_.try_emplace(path, 0);
  if (is_new) found->second = rng_.between(1, 1'000'000'000);
  return found->second;
}

std::int64_t PriorityPicker::highest(std::span<engine::Waiter* const> ready) {
  const auto best = std::ranges::max_element(
      ready, {}, [this](const engine::Waiter* one) { return priority(one->fiber().path); });
  return best - ready.begin();
}

std::int64_t PriorityPicker::pick(std::span<engine::Waiter* const> ready) {
  std::int64_t picked = highest(ready);
  if (changes_.contains(step_++)) {
    priority(ready[static_cast<std::size_t>(picked)]->fiber().path) = --lowest_;
    picked = highest(ready);
  }
  return picked;
}

}  // namespace plumb::simulator
