// SPDX-License-Identifier: Apache-2.0
// What a trace can lie about unnoticed: a share of all lies is told. Kinds of lies that some trace
// bears stand in fixtures/unwatched_forgeries.json with the reason; the list is exact, so that it
// can only shrink. With PLUMB_FORGERIES=N each lie is told in one of N scenarios, and what goes
// unnoticed is only shown.
#include "property-tests/mutants/forgeries.h"

#include <cstdlib>
#include <iostream>

#include <gtest/gtest.h>

#include "property-tests/repository_suite.h"

namespace plumb::simulator {
namespace {

constexpr std::uint64_t kShare = 16;
constexpr std::uint64_t kShareOfMoves = 1;

std::map<std::string, ForgeryTally> told(const ForgeryShare& share) {
  return tell_forgeries(repository_suite().scenarios, repository_suite().catalogue, share);
}

bool is_move(const std::string& lie) {
  return lie.contains(" past ");
}

/// `are_moves`: which part of the list it is about.
void expect_listed(const std::map<std::string, ForgeryTally>& tallies, bool are_moves) {
  const auto unwatched = read_unwatched("fixtures/unwatched_forgeries.json");
  ASSERT_TRUE(unwatched) << error_line(unwatched.error());

  for (const auto& [lie, tally] : tallies) {
    if (tally.where.empty() || unwatched->contains(lie)) continue;
    ADD_FAILURE() << "nobody notices '" << lie << "' in " << tally.where.front();
  }
  for (const auto& [lie, reason] : *unwatched) {
    if (is_move(lie) != are_moves) continue;
    const auto tally = tallies.find(lie);
    EXPECT_TRUE(tally != tallies.end() && !tally->second.where.empty())
        << "'" << lie << "' is noticed now: take it off the list";
    EXPECT_FALSE(reason.empty()) << lie;
  }
}

TEST(Forgeries, AreNoticedUnlessTheListSaysWhyNot) {
  const auto tallies = told({.of = kShare});

  EXPECT_GT(tallies.size(), 150U);
  expect_listed(tallies, false);
}

TEST(Forgeries, EventsOfACallAreMissedWhereTheyBelong) {
  const auto tallies = told({.of = kShareOfMoves, .forge = moves_of, .stops_at_one = true});

  EXPECT_GT(tallies.size(), 150U);
  expect_listed(tallies, true);
}

TEST(Forgeries, ShowWhatGoesUnnoticedWhenAsked) {
  const char* share = std::getenv("PLUMB_FORGERIES");
  if (share == nullptr) return;

  for (const auto forge : {forgeries_of, moves_of}) {
    for (const auto& [lie, tally] :
         told({.of = std::strtoull(share, nullptr, 10), .forge = forge})) {
      std::cout << lie << ": " << tally.where.size() << " of " << tally.told << " go unnoticed"
                << (tally.where.empty() ? "" : ", as in " + tally.where.front()) << "\n";
    }
  }
}

}  // namespace
}  // namespace plumb::simulator
