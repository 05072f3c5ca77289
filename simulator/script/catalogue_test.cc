// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/catalogue.h"

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

Catalogue loaded_catalogue() {
  auto loaded = load_catalogue("scenarios/rules");
  EXPECT_TRUE(loaded) << error_line(loaded.error().front());
  return loaded ? *std::move(loaded) : Catalogue();
}

TEST(Catalogue, HoldsTheRulesOfAllDomains) {
  const Catalogue catalogue = loaded_catalogue();

  EXPECT_EQ(catalogue.rules().size(), 1327U);
  for (const char* id : {"EDIT-11", "APPR-01", "CACHE-01", "WIRE-01", "LAZY-01", "DUR-01"}) {
    EXPECT_NE(catalogue.find(id), nullptr) << id;
  }
}

TEST(Catalogue, KeepsTheFieldsOfARule) {
  const Catalogue catalogue = loaded_catalogue();
  const RuleEntry* rule = catalogue.find("EDIT-04");

  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->title, "Order of edits has no effect on the file");
  EXPECT_EQ(rule->level, Level::must);
  EXPECT_EQ(rule->kind, RuleKind::relation);
  EXPECT_EQ(rule->tier, Tier::A);
  EXPECT_TRUE(rule->sentence.starts_with("For a valid `edits` list every permutation"));
  EXPECT_EQ(rule->file, "scenarios/rules/builtins.yaml");
  EXPECT_GT(rule->place.line, 0);
}

TEST(Catalogue, SuggestsTheClosestId) {
  const Catalogue catalogue = loaded_catalogue();

  EXPECT_EQ(catalogue.find("EDTI-11"), nullptr);
  EXPECT_EQ(catalogue.suggest("EDTI-11"), "EDIT-11");
}

TEST(Catalogue, RuleIsActiveWithCheckerAndScenario) {
  RuleEntry rule;
  rule.id = "EDIT-11";

  EXPECT_EQ(standing_of(rule, {"EDIT-11"}, {"EDIT-11"}), (RuleStanding{RuleState::active, ""}));
  EXPECT_EQ(standing_of(rule, {"EDIT-11"}, {}),
            (RuleStanding{RuleState::pending, "no scenario names it"}));
  EXPECT_EQ(standing_of(rule, {}, {"EDIT-11"}),
            (RuleStanding{RuleState::pending, "no checker is registered for it"}));
}

TEST(Catalogue, PendingRuleGivesItsOwnReason) {
  RuleEntry rule;
  rule.id = "EDIT-11";
  rule.reason = "needs a subject with a store";

  EXPECT_EQ(standing_of(rule, {}, {}).reason, "needs a subject with a store");
}

TEST(Catalogue, ARuleThatTestsKeepIsActive) {
  RuleEntry rule;
  rule.id = "WIRE-01";
  rule.kind = RuleKind::wire_server;
  rule.kept_by = {"MessagesReply.StreamsATextTurn"};

  EXPECT_EQ(standing_of(rule, {}, {}), (RuleStanding{RuleState::active, ""}));
}

TEST(Catalogue, RefusesAFolderWithoutRules) {
  const auto loaded = load_catalogue("simulator/script");

  ASSERT_FALSE(loaded);
  EXPECT_EQ(error_line(loaded.error().front()),
            "simulator/script: no rules in this folder, expected *.yaml");
}

}  // namespace
}  // namespace plumb::simulator
