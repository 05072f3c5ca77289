// SPDX-License-Identifier: Apache-2.0
#include "property-tests/mutants/mutant.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "property-tests/mutants/pain_mutants.h"
#include "simulator/explore/case_run.h"
#include "simulator/explore/schedules.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

void collect_failures(std::span<const invariants::Judgement> judgements,
                      std::set<std::string>& failed) {
  for (const auto& judgement : judgements) {
    if (judgement.verdict == invariants::Verdict::fail) failed.insert(judgement.id);
  }
}

/// Rules that fail in any class of schedules of one scenario.
void explore_failures(const Alterations& alterations, const Scenario& scenario,
                      const invariants::Catalogue& facts, std::set<std::string>& failed) {
  SessionSubject subject;
  RunOptions options;
  options.alterations = alterations;
  options.step_max = 20'000;
  options.records_steps = options.records_ready = true;
  const auto play = [&](SchedulePicker picker) {
    options.picker = std::move(picker);
    auto run = run_case(subject, Variant{"", "", scenario, 0}, options, facts);
    collect_failures(run.judgements, failed);
    return Execution{std::move(run.result.steps), ""};
  };
  ExploreOptions bounds;
  bounds.classes_max = bounds.runs_max = 500;
  bounds.sample_count = 100;
  // What cannot be explored leaves the mutant alive, which is reported.
  const auto report = explore_schedules(play, bounds);
  static_cast<void>(report.has_value());
}

void append(std::vector<Mutant>& all, std::vector<Mutant> more) {
  std::ranges::move(more, std::back_inserter(all));
}

/// What wrong engines of one family break in another one.
const std::map<std::string, std::vector<std::string>>& effects_elsewhere() {
  static const std::map<std::string, std::vector<std::string>> kRules{
      {"active-calls-are-recalled", {"RESULT-16"}},
      {"active-change-waits-for-the-next-prompt", {"RESULT-16"}},
      {"bash-prefix-runs-into-the-command", {"BASH-24"}},
      {"bash-runs-unhooked", {"BASH-26"}},
      {"batch-ignores-the-tools-mark", {"BATCH-18"}},
      {"batch-is-always-sequential", {"BATCH-09", "BATCH-10", "HOOK-14"}},
      {"batch-last-result-is-lost", {"EVENT-36"}},
      {"batch-messages-as-completed", {"EVENT-13"}},
      {"edit-drops-the-mark", {"EDIT-14"}},
      {"edit-hides-a-failed-write", {"EDIT-71"}},
      {"edit-matches-raw-bytes", {"EDIT-14"}},
      {"edit-renames-over-the-file", {"EDIT-70", "QUEUE-01"}},
      {"edit-splits-characters", {"EDIT-02"}},
      {"edit-without-edits-succeeds", {"EDIT-16", "EDIT-71"}},
      {"edit-writes-line-feeds", {"EDIT-14"}},
      {"edits-one-after-the-other", {"EDIT-39", "EDIT-40"}},
      {"event-aborted-run-is-asked", {"ABORT-11", "EVENT-15"}},
      {"event-failed-answer-runs", {"EVENT-28", "PIPE-01"}},
      {"event-last-call-leaves-no-trace", {"EVENT-01"}},
      {"event-result-handlers-come-first", {"RESULT-01"}},
      {"event-updates-are-not-awaited", {"EVENT-44"}},
      {"extension-taken-out-stays-loaded", {"EVENT-44"}},
      {"hook-block-is-ignored", {"HOOK-25"}},
      {"hook-patched-content-is-a-success", {"RESULT-16"}},
      {"hook-silence-is-consent", {"HOOK-25"}},
      {"hook-slow-gate-allows", {"EVENT-44"}},
      {"pipe-half-arguments-are-completed", {"EVENT-01"}},
      {"pipe-no-validation", {"PIPE-14"}},
      {"pipe-null-becomes-text", {"WRITE-08"}},
      {"pipe-preparation-is-ignored", {"PIPE-18"}},
      {"pipe-unreadable-arguments-are-none", {"EVENT-01"}},
      {"prompt-tells-of-inactive-tools", {"PROMPT-09"}},
      {"queue-one-key-for-all", {"QUEUE-01"}},
      {"registry-filtered-names-can-be-set", {"ACTIVE-08"}},
      {"request-shortens-old-results", {"PIPE-20"}},
      {"result-aborted-call-is-no-error", {"RESULT-16"}},
      {"result-host-failure-keeps-the-result", {"HOOK-19"}},
      {"result-message-is-never-an-error", {"HOOK-20"}},
      {"result-original-content-is-sent", {"RESULT-21"}},
      {"result-returned-error-is-ignored", {"RESULT-16"}},
      {"tool-ghost-is-declared", {"ACTIVE-08"}},
      {"tool-internal-call-id", {"BATCH-09", "EVENT-03"}},
      {"write-passes-the-queue", {"QUEUE-01"}},
      {"write-replaces-links", {"BATCH-07", "QUEUE-01"}},
  };
  return kRules;
}

void add_effects_elsewhere(std::vector<Mutant>& all) {
  for (auto& mutant : all) {
    const auto found = effects_elsewhere().find(mutant.name);
    if (found == effects_elsewhere().end()) continue;
    mutant.also.insert(mutant.also.end(), found->second.begin(), found->second.end());
  }
}

}  // namespace

std::string_view to_string(MutantKind kind) {
  constexpr std::array<std::string_view, 4> kNames{"policy", "port", "extension", "tamper"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Mutant> all_mutants() {
  std::vector<Mutant> all = edit_mutants();
  append(all, text_mutants());
  append(all, file_mutants());
  append(all, change_mutants());
  append(all, host_file_mutants());
  append(all, bash_mutants());
  append(all, prefix_mutants());
  append(all, call_mutants());
  append(all, hook_mutants());
  append(all, tool_mutants());
  append(all, tool_use_mutants());
  append(all, prompt_mutants());
  append(all, registry_mutants());
  append(all, active_mutants());
  append(all, order_mutants());
  append(all, capture_mutants());
  append(all, pain_mutants());
  add_effects_elsewhere(all);
  std::ranges::sort(all, {}, [](const Mutant& mutant) { return mutant.rule + " " + mutant.name; });
  return all;
}

Mutant port_mutant(std::string name, std::string rule, std::string change) {
  Mutant mutant;
  mutant.name = std::move(name);
  mutant.kind = MutantKind::port;
  mutant.rule = std::move(rule);
  mutant.change = std::move(change);
  return mutant;
}

Mutant policy_mutant(std::string name, std::string rule, std::string change,
                     std::function<void(engine::Policies&)> alter) {
  Mutant mutant;
  mutant.name = std::move(name);
  mutant.kind = MutantKind::policy;
  mutant.rule = std::move(rule);
  mutant.change = std::move(change);
  mutant.alterations.policies = std::move(alter);
  return mutant;
}

Mutant broken_tool(std::string name, std::string rule, std::string change, std::string tool,
                   std::function<void(engine::ToolDefinition&)> alter) {
  Mutant mutant;
  mutant.name = std::move(name);
  mutant.kind = MutantKind::extension;
  mutant.rule = std::move(rule);
  mutant.change = std::move(change);
  mutant.alterations.session = [tool, alter](engine::SessionOptions& options) {
    for (auto& definition : options.builtin_tools) {
      if (definition.name == tool) alter(definition);
    }
  };
  return mutant;
}

Mutant trips_also(Mutant mutant, std::vector<std::string> rules) {
  std::ranges::move(rules, std::back_inserter(mutant.also));
  return mutant;
}

bool MutantOutcome::is_killed() const {
  return std::ranges::find(killed_by, rule) != killed_by.end();
}

std::vector<std::string> failing_rules(const Alterations& alterations,
                                       std::span<const Scenario* const> scenarios,
                                       const invariants::Catalogue& facts) {
  SessionSubject subject;
  RunOptions options;
  options.alterations = alterations;
  // A broken engine may spin; a small bound ends it and the trace up to there is judged.
  options.step_max = 20'000;
  std::set<std::string> failed;
  for (const Scenario* scenario : scenarios) {
    std::vector<CaseRun> runs;
    for (const auto& variant : variants_of(*scenario, 0)) {
      runs.push_back(run_case(subject, variant, options, facts));
      collect_failures(runs.back().judgements, failed);
    }
    collect_failures(judge_relations(runs, facts), failed);
  }
  return {failed.begin(), failed.end()};
}

std::vector<std::string> racing_rules(const Alterations& alterations,
                                      std::span<const Scenario* const> scenarios,
                                      const invariants::Catalogue& facts) {
  std::set<std::string> failed;
  for (const Scenario* scenario : scenarios) {
    explore_failures(alterations, *scenario, facts, failed);
  }
  return {failed.begin(), failed.end()};
}

MutantOutcome run_mutant(const Mutant& mutant, std::span<const Scenario> scenarios,
                         const invariants::Catalogue& facts) {
  std::vector<const Scenario*> chosen;
  for (const auto& scenario : scenarios) {
    const bool names_rule = std::ranges::any_of(
        scenario.rules, [&mutant](const RuleReference& rule) { return rule.id == mutant.rule; });
    if (names_rule) chosen.push_back(&scenario);
  }
  MutantOutcome outcome{mutant.name, mutant.kind, mutant.rule, {}, {}, 0};
  outcome.scenarios = static_cast<std::int64_t>(chosen.size());
  outcome.killed_by = mutant.is_race ? racing_rules(mutant.alterations, chosen, facts)
                                     : failing_rules(mutant.alterations, chosen, facts);
  std::ranges::copy_if(
      outcome.killed_by, std::back_inserter(outcome.surprises), [&mutant](const std::string& rule) {
        return rule != mutant.rule && std::ranges::find(mutant.also, rule) == mutant.also.end();
      });
  return outcome;
}

}  // namespace plumb::simulator
