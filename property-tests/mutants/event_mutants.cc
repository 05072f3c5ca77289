// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/kernel/fiber.h"
#include "engine/kernel/loop.h"
#include "property-tests/mutants/order_mutants.h"
#include "property-tests/mutants/outer_hooks.h"

namespace plumb::simulator {
namespace {

using engine::Policies;
using engine::Task;

class ResultHooksFirst final : public OuterHooks {
 public:
  using OuterHooks::OuterHooks;

  Task<engine::BeforeOutcome> before_call(engine::CallView call) override {
    engine::CallView early = call;
    engine::ToolResult empty = engine::text_result("");
    co_await inner_.after_call(std::move(early), std::move(empty));
    engine::BeforeOutcome outcome = co_await inner_.before_call(std::move(call));
    co_return outcome;
  }
};

class ResultHooksForBlockedCalls final : public OuterHooks {
 public:
  using OuterHooks::OuterHooks;

  Task<engine::BeforeOutcome> before_call(engine::CallView call) override {
    engine::CallView blocked = call;
    engine::BeforeOutcome outcome = co_await inner_.before_call(std::move(call));
    if (outcome.verdict != engine::BeforeVerdict::block) co_return outcome;
    engine::ToolResult refusal = engine::error_result(outcome.message);
    co_await inner_.after_call(std::move(blocked), std::move(refusal));
    co_return outcome;
  }
};

class ForgottenUpdates final : public OuterHooks {
 public:
  using OuterHooks::OuterHooks;

  Task<void> on_event(std::string call_id, Payload event) override {
    if (event.as<ToolExecutionUpdate>() == nullptr) {
      co_await inner_.on_event(std::move(call_id), std::move(event));
      co_return;
    }
    engine::Fiber& fiber = co_await engine::current_fiber();
    const std::string label = call_id;
    fiber.loop->spawn(inner_.on_event(std::move(call_id), std::move(event)), label);
  }
};

/// The engine never sees the last call of an answer that has several.
class ForgetfulProvider final : public engine::Provider {
 public:
  explicit ForgetfulProvider(engine::Provider& inner) : inner_(inner) {}

  Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest request,
                                                  engine::StreamSink& sink,
                                                  engine::AbortSignal signal) override {
    auto answer = co_await inner_.complete(std::move(request), sink, std::move(signal));
    if (answer && engine::tool_calls_of(*answer).size() > 1) answer->content.pop_back();
    co_return answer;
  }

 private:
  engine::Provider& inner_;
};

Mutant forgotten_call() {
  Mutant mutant = port_mutant("event-last-call-leaves-no-trace", "EVENT-03",
                              "the last call of an answer is lost");
  mutant.alterations.provider = [](engine::Provider& inner, engine::Loop&) {
    return std::make_unique<ForgetfulProvider>(inner);
  };
  return mutant;
}

void accept_updates_after_the_end(Policies& policies) {
  policies.update_is_accepted = [](engine::UpdateMoment moment) {
    return moment != engine::UpdateMoment::settled;
  };
}

void accept_updates_until_the_end(Policies& policies) {
  policies.update_is_accepted = [](engine::UpdateMoment moment) {
    return moment != engine::UpdateMoment::ended;
  };
}

void add_call_mutants(std::vector<Mutant>& list) {
  list.push_back(hook_mutant<ResultHooksFirst>("event-result-handlers-come-first", "EVENT-01",
                                               "result handlers run before those of the call"));
  list.push_back(hook_mutant<ResultHooksForBlockedCalls>("event-blocked-call-has-result-handlers",
                                                         "EVENT-02",
                                                         "result handlers run for blocked calls"));
  list.push_back(forgotten_call());
  list.push_back(policy_mutant("event-start-hides-arguments", "EVENT-04",
                               "start events show no arguments", [](Policies& policies) {
                                 policies.start_arguments = [](const engine::ToolCallBlock&) {
                                   return SharedJson(Json::object());
                                 };
                               }));
}

void add_update_mutants(std::vector<Mutant>& list) {
  list.push_back(policy_mutant("event-update-after-the-end", "EVENT-05",
                               "updates pass after the end", accept_updates_after_the_end));
  list.push_back(policy_mutant("event-update-is-a-new-item", "EVENT-06",
                               "updates carry ids of their own", [](Policies& policies) {
                                 policies.id_of_update = [](const std::string& call) {
                                   return call + "-update";
                                 };
                               }));
  list.push_back(policy_mutant("event-gate-stays-open", "EVENT-07",
                               "updates pass when execute has settled",
                               accept_updates_until_the_end));
  list.push_back(hook_mutant<ForgottenUpdates>("event-updates-are-not-awaited", "EVENT-08",
                                               "listeners of updates are not awaited"));
}

void add_boundary_mutants(std::vector<Mutant>& list) {
  list.push_back(policy_mutant("event-turn-ends-before-it-is-stored", "EVENT-12",
                               "turn_end names entries that are not there", [](Policies& policies) {
                                 policies.session.entry_shown_at_turn_end =
                                     [](std::string_view id) { return std::string(id) + "-next"; };
                               }));
  list.push_back(policy_mutant("event-continuation-is-ignored", "EVENT-15",
                               "nobody goes on before the settlement", [](Policies& policies) {
                                 policies.session.grants_continuation = [](bool) { return false; };
                               }));
  list.push_back(policy_mutant(
      "event-handlers-hear-other-events", "EVENT-44", "handlers of input hear of turns too",
      [](Policies& policies) {
        policies.session.handler_hears = [](std::string_view subscribed, std::string_view event) {
          return subscribed == event || (subscribed == "input" && event == "turn_start");
        };
      }));
}

void add_preparation_mutant(std::vector<Mutant>& list) {
  list.push_back(policy_mutant(
      "event-chosen-tools-stay", "EVENT-21", "tools that were chosen for a run stay chosen",
      [](Policies& policies) { policies.session.selection_ends_with_run = [] { return false; }; }));
}

void add_run_mutants(std::vector<Mutant>& list) {
  list.push_back(policy_mutant("event-settles-before-the-retry", "EVENT-14",
                               "settles although a retry was announced", [](Policies& policies) {
                                 policies.session.retry_precedes_settlement = [](bool) {
                                   return false;
                                 };
                               }));
  list.push_back(policy_mutant(
      "event-aborted-run-is-asked", "EVENT-17", "aborted runs are asked to go on",
      [](Policies& policies) { policies.session.asks_before_settle = [](bool) { return true; }; }));
  list.push_back(policy_mutant("event-failed-answer-runs", "EVENT-29",
                               "calls of a failed answer run", [](Policies& policies) {
                                 policies.session.answer_ends_run = [](engine::StopReason) {
                                   return false;
                                 };
                               }));
  list.push_back(policy_mutant("event-every-start-is-a-startup", "EVENT-38",
                               "a reload is told as a startup", [](Policies& policies) {
                                 policies.session.reason_of_start = [](std::string_view) {
                                   return std::string("startup");
                                 };
                               }));
  list.push_back(policy_mutant("event-old-instances-are-not-told", "EVENT-39",
                               "a reload shuts nothing down", [](Policies& policies) {
                                 policies.session.announces_shutdown = [](std::string_view reason) {
                                   return reason != "reload";
                                 };
                               }));
}

/// Other rules that a mutant breaks too.
const std::map<std::string, std::vector<std::string>>& event_side_effects() {
  static const std::map<std::string, std::vector<std::string>> kRules{
      {"event-result-handlers-come-first", {"HOOK-22", "PIPE-01", "TOOL-09"}},
      {"event-blocked-call-has-result-handlers", {"HOOK-22"}},
      {"event-last-call-leaves-no-trace", {"BATCH-06", "BATCH-08", "BATCH-11", "EVENT-04"}},
      {"event-start-hides-arguments", {"PIPE-09"}},
      {"event-update-after-the-end", {"EVENT-07"}},
      {"event-update-is-a-new-item", {"EVENT-05"}},
      {"event-failed-answer-runs", {"ABORT-09", "BATCH-17"}},
      {"event-old-instances-are-not-told", {"EVENT-38", "EXT-01", "EXT-04", "EXT-28"}},
  };
  return kRules;
}

}  // namespace

std::vector<Mutant> event_mutants() {
  std::vector<Mutant> list;
  add_call_mutants(list);
  add_update_mutants(list);
  add_run_mutants(list);
  add_boundary_mutants(list);
  add_preparation_mutant(list);
  name_also(list, event_side_effects());
  return list;
}

}  // namespace plumb::simulator
