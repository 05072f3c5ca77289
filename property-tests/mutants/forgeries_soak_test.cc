// SPDX-License-Identifier: Apache-2.0
// Every lie of every scenario: the list of those that nobody notices is exact, so that it can only
// shrink. With PLUMB_FORGERIES=FILE the tally is written there.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "property-tests/mutants/forgeries.h"
#include "property-tests/repository_suite.h"

namespace plumb::simulator {
namespace {

using Tallies = std::map<std::string, ForgeryTally>;

void show(const Tallies& tallies) {
  if (std::getenv("PLUMB_FORGERIES") == nullptr) return;
  std::ofstream out(std::getenv("PLUMB_FORGERIES"));
  for (const auto& [lie, tally] : tallies) {
    out << lie << "\t" << tally.told << "\t" << tally.where.size();
    for (const auto& scenario : tally.where) out << "\t" << scenario;
    out << "\n";
  }
}

TEST(AllForgeries, AreNoticedOrListedWithAReason) {
  const auto& suite = repository_suite();
  const auto unwatched = read_unwatched("fixtures/unwatched_forgeries.json");
  ASSERT_TRUE(unwatched) << error_line(unwatched.error());

  const auto tallies = tell_forgeries(suite.scenarios, suite.catalogue, 1);

  show(tallies);
  for (const auto& [lie, tally] : tallies) {
    const bool is_listed = unwatched->contains(lie);
    EXPECT_EQ(!tally.where.empty(), is_listed)
        << "'" << lie << "' is " << (is_listed ? "noticed everywhere, but" : "not")
        << " listed: " << tally.where.size() << " of " << tally.told << " go unnoticed";
  }
  for (const auto& [lie, reason] : *unwatched) {
    EXPECT_TRUE(tallies.contains(lie)) << "no trace can tell the listed lie '" << lie << "'";
    EXPECT_FALSE(reason.empty()) << lie;
  }
}

}  // namespace
}  // namespace plumb::simulator
