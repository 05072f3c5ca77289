// SPDX-License-Identifier: Apache-2.0
// Teeth: every wrong engine and every tampered trace is caught by the rule that it names, and by
// nothing that it does not list.
#include <algorithm>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "property-tests/mutants/mutant.h"
#include "property-tests/mutants/pain_mutants.h"
#include "property-tests/mutants/tamper.h"
#include "property-tests/mutants/unmutated.h"
#include "property-tests/repository_suite.h"
#include "simulator/invariants/judge.h"

namespace plumb::simulator {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += " " + word;
  return text;
}

void expect_caught(const MutantOutcome& outcome, const std::string& change) {
  EXPECT_GT(outcome.scenarios, 0) << outcome.name << ": no scenario names " << outcome.rule;
  EXPECT_TRUE(outcome.is_killed()) << outcome.name << " survives " << outcome.rule << " (" << change
                                   << "); failed:" << joined(outcome.killed_by);
  EXPECT_TRUE(outcome.surprises.empty())
      << outcome.name << " for " << outcome.rule << " also trips:" << joined(outcome.surprises);
}

std::vector<std::string> mutant_names() {
  std::vector<std::string> names;
  for (const auto& mutant : all_mutants()) names.push_back(mutant.name);
  return names;
}

TEST(Mutants, HaveNamesOfTheirOwn) {
  const auto names = mutant_names();

  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(Mutants, AreKilledByTheirRule) {
  const auto& suite = repository_suite();
  for (const auto& mutant : all_mutants()) {
    expect_caught(run_mutant(mutant, suite.scenarios, suite.facts), mutant.change);
  }
}

/// The mutant's rule stands in the scenario, and only another schedule than the first breaks it.
bool hides_at_first(const Mutant& mutant, const Scenario& scenario) {
  const auto& rules = scenario.rules;
  if (std::ranges::find(rules, mutant.rule, &RuleReference::id) == rules.end()) return false;
  const Scenario* const one[] = {&scenario};
  const auto& facts = repository_suite().facts;
  const auto at_first = failing_rules(mutant.alterations, one, facts);
  if (std::ranges::find(at_first, mutant.rule) != at_first.end()) return false;
  const auto later = racing_rules(mutant.alterations, one, facts);
  return std::ranges::find(later, mutant.rule) != later.end();
}

TEST(Mutants, RacesHideOnTheFirstSchedule) {
  std::int64_t races = 0;
  for (const auto& mutant : all_mutants()) {
    if (!mutant.is_race) continue;
    ++races;
    EXPECT_TRUE(std::ranges::any_of(
        repository_suite().scenarios,
        [&mutant](const Scenario& scenario) { return hides_at_first(mutant, scenario); }))
        << mutant.name << " shows on the first schedule of each scenario";
  }
  EXPECT_GE(races, 1);
}

std::set<std::string> shown_pains() {
  std::set<std::string> pains;
  for (const auto& scenario : repository_suite().scenarios) {
    pains.insert(scenario.pains.begin(), scenario.pains.end());
  }
  return pains;
}

std::vector<Scenario> scenarios_of_pain(const std::string& pain) {
  std::vector<Scenario> tagged;
  std::ranges::copy_if(repository_suite().scenarios, std::back_inserter(tagged),
                       [&pain](const Scenario& scenario) {
                         return std::ranges::find(scenario.pains, pain) != scenario.pains.end();
                       });
  return tagged;
}

TEST(Pains, AreReproducedByWrongEnginesThatTheirScenariosCatch) {
  const auto mutants = all_mutants();
  for (const auto& pain : shown_pains()) {
    const auto tagged = scenarios_of_pain(pain);
    EXPECT_FALSE(mutants_of_pain(pain).empty()) << pain << " has no wrong engine";
    for (const auto& name : mutants_of_pain(pain)) {
      const auto mutant = std::ranges::find(mutants, name, &Mutant::name);
      ASSERT_NE(mutant, mutants.end()) << name;
      const auto outcome = run_mutant(*mutant, tagged, repository_suite().facts);
      EXPECT_TRUE(outcome.is_killed()) << pain << ": " << name << " survives " << mutant->rule
                                       << "; failed:" << joined(outcome.killed_by);
    }
  }
}

const std::vector<Tamper>& tampers() {
  static const auto kTampers = load_tampers("scenarios/rules");
  static const std::vector<Tamper> kNone;
  if (kTampers) return *kTampers;
  for (const auto& error : kTampers.error()) ADD_FAILURE() << error_line(error);
  return kNone;
}

TEST(Tampers, AreCaughtByTheirRule) {
  const auto& suite = repository_suite();
  for (const auto& tamper : tampers()) {
    const auto outcome = run_tamper(tamper, suite.scenarios, suite.facts);
    ASSERT_TRUE(outcome) << error_line(outcome.error());
    expect_caught(*outcome, tamper.file);
  }
}

/// Rules that are judged and that a scenario names.
std::vector<const RuleEntry*> active_rules() {
  std::set<std::string> checked;
  for (const auto& rule : invariants::all_rules()) checked.insert(rule.id);
  for (const auto& rule : invariants::all_relations()) checked.insert(rule.id);
  std::set<std::string> named;
  for (const auto& scenario : repository_suite().scenarios) {
    for (const auto& rule : scenario.rules) named.insert(rule.id);
  }
  std::vector<const RuleEntry*> active;
  for (const auto& rule : repository_suite().catalogue.rules()) {
    if (checked.contains(rule.id) && named.contains(rule.id)) active.push_back(&rule);
  }
  return active;
}

bool needs_mutant(const RuleEntry& rule) {
  return rule.tier == Tier::A &&
         (rule.kind == RuleKind::engine || rule.kind == RuleKind::extension ||
          rule.kind == RuleKind::relation);
}

TEST(Teeth, EveryCheckIsActive) {
  std::set<std::string> active;
  for (const auto* rule : active_rules()) active.insert(rule->id);
  for (const auto& rule : invariants::all_rules()) {
    EXPECT_TRUE(active.contains(rule.id)) << rule.id << " is checked, but no scenario names it";
  }
}

TEST(Teeth, EveryActiveRuleHasATamper) {
  std::set<std::string> tampered;
  for (const auto& tamper : tampers()) tampered.insert(tamper.rule);
  for (const auto* rule : active_rules()) {
    EXPECT_TRUE(tampered.contains(rule->id)) << rule->id << " has no tamper";
  }
}

TEST(Teeth, EveryActiveTierARuleHasAMutantOrAReason) {
  std::set<std::string> mutated;
  for (const auto& mutant : all_mutants()) mutated.insert(mutant.rule);
  std::int64_t wanted = 0;
  std::int64_t excused = 0;
  for (const auto* rule : active_rules()) {
    if (!needs_mutant(*rule)) continue;
    ++wanted;
    if (mutated.contains(rule->id)) continue;
    ++excused;
    EXPECT_FALSE(reason_without_mutant(rule->id).empty())
        << rule->id << " has neither a mutant nor a reason to have none";
  }
  EXPECT_GE(wanted, 40);
  EXPECT_LE(excused * 10, wanted) << "at most one rule in ten may go without a mutant";
}

}  // namespace
}  // namespace plumb::simulator
