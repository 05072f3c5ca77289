// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/sweeps.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace plumb::simulator {
namespace {

RunOptions swept(const RunOptions& options) {
  RunOptions cut = options;
  cut.is_swept = true;
  return cut;
}

std::int64_t operation_count(const Trace& trace) {
  return std::ranges::count_if(trace.events, [](const Event& event) {
    const auto* operation = event.as<FileOperation>();
    return operation != nullptr && operation->phase == "begin";
  });
}

// ------------------------------------------------------------------ what must hold

void find_unsettled(const Trace& trace, std::vector<std::string>& problems) {
  std::int64_t running = 0;
  bool is_open = false;
  for (const auto& event : trace.events) {
    if (event.as<AgentStart>() != nullptr) is_open = true;
    if (event.as<AgentSettled>() != nullptr) is_open = false;
    if (event.as<Crash>() != nullptr) return;
    if (event.as<ExecuteBegin>() != nullptr) ++running;
    if (event.as<ExecuteEnd>() != nullptr) --running;
  }
  if (is_open) problems.emplace_back("the run does not settle");
  if (running > 0) problems.emplace_back("an execute never ends");
}

/// A call that started has one result: a message, or an end event if a tool made it.
void find_unanswered(const Trace& trace, std::vector<std::string>& problems) {
  std::map<std::string, std::int64_t> owed;
  for (const auto& event : trace.events) {
    if (event.as<Crash>() != nullptr) return;
    const auto* start = event.as<ToolExecutionStart>();
    if (start != nullptr && start->parent.empty()) ++owed[event.call];
    const auto* message = event.as<MessageEnd>();
    if (message != nullptr && message->role == "toolResult") --owed[event.call];
  }
  for (const auto& [call, count] : owed) {
    if (count != 0) problems.push_back("call " + call + " does not have one result");
  }
}

std::string name_in(const Json& listing, const std::string& real_path) {
  for (const auto& [name, state] : listing.items()) {
    if (real_path.ends_with("/" + name)) return name;
  }
  return real_path;
}

std::set<std::string> failed_calls(const Trace& trace) {
  std::set<std::string> failed;
  for (const auto& event : trace.events) {
    const auto* end = event.as<ToolExecutionEnd>();
    if (end != nullptr && end->is_error) failed.insert(event.call);
  }
  return failed;
}

/// What writes left in files as a whole. Those of calls in `except` do not count. `mixed`: names of
/// files of which that cannot be told.
struct WholeFiles {
  std::set<std::string> digests;
  std::set<std::string> mixed;
};

void add_written(const Trace& trace, const Json& listing, const std::set<std::string>& except,
                 WholeFiles& whole) {
  for (const auto& event : trace.events) {
    const auto* step = event.as<plumb::Step>();
    if (step != nullptr && step->step == "write") {
      whole.mixed.insert(step->data.get().value("path", ""));
    }
    const auto* operation = event.as<FileOperation>();
    if (operation == nullptr || operation->phase != "end" || operation->result != "ok") continue;
    if (except.contains(event.call)) continue;
    if (operation->op == "write") whole.digests.insert(operation->hash);
    if (operation->op == "append") whole.mixed.insert(name_in(listing, operation->real_path));
  }
}

const FinalFiles* final_files_of(const Trace& trace) {
  for (const auto& event : trace.events) {
    if (const auto* files = event.as<FinalFiles>()) return files;
  }
  return nullptr;
}

/// A file holds what some file held before, what the uncut run left in one, or what a call that
/// succeeded wrote: a call that failed leaves nothing of its own. Links give a file several names,
/// so that its name does not count.
void find_torn_files(const Trace& trace, const Trace& uncut, std::vector<std::string>& problems) {
  const FinalFiles* files = final_files_of(trace);
  if (files == nullptr) return;
  const Json& listing = files->files.get();
  WholeFiles whole;
  for (const auto& [name, state] : files->before.get().items()) {
    whole.digests.insert(state.value("sha256", ""));
  }
  add_written(uncut, listing, {}, whole);
  add_written(trace, listing, failed_calls(trace), whole);
  for (const auto& [name, state] : listing.items()) {
    if (!state.contains("sha256") || whole.mixed.contains(name)) continue;
    if (whole.digests.contains(state["sha256"].get<std::string>())) continue;
    problems.push_back("file " + name + " is neither old nor new");
  }
}

}  // namespace

std::vector<std::string> problems_of(const CaseRun& run, const Trace& uncut) {
  std::vector<std::string> problems;
  for (const auto& judgement : run.judgements) {
    if (judgement.verdict != invariants::Verdict::fail) continue;
    problems.push_back(judgement.id + ": " + judgement.findings.front().message);
  }
  if (!run.result.has_finished) problems.emplace_back("the run gets stuck");
  find_unsettled(run.result.trace, problems);
  find_unanswered(run.result.trace, problems);
  find_torn_files(run.result.trace, uncut, problems);
  if (!run.result.alive.empty()) problems.push_back("something is left alive: " + run.result.alive);
  return problems;
}

CaseRun play_point(SweepPoint point, Subject& subject, const Variant& variant,
                   const RunOptions& options, const invariants::Catalogue& facts) {
  RunOptions cut = swept(options);
  (point.kind == SweepKind::abort ? cut.abort_at : cut.fail_at) = point.at;
  CaseRun run = run_case(subject, variant, cut, facts);
  run.unmet.clear();
  return run;
}

std::int64_t point_count(SweepKind kind, const CaseRun& run) {
  if (kind == SweepKind::abort) return std::ssize(run.result.steps);
  return operation_count(run.result.trace);
}

SweepReport sweep(const SweepPlan& plan, Subject& subject, const Variant& variant,
                  const RunOptions& options, const invariants::Catalogue& facts) {
  RunOptions whole = swept(options);
  whole.records_steps = true;
  const CaseRun uncut = run_case(subject, variant, whole, facts);
  SweepReport report;
  if (plan.kind == SweepKind::abort) report.points_total = point_count(plan.kind, uncut);
  for (std::int64_t at = 1; !report.points_total || at <= *report.points_total; ++at) {
    report.is_complete = at <= plan.points_max;
    if (!report.is_complete) break;
    CaseRun run = play_point({plan.kind, at}, subject, variant, options, facts);
    // A failed operation may lead to others: go on until a run is clean.
    if (plan.kind == SweepKind::fail && operation_count(run.result.trace) < at) {
      report.points_total = report.points;
      break;
    }
    ++report.points;
    auto problems = problems_of(run, uncut.result.trace);
    if (!problems.empty()) report.failures.push_back({at, std::move(problems), std::move(run)});
  }
  return report;
}

}  // namespace plumb::simulator
