// SPDX-License-Identifier: Apache-2.0
// Mutants of handlers and gates: HOOK. Some decide wrongly; some stand between the engine and the
// extensions' handlers, as a host's own hooks may, and bend what passes; one answers for the user.
#include <algorithm>
#include <map>
#include <utility>

#include "engine/kernel/join.h"
#include "property-tests/mutants/mutant.h"
#include "property-tests/mutants/outer_hooks.h"

namespace plumb::simulator {
namespace {

using engine::BeforeOutcome;
using engine::BeforeVerdict;
using engine::CallView;
using engine::Policies;
using engine::Task;
using engine::ToolResult;

/// Hands everything on to the extensions' handlers; `host_tools` are the names of the host's tools.
class PassingHooks : public OuterHooks {
 public:
  PassingHooks(engine::ToolHooks& inner, std::vector<std::string> host_tools)
      : OuterHooks(inner), host_tools_(std::move(host_tools)) {}

 protected:
  Task<BeforeOutcome> gate_unless(bool is_exempt, CallView call) {
    if (is_exempt) co_return BeforeOutcome();
    BeforeOutcome outcome = co_await inner_.before_call(std::move(call));
    co_return outcome;
  }
  bool is_host_tool(const std::string& name) const {
    return std::ranges::find(host_tools_, name) != host_tools_.end();
  }

 private:
  std::vector<std::string> host_tools_;
};

class HostToolsPass final : public PassingHooks {
 public:
  using PassingHooks::PassingHooks;
  Task<BeforeOutcome> before_call(CallView call) override {
    const bool is_exempt = is_host_tool(call.name);
    return gate_unless(is_exempt, std::move(call));
  }
};

class NestedCallsPass final : public PassingHooks {
 public:
  using PassingHooks::PassingHooks;
  Task<BeforeOutcome> before_call(CallView call) override {
    const bool is_exempt = !call.parent.empty();
    return gate_unless(is_exempt, std::move(call));
  }
};

class ImpatientHooks final : public PassingHooks {
 public:
  using PassingHooks::PassingHooks;
  Task<BeforeOutcome> before_call(CallView call) override {
    constexpr std::int64_t kPatienceMs = 1000;
    Task<BeforeOutcome> asked = inner_.before_call(std::move(call));
    Result<BeforeOutcome> outcome = co_await engine::with_timeout(std::move(asked), kPatienceMs);
    co_return outcome ? *std::move(outcome) : BeforeOutcome();
  }
};

class BlocksAreAudited final : public PassingHooks {
 public:
  using PassingHooks::PassingHooks;
  Task<BeforeOutcome> before_call(CallView call) override {
    BeforeOutcome outcome = co_await inner_.before_call(call);
    if (outcome.verdict == BeforeVerdict::block) {
      ToolResult refusal = engine::error_result(outcome.message);
      co_await inner_.after_call(std::move(call), std::move(refusal));
    }
    co_return outcome;
  }
};

class FirstInputIsShown final : public PassingHooks {
 public:
  using PassingHooks::PassingHooks;
  Task<BeforeOutcome> before_call(CallView call) override {
    first_inputs_[call.id] = *call.input;
    return inner_.before_call(std::move(call));
  }
  Task<ToolResult> after_call(CallView call, ToolResult result) override {
    call.input = std::make_shared<Json>(first_inputs_[call.id]);
    return inner_.after_call(std::move(call), std::move(result));
  }

 private:
  std::map<std::string, Json> first_inputs_;
};

/// Takes silence for consent.
class YesWithoutUser final : public engine::UserInterface {
 public:
  explicit YesWithoutUser(engine::UserInterface& inner) : inner_(inner) {}
  bool is_attached() const override { return inner_.is_attached(); }
  Task<engine::DialogAnswer> ask(engine::Dialog dialog) override {
    engine::DialogAnswer answer = co_await inner_.ask(std::move(dialog));
    if (answer.by == "no_ui") answer.value = true;
    co_return answer;
  }

 private:
  engine::UserInterface& inner_;
};

std::vector<std::string> host_tools_of(const engine::SessionOptions& options) {
  std::vector<std::string> names;
  for (const auto& tool : options.sdk_tools) names.push_back(tool.name);
  return names;
}

template <class Hooks>
Mutant hooks_mutant(std::string name, std::string rule, std::string change) {
  Mutant mutant;
  mutant.name = std::move(name);
  mutant.kind = MutantKind::extension;
  mutant.rule = std::move(rule);
  mutant.change = std::move(change);
  mutant.alterations.session = [](engine::SessionOptions& options) {
    options.wrap_hooks = [names = host_tools_of(options)](engine::ToolHooks& inner) {
      return std::make_unique<Hooks>(inner, names);
    };
  };
  return mutant;
}

Mutant yes_without_user() {
  Mutant mutant =
      port_mutant("hook-silence-is-consent", "HOOK-26", "without a user every dialog says yes");
  mutant.alterations.ui = [](engine::UserInterface& inner) {
    return std::make_unique<YesWithoutUser>(inner);
  };
  return mutant;
}

// ------------------------------------------------------------------ decisions

void order_backwards(Policies& policies) {
  policies.session.handler_order = [](std::span<const engine::HandlerSlot> slots) {
    auto order = engine::load_then_registration(slots);
    std::ranges::reverse(order);
    return order;
  };
}

void copy_input(Policies& policies) {
  policies.session.handler_input = [](const std::shared_ptr<Json>& input) {
    return std::make_shared<Json>(*input);
  };
}

void ask_all_in_spite_of_block(Policies& policies) {
  policies.session.verdict_ends_chain = [](const BeforeOutcome& outcome) {
    return outcome.verdict == BeforeVerdict::threw;
  };
}

void run_blocked_calls(Policies& policies) {
  policies.verdict_stops_call = [](const BeforeOutcome& outcome) {
    return outcome.verdict == BeforeVerdict::threw;
  };
}

void block_by_any_answer(Policies& policies) {
  policies.session.answer_blocks = [](const Json& returned) { return returned.is_object(); };
}

void fail_open(Policies& policies) {
  policies.verdict_stops_call = [](const BeforeOutcome& outcome) {
    return outcome.verdict == BeforeVerdict::block;
  };
}

void report_every_throw(Policies& policies) {
  policies.session.reports_throw = [](std::string_view) { return true; };
}

void skip_removed_handlers(Policies& policies) {
  policies.session.removed_handler_still_runs = [](std::string_view) { return false; };
}

void look_at_abort_once(Policies& policies) {
  policies.abort_ends_call = [](engine::AbortPoint point) {
    return point == engine::AbortPoint::start;
  };
}

// ------------------------------------------------------------------ results

void show_executed_result(Policies& policies) {
  policies.session.handler_result = [](const ToolResult& executed, const ToolResult&) {
    return executed;
  };
}

void merge_details(Policies& policies) {
  policies.apply_patch = [](const ToolResult& before, const engine::ResultPatch& patch) {
    ToolResult after = engine::apply_result_patch(before, patch);
    if (!patch.details || !before.details.get().is_object()) return after;
    Json merged = before.details.get();
    merged.update(patch.details->get());
    after.details = SharedJson(std::move(merged));
    return after;
  };
}

void fail_result_on_throw(Policies& policies) {
  policies.session.result_after_throw = [](const ToolResult&, const std::string& error) {
    return engine::error_result(error);
  };
}

/// Patches cannot set isError to `flag`.
void ignore_error_flag(Policies& policies, bool flag) {
  policies.apply_patch = [flag](ToolResult result, engine::ResultPatch patch) {
    if (patch.is_error == flag) patch.is_error.reset();
    return engine::apply_result_patch(std::move(result), patch);
  };
}

void never_raise_error(Policies& policies) {
  ignore_error_flag(policies, true);
}

void never_clear_error(Policies& policies) {
  ignore_error_flag(policies, false);
}

struct HookDecision {
  const char* name;
  const char* rule;
  const char* change;
  void (*alter)(Policies&);
  std::vector<std::string> also;
};

std::vector<HookDecision> hook_decisions() {
  return {
      {"hook-order-is-reversed", "HOOK-01", "the last handler runs first", order_backwards, {}},
      {"hook-input-is-copied", "HOOK-02", "each handler gets a copy of its own", copy_input, {}},
      {"hook-blocks-are-merged",
       "HOOK-03",
       "every handler is asked",
       ask_all_in_spite_of_block,
       {}},
      {"hook-block-is-ignored",
       "HOOK-04",
       "blocked calls run",
       run_blocked_calls,
       {"EVENT-02", "PROMPT-16", "RESULT-12"}},
      {"hook-any-answer-blocks",
       "HOOK-06",
       "any object is a block",
       block_by_any_answer,
       {"RESULT-16"}},
      {"hook-throw-is-ignored", "HOOK-07", "a broken gate is open", fail_open, {"RESULT-12"}},
      {"hook-throw-is-reported", "HOOK-08", "the listener hears of gates", report_every_throw, {}},
      {"hook-results-are-not-chained",
       "HOOK-16",
       "each sees the executed result",
       show_executed_result,
       {}},
      {"hook-details-are-merged", "HOOK-17", "patches of details merge", merge_details, {}},
      {"hook-result-throw-is-an-error",
       "HOOK-19",
       "a throw replaces the result",
       fail_result_on_throw,
       {"HOOK-16", "HOOK-17", "RESULT-16"}},
      {"hook-errors-cannot-be-raised",
       "HOOK-20",
       "isError true is ignored",
       never_raise_error,
       {"HOOK-17"}},
      {"hook-errors-cannot-be-cleared",
       "HOOK-21",
       "isError false is ignored",
       never_clear_error,
       {"HOOK-17"}},
      {"hook-removed-gate-is-skipped",
       "HOOK-27",
       "a handler that is removed in a dispatch does not run in it",
       skip_removed_handlers,
       {"HOOK-01"}},
      {"hook-late-yes-runs",
       "HOOK-28",
       "an abort at the gate is missed",
       look_at_abort_once,
       {"ABORT-02"}},
  };
}

}  // namespace

std::vector<Mutant> hook_mutants() {
  std::vector<Mutant> list;
  for (auto& one : hook_decisions()) {
    list.push_back(policy_mutant(one.name, one.rule, one.change, one.alter));
    list.back().also = std::move(one.also);
  }
  list.push_back(
      hooks_mutant<HostToolsPass>("hook-host-tools-pass", "HOOK-12", "SDK tools are not gated"));
  list.back().also = {"TOOL-09"};
  list.push_back(
      hooks_mutant<ImpatientHooks>("hook-slow-gate-allows", "HOOK-13", "a slow gate is open"));
  list.push_back(hooks_mutant<BlocksAreAudited>("hook-blocks-have-results", "HOOK-22",
                                                "tool_result runs for blocks"));
  list.back().also = {"EVENT-02"};
  list.push_back(hooks_mutant<FirstInputIsShown>("hook-results-show-first-input", "HOOK-23",
                                                 "tool_result shows what handlers were given"));
  list.push_back(yes_without_user());
  list.push_back(hooks_mutant<NestedCallsPass>("hook-nested-calls-pass", "HOOK-29",
                                               "nested calls are not gated"));
  return list;
}

}  // namespace plumb::simulator
