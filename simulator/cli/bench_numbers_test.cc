// SPDX-License-Identifier: Apache-2.0
// Expected values are worked out by hand; those of ranks stand in any table of the sign test.
#include "simulator/cli/bench_numbers.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "simulator/cli/whole_number.h"

namespace plumb::simulator {
namespace {

std::vector<std::int64_t> numbers(std::int64_t first, std::int64_t count, std::int64_t step = 1) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(first + i * step);
  return values;
}

TEST(Distribution, OfOneSampleIsThatSample) {
  EXPECT_EQ(distribution_of({7}), (Distribution{1, 7, 7, 7, 7, 7, 0}));
}

TEST(Distribution, TakesTheMiddleOfAnOddNumberInAnyOrder) {
  // Distances from 5: 0, 2, 2, 4, 4.
  EXPECT_EQ(distribution_of({5, 1, 9, 3, 7}), (Distribution{5, 1, 5, 9, 9, 9, 2}));
}

TEST(Distribution, TakesTheMeanOfTheMiddleTwoOfAnEvenNumber) {
  // (20 + 31) / 2, rounded down; distances from 25: 5, 6, 15, 16.
  EXPECT_EQ(distribution_of({41, 10, 31, 20}), (Distribution{4, 10, 25, 41, 41, 41, 10}));
}

TEST(Distribution, CountsPercentilesByRank) {
  // Distances from 50: 0, twice 1 to 49, once 50; the two in the middle are 25.
  EXPECT_EQ(distribution_of(numbers(1, 100)), (Distribution{100, 1, 50, 90, 99, 100, 25}));
  // 90 in a hundred of eleven are 9.9: ten of them.
  EXPECT_EQ(distribution_of(numbers(1, 11)).p90, 10);
}

TEST(Distribution, HoldsTheLargestTimes) {
  const std::int64_t most = 1'000'000'000'000'000;

  EXPECT_EQ(distribution_of({most, most}), (Distribution{2, most, most, most, most, most, 0}));
}

TEST(RankOfBound, IsThatOfTheSignTest) {
  EXPECT_EQ(rank_of_bound(1, 0.05), std::nullopt);
  EXPECT_EQ(rank_of_bound(5, 0.05), std::nullopt);  // 2 / 32
  EXPECT_EQ(rank_of_bound(6, 0.05), 1);             // 2 / 64
  EXPECT_EQ(rank_of_bound(10, 0.05), 2);            // 2 * (1 + 10) / 1024
  EXPECT_EQ(rank_of_bound(20, 0.05), 6);
  EXPECT_EQ(rank_of_bound(100, 0.05), 40);
  EXPECT_EQ(rank_of_bound(6, 0.025), std::nullopt);  // 2 / 64
  EXPECT_EQ(rank_of_bound(7, 0.025), 1);             // 2 / 128
  EXPECT_EQ(rank_of_bound(10, 0.025), 2);
}

TEST(RankOfBound, ComesNearTheNormalOneWhereThereAreMany) {
  const auto rank = rank_of_bound(100'000, 0.05);

  ASSERT_TRUE(rank);
  // 50,000 less 1.96 of the 158.1 that is the deviation.
  EXPECT_NEAR(static_cast<double>(*rank), 49'690, 1);
}

TEST(RatioOfRuns, IsThatOfTheMedians) {
  // Medians 119 and 54; the second and the ninth of ten are 112 and 126, 51 and 58.
  const auto ratio = ratio_of_runs(numbers(110, 10, 2), numbers(50, 10));

  EXPECT_EQ(ratio, (Ratio{119.0 / 54, Interval{112.0 / 58, 126.0 / 51}}));
}

TEST(RatioOfRuns, HasNoIntervalOfFewRuns) {
  EXPECT_EQ(ratio_of_runs({3}, {2}), (Ratio{1.5, std::nullopt}));
  EXPECT_EQ(ratio_of_runs(numbers(2, 10), {6, 6, 6, 6, 6, 6}), (Ratio{1, std::nullopt}));
}

TEST(RatioOfRounds, IsTheMedianOfTheRounds) {
  const std::vector<std::int64_t> tens(6, 10);

  EXPECT_EQ(ratio_of_rounds(numbers(10, 6, 10), tens), (Ratio{3.5, Interval{1, 6}}));
}

TEST(RatioOfRounds, DoesNotHearOfWhatSlowsBoth) {
  const std::vector<std::int64_t> ours{2, 200, 6};
  const std::vector<std::int64_t> theirs{1, 100, 3};

  EXPECT_EQ(ratio_of_rounds(ours, theirs), (Ratio{2, std::nullopt}));
}

TEST(DecimalNumber, ReadsDigitsAndOnePoint) {
  EXPECT_EQ(decimal_number("2"), 2);
  EXPECT_EQ(decimal_number("1.25"), 1.25);
  EXPECT_EQ(decimal_number("0.5"), 0.5);
  for (const std::string text :
       {"", ".", ".5", "1.", "1.2.3", "+1", "-1", "1e3", "0x1", "inf", "nan", " 1", "1 ", "1,5"}) {
    EXPECT_EQ(decimal_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace plumb::simulator
