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

std::map<std::string, ForgeryTally> told(std::uint64_t share) {
  return tell_forgeries(repository_suite().scenarios, repository_suite().catalogue, share);
}

TEST(Forgeries, AreNoticedUnlessTheListSaysWhyNot) {
  const auto unwatched = read_unwatched("fixtures/unwatched_forgeries.json");
  ASSERT_TRUE(unwatched) << error_line(unwatched.error());

  const auto tallies = told(kShare);

  EXPECT_GT(tallies.size(), 150U);
  for (const auto& [lie, tally] : tallies) {
    if (tally.where.empty() || unwatched->contains(lie)) continue;
    ADD_FAILURE() << "nobody notices '" << lie << "' in " << tally.where.front();
  }
  for (const auto& [lie, reason] : *unwatched) {
    const auto tally = tallies.find(lie);
    EXPECT_TRUE(tally != tallies.end() && !tally->second.where.empty())
        << "'" << lie << "' is noticed now: take it off the list";
    EXPECT_FALSE(reason.empty()) << lie;
  }
}

TEST(Forgeries, ShowWhatGoesUnnoticedWhenAsked) {
  const char* share = std::getenv("PLUMB_FORGERIES");
  if (share == nullptr) return;

  for (const auto& [lie, tally] : told(std::strtoull(share, nullptr, 10))) {
    std::cout << lie << ": " << tally.where.size() << " of " << tally.told << " go unnoticed"
              << (tally.where.empty() ? "" : ", as in " + tally.where.front()) << "\n";
  }
}

}  // namespace
}  // namespace plumb::simulator
