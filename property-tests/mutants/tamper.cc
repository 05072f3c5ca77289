// SPDX-License-Identifier: Apache-2.0
#include "property-tests/mutants/tamper.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/trace/event_json.h"
#include "engine/trace/renumber.h"
#include "simulator/explore/case_run.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

using Events = std::vector<Event>;

Result<std::size_t> index_of(const Events& events, const EventPattern& pattern) {
  PatternCounter counter(pattern);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (counter.hits(events[i])) return i;
  }
  return fail(ErrorCode::not_found,
              "no event matches '" + pattern.kind + "' number " + std::to_string(pattern.nth));
}

Result<void> move_event(Events& events, const TamperEdit& edit, std::size_t from) {
  PLUMB_TRY(const auto anchor, index_of(events, edit.where));
  const auto anchor_seq = events[anchor].seq;
  const Event moved = events[from];
  events.erase(events.begin() + static_cast<std::ptrdiff_t>(from));
  const auto found = std::ranges::find(events, anchor_seq, &Event::seq);
  if (found == events.end()) return fail(ErrorCode::invalid, "an event cannot move to itself");
  events.insert(edit.is_before ? found : std::next(found), moved);
  return {};
}

Result<void> set_field(Event& event, const TamperEdit& edit) {
  Json json = to_json(event);
  try {
    json[Json::json_pointer(edit.field)] = edit.value;
  } catch (const Json::exception&) {
    return fail(ErrorCode::invalid, "the event has no place for '" + edit.field + "'");
  }
  PLUMB_TRY(event, parse_event(json));
  return {};
}

Result<void> apply_edit(Events& events, const TamperEdit& edit) {
  PLUMB_TRY(const auto index, index_of(events, edit.what));
  const auto at = events.begin() + static_cast<std::ptrdiff_t>(index);
  switch (edit.action) {
    case TamperEdit::Action::drop:
      events.erase(at);
      return {};
    case TamperEdit::Action::duplicate:
      events.insert(std::next(at), Event(*at));
      return {};
    case TamperEdit::Action::move:
      return move_event(events, edit, index);
    case TamperEdit::Action::set:
      return set_field(*at, edit);
  }
  return {};
}

}  // namespace

Result<Trace> apply_tamper(const Trace& trace, const Tamper& tamper) {
  Trace edited = trace;
  for (const auto& edit : tamper.edits) {
    if (auto applied = apply_edit(edited.events, edit); !applied) {
      applied.error().where = tamper.file;
      return std::unexpected(std::move(applied).error());
    }
  }
  renumber(edited.events);
  return edited;
}

namespace {

const Scenario* find_scenario(std::span<const Scenario> scenarios, const std::string& file) {
  const auto found = std::ranges::find(scenarios, file, &Scenario::file);
  return found == scenarios.end() ? nullptr : &*found;
}

/// The tamper proves something only if its rule passes without it.
Result<void> require_pass(const std::vector<invariants::Judgement>& judgements,
                          const Tamper& tamper) {
  const auto found = std::ranges::find(judgements, tamper.rule, &invariants::Judgement::id);
  const auto verdict =
      found == judgements.end() ? "not judged" : invariants::to_string(found->verdict);
  if (verdict == "pass") return {};
  return fail(ErrorCode::invalid,
              tamper.rule + " must pass in the untouched trace, but it is " + std::string(verdict),
              tamper.file);
}

/// A relation rule compares a green trace with the tampered one; others judge the tampered one.
/// `options`: which rules matter.
std::vector<invariants::Judgement> judge_tampered(const Trace& green, const Trace& edited,
                                                  const std::string& rule,
                                                  const invariants::Catalogue& facts,
                                                  const invariants::JudgeOptions& options = {}) {
  for (const auto& relation : invariants::all_relations()) {
    if (relation.id != rule) continue;
    const std::vector<Trace> traces{green, edited};
    return {invariants::judge_relation(relation, traces, facts)};
  }
  return invariants::judge(edited, facts, options);
}

void sort_failures(MutantOutcome& outcome, const std::vector<invariants::Judgement>& judgements,
                   const Tamper& tamper) {
  std::set<std::string> failed;
  for (const auto& judgement : judgements) {
    if (judgement.verdict == invariants::Verdict::fail) failed.insert(judgement.id);
  }
  outcome.killed_by.assign(failed.begin(), failed.end());
  for (const auto& rule : failed) {
    const bool is_listed = std::ranges::find(tamper.also, rule) != tamper.also.end();
    if (rule != tamper.rule && !is_listed) outcome.surprises.push_back(rule);
  }
}

}  // namespace

Result<MutantOutcome> run_tamper(const Tamper& tamper, std::span<const Scenario> scenarios,
                                 const invariants::Catalogue& facts) {
  const Scenario* scenario = find_scenario(scenarios, tamper.scenario);
  if (scenario == nullptr) {
    return fail(ErrorCode::not_found, "no scenario '" + tamper.scenario + "'", tamper.file);
  }
  SessionSubject subject;
  const auto green = subject.run(*scenario, RunOptions());
  PLUMB_TRY(const auto edited, apply_tamper(green.trace, tamper));
  MutantOutcome outcome{"tamper " + tamper.rule, MutantKind::tamper, tamper.rule, {}, {}, 1};
  const auto untouched =
      judge_tampered(green.trace, green.trace, tamper.rule, facts, {{tamper.rule}});
  if (auto passed = require_pass(untouched, tamper); !passed) {
    return std::unexpected(std::move(passed).error());
  }
  sort_failures(outcome, judge_tampered(green.trace, edited, tamper.rule, facts), tamper);
  return outcome;
}

}  // namespace plumb::simulator
