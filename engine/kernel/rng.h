// SPDX-License-Identifier: Apache-2.0
// Seeded random numbers, the same on every machine: xoshiro256** filled by splitmix64.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "engine/kernel/result.h"

namespace plumb::engine {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) {
    for (auto& word : state_) word = split_mix(seed);
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound). `bound` is positive.
  std::int64_t below(std::int64_t bound) {
    PLUMB_ASSERT(bound > 0);
    const auto range = static_cast<std::uint64_t>(bound);
    // The first values are drawn again: what is left is a multiple of the range.
    const std::uint64_t refused = (std::numeric_limits<std::uint64_t>::max() - range + 1) % range;
    std::uint64_t value = next();
    while (value < refused) value = next();
    return static_cast<std::int64_t>(value % range);
  }
  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool chance(std::int64_t of, std::int64_t out_of) { return below(out_of) < of; }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1],
                values[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    }
  }
  /// An independent stream for a purpose of its own; this stream moves by one number.
  Rng fork() { return Rng(next()); }

 private:
  static std::uint64_t split_mix(std::uint64_t& state) {
    state += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace plumb::engine
