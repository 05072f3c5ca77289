// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/rule_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "property-tests/mutants/tamper.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/explore/case_run.h"
#include "simulator/explore/worker_pool.h"
#include "simulator/invariants/judge.h"

namespace plumb::simulator {
namespace {

using Names = std::set<std::string, std::less<>>;

Names checked_rules() {
  Names names;
  for (const auto& rule : invariants::all_rules()) names.insert(rule.id);
  for (const auto& rule : invariants::all_relations()) names.insert(rule.id);
  return names;
}

std::map<std::string, std::vector<std::string>> scenarios_by_rule(
    const std::vector<Scenario>& scenarios) {
  std::map<std::string, std::vector<std::string>> by_rule;
  for (const auto& scenario : scenarios) {
    for (const auto& rule : scenario.rules) by_rule[rule.id].push_back(scenario.file);
  }
  return by_rule;
}

Json mutant_json(const MutantOutcome& mutant) {
  Json json;
  json["name"] = mutant.name;
  json["kind"] = to_string(mutant.kind);
  json["killed_by"] = mutant.killed_by;
  return json;
}

Json row_json(const RuleRow& row) {
  Json json;
  json["id"] = row.rule->id;
  json["level"] = to_string(row.rule->level);
  json["tier"] = to_string(row.rule->tier);
  json["kind"] = to_string(row.rule->kind);
  json["edition"] = Json::array();
  for (const auto edition : row.rule->editions) json["edition"].push_back(to_string(edition));
  json["state"] = row.standing.state == RuleState::active ? "active" : "pending";
  if (!row.standing.reason.empty()) json["reason"] = row.standing.reason;
  json["scenarios"] = row.scenarios;
  if (!row.rule->kept_by.empty()) json["kept_by"] = row.rule->kept_by;
  json["mutants"] = Json::array();
  for (const auto& mutant : row.mutants) json["mutants"].push_back(mutant_json(mutant));
  return json;
}

}  // namespace

std::vector<RuleRow> rule_rows(const Catalogue& catalogue, const std::vector<Scenario>& scenarios,
                               const std::vector<MutantOutcome>& outcomes) {
  const auto checked = checked_rules();
  auto by_rule = scenarios_by_rule(scenarios);
  Names named;
  for (const auto& [rule, files] : by_rule) named.insert(rule);
  std::vector<RuleRow> rows;
  for (const auto& rule : catalogue.rules()) {
    RuleRow row{&rule, standing_of(rule, checked, named), std::move(by_rule[rule.id]), {}};
    std::ranges::copy_if(outcomes, std::back_inserter(row.mutants),
                         [&rule](const MutantOutcome& outcome) { return outcome.rule == rule.id; });
    rows.push_back(std::move(row));
  }
  return rows;
}

Checked<std::vector<MutantOutcome>> run_all_mutants(const std::vector<Scenario>& scenarios,
                                                    const Catalogue& catalogue,
                                                    const std::string& rules_folder) {
  const auto tampers = load_tampers(rules_folder);
  if (!tampers) return std::unexpected(tampers.error());
  const auto mutants = all_mutants();
  const auto facts = facts_of(catalogue);
  const auto total = mutants.size() + tampers->size();
  std::vector<Result<MutantOutcome>> outcomes(total, fail(ErrorCode::not_found, "not run"));
  for_each_index(static_cast<std::int64_t>(total), processor_count(), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    outcomes[i] = i < mutants.size()
                      ? Result<MutantOutcome>(run_mutant(mutants[i], scenarios, facts))
                      : run_tamper((*tampers)[i - mutants.size()], scenarios, facts);
  });
  std::vector<MutantOutcome> done;
  std::vector<Error> errors;
  for (auto& outcome : outcomes) {
    if (outcome) {
      done.push_back(*std::move(outcome));
    } else {
      errors.push_back(std::move(outcome).error());
    }
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return done;
}

Json rules_json(const std::vector<RuleRow>& rows) {
  Json json = Json::array();
  for (const auto& row : rows) json.push_back(row_json(row));
  return json;
}

}  // namespace plumb::simulator
