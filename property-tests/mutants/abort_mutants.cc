// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <utility>

#include "engine/kernel/abort_signal.h"
#include "property-tests/mutants/order_mutants.h"
#include "property-tests/mutants/outer_hooks.h"

namespace plumb::simulator {
namespace {

using engine::Policies;
using engine::Task;

class AbortReplacesErrors final : public OuterHooks {
 public:
  using OuterHooks::OuterHooks;

  Task<engine::ToolResult> after_call(engine::CallView call, engine::ToolResult result) override {
    const engine::AbortSignal signal = call.signal;
    engine::ToolResult after = co_await inner_.after_call(std::move(call), std::move(result));
    if (signal.aborted() && after.is_error) after = engine::error_result("Operation aborted");
    co_return after;
  }
};

class AbortMakesErrors final : public OuterHooks {
 public:
  using OuterHooks::OuterHooks;

  Task<engine::ToolResult> after_call(engine::CallView call, engine::ToolResult result) override {
    const engine::AbortSignal signal = call.signal;
    engine::ToolResult after = co_await inner_.after_call(std::move(call), std::move(result));
    if (signal.aborted()) after.is_error = true;
    co_return after;
  }
};

/// Every execution of a host's tool gets a signal that nobody ever sets.
void give_fresh_signals(engine::SessionOptions& options) {
  for (auto& tool : options.sdk_tools) {
    tool.execute = [execute = tool.execute](engine::ToolCall call) {
      call.signal = engine::AbortSignal();
      return execute(std::move(call));
    };
  }
}

Mutant fresh_signal() {
  Mutant mutant;
  mutant.name = "abort-fresh-signal-for-each-call";
  mutant.kind = MutantKind::extension;
  mutant.rule = "ABORT-01";
  mutant.change = "tools get a signal that is never set";
  mutant.alterations.session = give_fresh_signals;
  return mutant;
}

void request_anyway(Policies& policies) {
  policies.session.may_request = [](bool) { return true; };
}

void add_abort_call_mutants(std::vector<Mutant>& list) {
  list.push_back(fresh_signal());
  list.push_back(policy_mutant("abort-prepared-calls-still-start", "ABORT-02",
                               "an abort ends no call that waits", [](Policies& policies) {
                                 policies.abort_ends_call = [](engine::AbortPoint) {
                                   return false;
                                 };
                               }));
  list.push_back(hook_mutant<AbortReplacesErrors>("abort-drops-the-tools-error", "ABORT-03",
                                                  "errors after an abort lose their text"));
  list.push_back(hook_mutant<AbortMakesErrors>("abort-forces-an-error", "ABORT-04",
                                               "every result after an abort is an error"));
  list.push_back(policy_mutant("abort-remaining-calls-vanish", "ABORT-06",
                               "calls after an aborted one are skipped", [](Policies& policies) {
                                 policies.siblings_go_on = [](const engine::FinishedCall& call) {
                                   return call.cause != engine::Cause::aborted;
                                 };
                               }));
}

void add_abort_run_mutants(std::vector<Mutant>& list) {
  list.push_back(policy_mutant("abort-one-more-request", "ABORT-08",
                               "the model is asked after an abort", request_anyway));
  list.push_back(policy_mutant("abort-cut-answer-runs", "ABORT-09",
                               "calls of an aborted answer run", [](Policies& policies) {
                                 policies.session.answer_ends_run = [](engine::StopReason) {
                                   return false;
                                 };
                               }));
  list.push_back(policy_mutant("abort-prepared-run-still-asks", "ABORT-13",
                               "a run that was aborted before it began asks the model",
                               request_anyway));
}

/// Other rules that a mutant breaks too.
const std::map<std::string, std::vector<std::string>>& abort_side_effects() {
  static const std::map<std::string, std::vector<std::string>> kRules{
      {"abort-prepared-calls-still-start", {"HOOK-28"}},
      {"abort-drops-the-tools-error", {"RESULT-13"}},
      {"abort-forces-an-error", {"RESULT-16"}},
      {"abort-remaining-calls-vanish", {"ABORT-02", "BATCH-06", "EVENT-03", "EVENT-04"}},
      {"abort-one-more-request", {"ABORT-13"}},
      {"abort-cut-answer-runs", {"EVENT-29"}},
  };
  return kRules;
}

}  // namespace

std::vector<Mutant> abort_mutants() {
  std::vector<Mutant> list;
  add_abort_call_mutants(list);
  add_abort_run_mutants(list);
  name_also(list, abort_side_effects());
  return list;
}

}  // namespace plumb::simulator
