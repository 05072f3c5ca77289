// SPDX-License-Identifier: Apache-2.0
// What a trace can lie about unnoticed. Kinds of lies that some trace bears stand in
// fixtures/unwatched_forgeries.json with the reason. Here a share of the lies is told; the long run
// (forgeries_soak_test.cc) tells all.
#include "property-tests/mutants/forgeries.h"

#include <gtest/gtest.h>

#include "property-tests/repository_suite.h"

namespace plumb::simulator {
namespace {

TEST(Forgeries, AreNoticedUnlessTheListSaysWhyNot) {
  const auto& suite = repository_suite();
  const auto unwatched = read_unwatched("fixtures/unwatched_forgeries.json");
  ASSERT_TRUE(unwatched) << error_line(unwatched.error());

  const auto tallies = tell_forgeries(suite.scenarios, suite.catalogue, 16);

  EXPECT_GT(tallies.size(), 150U);
  for (const auto& [lie, tally] : tallies) {
    if (tally.where.empty() || unwatched->contains(lie)) continue;
    ADD_FAILURE() << "nobody notices '" << lie << "' in " << tally.where.front();
  }
}

}  // namespace
}  // namespace plumb::simulator
