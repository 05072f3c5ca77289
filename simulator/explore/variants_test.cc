// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/variants.h"

#include <set>

#include <gtest/gtest.h>

#include "simulator/explore/worker_pool.h"

namespace plumb::simulator {
namespace {

Scenario with_edits(std::int64_t count) {
  CallScript call;
  call.tool = "edit";
  call.args = Json{{"path", "a.txt"}, {"edits", Json::array()}};
  for (std::int64_t i = 0; i < count; ++i) call.args["edits"].push_back(Json{{"n", i}});
  ModelStep model;
  model.calls.push_back(std::move(call));
  Scenario scenario;
  scenario.steps.push_back(Step{model, {}});
  scenario.variants = Variants{};
  scenario.variants->permute = "edits";
  return scenario;
}

std::string edits_of(const Scenario& scenario) {
  return dump_json(
      std::get<ModelStep>(scenario.steps.front().action).calls.front().args.at("edits"));
}

TEST(Variants, TriesEveryOrderOfTheEditsOnce) {  // EDIT-04
  std::set<std::string> orders;
  for (const auto& variant : variants_of(with_edits(3), 0))
    orders.insert(edits_of(variant.scenario));

  EXPECT_EQ(variants_of(with_edits(3), 0).size(), 6U);
  EXPECT_EQ(orders.size(), 6U);
}

TEST(Variants, StopsAtTheLimit) {
  EXPECT_EQ(static_cast<std::int64_t>(variants_of(with_edits(6), 0).size()), kPermutationsMax);
}

TEST(Variants, PutsTheScenarioItselfFirst) {
  auto scenario = with_edits(1);
  scenario.variants->seeds = {3, 4};

  const auto variants = variants_of(scenario, 7);

  ASSERT_EQ(variants.size(), 3U);
  EXPECT_EQ(variants[0].name, "");
  EXPECT_EQ(variants[0].seed, 7U);
  EXPECT_EQ(variants[1].name, "seed: 3");
}

TEST(WorkerPool, CallsEachIndexOnce) {
  std::vector<int> calls(100, 0);

  for_each_index(100, 4, [&calls](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });

  EXPECT_EQ(calls, std::vector<int>(100, 1));
}

}  // namespace
}  // namespace plumb::simulator
