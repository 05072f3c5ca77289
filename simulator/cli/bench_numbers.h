// SPDX-License-Identifier: Apache-2.0
// What is said of a set of timings: their distribution, and how many times longer one set is than
// another, with an interval that asks nothing of how they are distributed. Pure; thread-safe. The
// unit is the caller's: nanoseconds of a run, milliseconds of a call.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace plumb::simulator {

/// `p50` is the median: the middle sample, or of an even number the mean of the two in the middle,
/// rounded down. `p90` and `p99` are samples: the least that so many in a hundred do not exceed.
/// `deviation` is the median of the distances from the median.
struct Distribution {
  std::int64_t count = 0;
  std::int64_t min = 0;
  std::int64_t p50 = 0;
  std::int64_t p90 = 0;
  std::int64_t p99 = 0;
  std::int64_t max = 0;
  std::int64_t deviation = 0;

  bool operator==(const Distribution&) const = default;
};

/// `samples` hold at least one; none is negative.
Distribution distribution_of(std::vector<std::int64_t> samples);

/// Both ends belong to it.
struct Interval {
  double low = 0;
  double high = 0;

  bool operator==(const Interval&) const = default;
};

/// `value`: how many times longer. `interval` holds the true value in at least 95 of 100
/// comparisons; none when there are too few samples for that.
struct Ratio {
  double value = 0;
  std::optional<Interval> interval;

  bool operator==(const Ratio&) const = default;
};

/// The greatest rank r such that the median lies outside the r-th smallest and the r-th largest of
/// `count` samples with a probability of at most `miss`; none when even the extremes are no such
/// bounds. By the signs of the distances from the median: each is a coin that falls either way.
std::optional<std::int64_t> rank_of_bound(std::int64_t count, double miss);

/// Of two sets that were measured apart: the ratio of their medians. Each median has an interval
/// of at least 97.5 %; the ratio's reaches from the one's low over the other's high to the
/// converse. Samples are positive; at least one in each.
Ratio ratio_of_runs(std::vector<std::int64_t> now, std::vector<std::int64_t> before);

/// Of two that took turns, round by round: the median of the rounds' ratios, so that what slows
/// both counts for nothing. Samples are positive; both have as many, at least one.
Ratio ratio_of_rounds(std::span<const std::int64_t> ours, std::span<const std::int64_t> theirs);

}  // namespace plumb::simulator
