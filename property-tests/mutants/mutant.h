// SPDX-License-Identifier: Apache-2.0
// Wrong engines: each mutant changes one decision or one effect of the reference engine and leaves
// the recording alone. The suite has to catch it by the rule that the mutant names; nothing else
// may trip but what it lists.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/invariants/judge.h"
#include "simulator/script/scenario.h"
#include "simulator/subjects/subject.h"

namespace plumb::simulator {

/// policy: another decision; port: a decorator that does something else to the outside; extension:
/// a bad tool or handler; tamper: an edit of a green trace.
enum class MutantKind : std::uint8_t { policy, port, extension, tamper };
std::string_view to_string(MutantKind kind);

/// `change`: what is wrong, in a few words. `also`: other rules that may trip. It runs the
/// scenarios that name its rule.
struct Mutant {
  std::string name;
  MutantKind kind = MutantKind::policy;
  std::string rule;
  std::vector<std::string> also;
  std::string change;
  Alterations alterations;
  /// A race: the schedule of seed 0 hides it in a scenario without delays, so the classes of
  /// schedules are explored.
  bool is_race = false;
};

/// Every mutant, sorted by rule.
std::vector<Mutant> all_mutants();
/// By what they break: edits (EDIT) and their texts, files (READ, WRITE, QUEUE) and their changes,
/// commands (BASH, TRUNC), what is sent to the model (CACHE), calls (PIPE, RESULT), handlers
/// (HOOK), tools (TOOL), the prompt (PROMPT, ACTIVE-07), the registry (REG), the active set
/// (ACTIVE, EXT-33), and the order of things (EVENT, BATCH, ABORT).
std::vector<Mutant> edit_mutants();
std::vector<Mutant> text_mutants();
std::vector<Mutant> file_mutants();
std::vector<Mutant> change_mutants();
std::vector<Mutant> host_file_mutants();
std::vector<Mutant> bash_mutants();
std::vector<Mutant> prefix_mutants();
std::vector<Mutant> call_mutants();
std::vector<Mutant> hook_mutants();
std::vector<Mutant> tool_mutants();
std::vector<Mutant> tool_use_mutants();
std::vector<Mutant> prompt_mutants();
std::vector<Mutant> registry_mutants();
std::vector<Mutant> active_mutants();
std::vector<Mutant> order_mutants();
/// What every subject shows: declared schemas and results of built-in tools.
std::vector<Mutant> capture_mutants();

/// A mutant of a port, whose alteration is still to be said.
Mutant port_mutant(std::string name, std::string rule, std::string change);
/// A mutant of one decision.
Mutant policy_mutant(std::string name, std::string rule, std::string change,
                     std::function<void(engine::Policies&)> alter);
/// A mutant in which the built-in tool `tool` is another one: an extension mutant.
Mutant broken_tool(std::string name, std::string rule, std::string change, std::string tool,
                   std::function<void(engine::ToolDefinition&)> alter);
/// Adds to the rules that may trip as well.
Mutant trips_also(Mutant mutant, std::vector<std::string> rules);

/// What became of a mutant or a tamper. `killed_by`: every rule that failed, sorted. `surprises`:
/// those of them that it neither names nor lists. `scenarios`: how many were run; none at all is a
/// survivor.
struct MutantOutcome {
  std::string name;
  MutantKind kind = MutantKind::policy;
  std::string rule;
  std::vector<std::string> killed_by;
  std::vector<std::string> surprises;
  std::int64_t scenarios = 0;

  bool is_killed() const;
};

/// Plays the scenarios that name the mutant's rule (and their variants) on the broken engine.
MutantOutcome run_mutant(const Mutant& mutant, std::span<const Scenario> scenarios,
                         const invariants::Catalogue& facts);

/// Rules that fail over the given scenarios with these alterations: sorted, each once.
std::vector<std::string> failing_rules(const Alterations& alterations,
                                       std::span<const Scenario* const> scenarios,
                                       const invariants::Catalogue& facts);
/// The same over the classes of schedules of each scenario (up to 500, else a sample).
std::vector<std::string> racing_rules(const Alterations& alterations,
                                      std::span<const Scenario* const> scenarios,
                                      const invariants::Catalogue& facts);

}  // namespace plumb::simulator
