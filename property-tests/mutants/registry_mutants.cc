// SPDX-License-Identifier: Apache-2.0
// Mutants of the registry: REG, and ACTIVE-04, which its filters uphold.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {
namespace {

using engine::Policies;
using engine::RegisteredTool;
using engine::RegisteredToolPtr;
using engine::ToolFilters;
using Names = std::vector<std::string>;

std::size_t last_wins(std::span<const RegisteredToolPtr> rivals) {
  return rivals.size() - 1;
}

bool never_replaces(const RegisteredTool& /*owner*/, const RegisteredTool& /*challenger*/) {
  return false;
}

ToolFilters without_allow(ToolFilters filters) {
  filters.allowed.reset();
  return filters;
}

ToolFilters without_exclude(ToolFilters filters) {
  filters.excluded.clear();
  return filters;
}

bool is_builtin(const RegisteredTool& tool) {
  return tool.level == engine::Level::builtin;
}

bool allow_binds_builtins(const ToolFilters& filters, const RegisteredTool& tool) {
  return engine::keeps_tool(is_builtin(tool) ? filters : without_allow(filters), tool);
}

bool exclude_binds_builtins(const ToolFilters& filters, const RegisteredTool& tool) {
  return engine::keeps_tool(is_builtin(tool) ? filters : without_exclude(filters), tool);
}

bool allow_beats_exclude(const ToolFilters& filters, const RegisteredTool& tool) {
  const bool is_allowed = filters.allowed && engine::keeps_tool(without_exclude(filters), tool);
  return is_allowed || engine::keeps_tool(filters, tool);
}

bool empty_allows_all(const ToolFilters& filters, const RegisteredTool& tool) {
  const bool is_empty = filters.allowed && filters.allowed->empty();
  return engine::keeps_tool(is_empty ? without_allow(filters) : filters, tool);
}

bool matches_anywhere(const Names& patterns, const std::string& name) {
  return std::ranges::any_of(patterns, [&](const auto& pattern) {
    return engine::matches_name_pattern("*" + pattern + "*", name);
  });
}

bool patterns_are_unanchored(const ToolFilters& filters, const RegisteredTool& tool) {
  const std::string& name = tool.definition.name;
  if (matches_anywhere(filters.excluded, name)) return false;
  return !filters.allowed || matches_anywhere(*filters.allowed, name);
}

/// Tells what the first refresh had from what came later: a ticket that is seen again opens the
/// second refresh.
class FirstRefresh {
 public:
  bool is_late(const RegisteredTool& tool) {
    if (early_.contains(tool.ticket)) is_over_ = true;
    if (!is_over_) early_.insert(tool.ticket);
    return !early_.contains(tool.ticket);
  }

 private:
  std::set<std::int64_t> early_;
  bool is_over_ = false;
};

/// Late tools meet what `weaken` leaves of the filters.
void weaken_for_late_tools(Policies& policies, ToolFilters (*weaken)(ToolFilters)) {
  // Shared by the copies of the function; one a run.
  policies.keeps_tool = [first = std::make_shared<FirstRefresh>(), weaken](
                            const ToolFilters& filters, const RegisteredTool& tool) {
    return engine::keeps_tool(first->is_late(tool) ? weaken(filters) : filters, tool);
  };
}

Names unfiltered(const Names& present, const Names& requested, const Names& /*known*/) {
  return engine::arrange_active(present, requested, requested);
}

std::vector<Mutant> clash_mutants() {
  return {
      policy_mutant("registry-first-level-wins", "REG-01", "an override never replaces",
                    [](Policies& policies) { policies.level_replaces = never_replaces; }),
      trips_also(policy_mutant("registry-last-extension-wins", "REG-02",
                               "the last extension that registers a name wins",
                               [](Policies& policies) { policies.extension_winner = last_wins; }),
                 {"REG-03"}),
      trips_also(policy_mutant("registry-clash-is-silent", "REG-03",
                               "a clash of two extensions is not reported",
                               [](Policies& policies) {
                                 policies.registry.reports_conflict = [](const RegisteredTool&,
                                                                         const RegisteredTool&) {
                                   return false;
                                 };
                               }),
                 {"REG-20"}),
      trips_also(policy_mutant("registry-refresh-waits", "REG-17",
                               "a registration during a session waits for the next reload",
                               [](Policies& policies) {
                                 policies.registry.refreshes_at_once = [] { return false; };
                               }),
                 {"REG-06"}),
  };
}

std::vector<Mutant> filter_mutants() {
  return {
      trips_also(
          policy_mutant("registry-allow-list-for-builtins-only", "REG-08",
                        "the allow list filters built-ins only",
                        [](Policies& policies) { policies.keeps_tool = allow_binds_builtins; }),
          {"ACTIVE-04", "REG-12", "REG-13", "REG-14"}),
      trips_also(
          policy_mutant("registry-exclude-list-for-builtins-only", "REG-09",
                        "the exclude list removes built-ins only",
                        [](Policies& policies) { policies.keeps_tool = exclude_binds_builtins; }),
          {"ACTIVE-04", "REG-12", "REG-13", "REG-18", "REG-21"}),
      trips_also(policy_mutant(
                     "registry-allow-beats-exclude", "REG-10", "the allow list has the last word",
                     [](Policies& policies) { policies.keeps_tool = allow_beats_exclude; }),
                 {"REG-09", "REG-13", "REG-14", "REG-21"}),
      trips_also(policy_mutant("registry-empty-allow-list-is-none", "REG-11",
                               "an empty allow list counts as none",
                               [](Policies& policies) { policies.keeps_tool = empty_allows_all; }),
                 {"REG-21"}),
      trips_also(policy_mutant(
                     "registry-exclude-list-at-start-only", "REG-12",
                     "the exclude list binds only what is there at the start",
                     [](Policies& policies) { weaken_for_late_tools(policies, without_exclude); }),
                 {"ACTIVE-04", "REG-09", "REG-13"}),
      trips_also(policy_mutant("registry-filtered-names-can-be-set", "REG-13",
                               "setActiveTools takes names that the filters keep out",
                               [](Policies& policies) { policies.arrange_active = unfiltered; }),
                 {"ACTIVE-04", "ACTIVE-05", "ACTIVE-12"}),
      trips_also(
          policy_mutant("registry-patterns-are-unanchored", "REG-14",
                        "a pattern may match a part of a name",
                        [](Policies& policies) { policies.keeps_tool = patterns_are_unanchored; }),
          {"REG-08"}),
      trips_also(
          policy_mutant("active-allow-list-at-start-only", "ACTIVE-04",
                        "the allow list binds only what is there at the start",
                        [](Policies& policies) { weaken_for_late_tools(policies, without_allow); }),
          {"REG-08", "REG-12"}),
  };
}

}  // namespace

std::vector<Mutant> registry_mutants() {
  auto list = clash_mutants();
  std::ranges::move(filter_mutants(), std::back_inserter(list));
  return list;
}

}  // namespace plumb::simulator
