// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/bench_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "engine/kernel/result.h"

namespace plumb::simulator {
namespace {

constexpr double kMiss = 0.05;

/// `sorted` is not empty.
std::int64_t median_of(const std::vector<std::int64_t>& sorted) {
  const auto middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
}

/// The least sample that `percent` of a hundred do not exceed.
std::int64_t percentile_of(const std::vector<std::int64_t>& sorted, std::size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

template <class T>
std::pair<T, T> bounds_of(const std::vector<T>& sorted, std::int64_t rank) {
  const auto left_out = static_cast<std::size_t>(rank - 1);
  return {sorted[left_out], sorted[sorted.size() - 1 - left_out]};
}

double quotient(std::int64_t above, std::int64_t below) {
  return static_cast<double>(above) / static_cast<double>(below);
}

}  // namespace

Distribution distribution_of(std::vector<std::int64_t> samples) {
  PLUMB_ASSERT(!samples.empty());
  std::ranges::sort(samples);
  Distribution result;
  result.count = std::ssize(samples);
  result.min = samples.front();
  result.p50 = median_of(samples);
  result.p90 = percentile_of(samples, 90);
  result.p99 = percentile_of(samples, 99);
  result.max = samples.back();
  for (auto& sample : samples) sample = std::abs(sample - result.p50);
  std::ranges::sort(samples);
  result.deviation = median_of(samples);
  return result;
}

std::optional<std::int64_t> rank_of_bound(std::int64_t count, double miss) {
  // Logarithms, for 2 to the power of -count is no number any more where there are many.
  double log_term = -static_cast<double>(count) * std::log(2.0);
  double tail = std::exp(log_term);
  std::int64_t rank = 0;
  while (rank < count / 2 && 2 * tail <= miss) {
    ++rank;
    log_term += std::log(quotient(count - rank + 1, rank));
    tail += std::exp(log_term);
  }
  if (rank == 0) return std::nullopt;
  return rank;
}

Ratio ratio_of_runs(std::vector<std::int64_t> now, std::vector<std::int64_t> before) {
  PLUMB_ASSERT(!now.empty());
  PLUMB_ASSERT(!before.empty());
  std::ranges::sort(now);
  std::ranges::sort(before);
  Ratio ratio{quotient(median_of(now), median_of(before)), std::nullopt};
  const auto rank_now = rank_of_bound(std::ssize(now), kMiss / 2);
  const auto rank_before = rank_of_bound(std::ssize(before), kMiss / 2);
  if (!rank_now || !rank_before) return ratio;
  const auto [low_now, high_now] = bounds_of(now, *rank_now);
  const auto [low_before, high_before] = bounds_of(before, *rank_before);
  ratio.interval = Interval{quotient(low_now, high_before), quotient(high_now, low_before)};
  return ratio;
}

Ratio ratio_of_rounds(std::span<const std::int64_t> ours, std::span<const std::int64_t> theirs) {
  PLUMB_ASSERT(!ours.empty());
  PLUMB_ASSERT(ours.size() == theirs.size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(quotient(ours[i], theirs[i]));
  std::ranges::sort(ratios);
  const auto [below, above] = bounds_of(ratios, (std::ssize(ratios) + 1) / 2);
  Ratio ratio{(below + above) / 2, std::nullopt};
  const auto rank = rank_of_bound(std::ssize(ratios), kMiss);
  if (!rank) return ratio;
  const auto [low, high] = bounds_of(ratios, *rank);
  ratio.interval = Interval{low, high};
  return ratio;
}

}  // namespace plumb::simulator
