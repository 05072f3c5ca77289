// SPDX-License-Identifier: Apache-2.0
// plumb rules, plumb explain: what is judged, why, and what it catches.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "simulator/cli/options.h"
#include "simulator/cli/rule_table.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/invariants/judge.h"

namespace plumb::simulator {
namespace {

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text + " ";
}

bool is_active(const RuleRow& row) {
  return row.standing.state == RuleState::active;
}

/// Whether it binds this project itself, and tests see to it.
bool is_kept(const RuleRow& row) {
  return !row.rule->kept_by.empty();
}

std::string what_keeps(const RuleRow& row) {
  if (is_kept(row)) return std::to_string(row.rule->kept_by.size()) + " tests";
  return std::to_string(row.scenarios.size()) + " scenarios";
}

void print_list(const std::vector<RuleRow>& rows) {
  for (const auto& row : rows) {
    if (!is_active(row)) continue;
    print_out(padded(row.rule->id, 10) + std::string(to_string(row.rule->tier)) + "  " +
              padded(what_keeps(row), 13) + row.rule->title + "\n");
  }
}

void print_pending(const std::vector<RuleRow>& rows) {
  for (const auto& row : rows) {
    if (is_active(row)) continue;
    print_out(padded(row.rule->id, 12) + std::string(to_string(row.rule->tier)) + "  " +
              row.rule->title + ": " + row.standing.reason + "\n");
  }
}

void print_totals(const std::vector<RuleRow>& rows) {
  std::map<Tier, std::pair<std::int64_t, std::int64_t>> tiers;
  std::int64_t kept = 0;
  for (const auto& row : rows) {
    auto& [active, all] = tiers[row.rule->tier];
    ++all;
    active += is_active(row) && !is_kept(row) ? 1 : 0;
    kept += is_kept(row) ? 1 : 0;
  }
  std::string line;
  for (const auto& [tier, counts] : tiers) {
    line += (line.empty() ? "" : ", ") + std::string("tier ") + std::string(to_string(tier)) +
            ": " + std::to_string(counts.first) + " of " + std::to_string(counts.second);
  }
  print_out("active rules by tier: " + line + "\n");
  print_out("kept by tests, for they bind this project itself: " + std::to_string(kept) + "\n");
}

bool is_caught(const MutantOutcome& mutant) {
  return mutant.is_killed() && mutant.surprises.empty();
}

void print_kind_counts(const std::vector<RuleRow>& rows) {
  std::map<MutantKind, std::pair<std::int64_t, std::int64_t>> kinds;
  for (const auto& row : rows) {
    for (const auto& mutant : row.mutants) {
      auto& [caught, all] = kinds[mutant.kind];
      ++all;
      caught += is_caught(mutant) ? 1 : 0;
    }
  }
  for (const auto kind :
       {MutantKind::policy, MutantKind::port, MutantKind::extension, MutantKind::tamper}) {
    const auto [caught, all] = kinds[kind];
    print_out(padded(std::string(to_string(kind)), 10) + std::to_string(caught) + " killed of " +
              std::to_string(all) + "\n");
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void print_kills(const std::vector<RuleRow>& rows) {
  for (const auto& row : rows) {
    for (const auto& mutant : row.mutants) {
      print_out(padded(row.rule->id, 10) + padded(std::string(to_string(mutant.kind)), 10) +
                mutant.name + ": " +
                (mutant.is_killed() ? "killed by " + joined(mutant.killed_by) : "SURVIVES") +
                (mutant.surprises.empty() ? "" : "; surprise: " + joined(mutant.surprises)) + "\n");
    }
  }
  print_kind_counts(rows);
}

/// Whether each mutant is killed by its rule and trips nothing that it does not list.
bool holds(const std::vector<RuleRow>& rows) {
  return std::ranges::all_of(
      rows, [](const RuleRow& row) { return std::ranges::all_of(row.mutants, is_caught); });
}

std::string how_of(const std::string& id) {
  for (const auto& rule : invariants::all_rules()) {
    if (rule.id == id) return rule.how;
  }
  for (const auto& rule : invariants::all_relations()) {
    if (rule.id == id) return rule.how;
  }
  return "";
}

void print_field(std::string_view name, const std::string& text) {
  if (!text.empty()) print_out("  " + padded(std::string(name), 10) + text + "\n");
}

void print_rule(const RuleRow& row) {
  const RuleEntry& rule = *row.rule;
  print_out(rule.id + "  " + rule.title + "\n");
  print_field("rule", rule.sentence);
  print_field("level", std::string(to_string(rule.level)) + ", tier " +
                           std::string(to_string(rule.tier)) + ", kind " +
                           std::string(to_string(rule.kind)));
  print_field("source", rule.source);
  print_field("needs", joined(rule.needs));
  print_field("excused by", joined(rule.excused_by));
  print_field("observed", rule.observe);
  if (!is_kept(row)) {
    print_field("judged", is_active(row) ? how_of(rule.id) : "pending: " + row.standing.reason);
  }
  print_field("kept by", joined(rule.kept_by));
  print_field("mutant", rule.mutant);
  for (const auto& file : row.scenarios) print_field("scenario", file);
}

}  // namespace

int rules_command(const CommonOptions& common, const RulesCommand& command) {
  const auto catalogue = find_catalogue(common);
  if (!catalogue) return refuse(catalogue.error());
  const auto loaded = load_scenarios(command.paths, *catalogue);
  if (!loaded.errors.empty()) return refuse(loaded.errors);
  std::vector<MutantOutcome> outcomes;
  if (command.is_json || command.shows_kills) {
    auto run = run_all_mutants(loaded.scenarios, *catalogue, rules_folder_of(common));
    if (!run) return refuse(run.error());
    outcomes = *std::move(run);
  }
  const auto rows = rule_rows(*catalogue, loaded.scenarios, outcomes);
  if (command.is_json) {
    print_out(dump_json_pretty(rules_json(rows)) + "\n");
    return kExitOk;
  }
  if (command.shows_kills) {
    print_kills(rows);
  } else if (command.shows_pending) {
    print_pending(rows);
  } else {
    print_list(rows);
  }
  print_totals(rows);
  return holds(rows) ? kExitOk : kExitNonconforming;
}

int explain_command(const CommonOptions& common, const ExplainCommand& command) {
  const auto catalogue = find_catalogue(common);
  if (!catalogue) return refuse(catalogue.error());
  if (auto known = check_rules({command.rule}, *catalogue); !known) {
    return refuse({known.error()});
  }
  const auto loaded = load_scenarios({scenarios_folder_of(common)}, *catalogue);
  if (!loaded.errors.empty()) return refuse(loaded.errors);
  for (const auto& row : rule_rows(*catalogue, loaded.scenarios, {})) {
    if (row.rule->id == command.rule) print_rule(row);
  }
  return kExitOk;
}

}  // namespace plumb::simulator
