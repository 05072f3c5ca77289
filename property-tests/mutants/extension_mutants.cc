// SPDX-License-Identifier: Apache-2.0
// Mutants of what extensions hear and how they are loaded: EXT, and the chains of EVENT that change
// something.
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/kernel/fiber.h"
#include "engine/kernel/loop.h"
#include "property-tests/mutants/order_mutants.h"

namespace plumb::simulator {
namespace {

using engine::ExtensionApi;
using engine::ExtensionFactory;
using engine::ExtensionSource;
using engine::HandlerContext;
using engine::HandlerResult;
using engine::Policies;
using engine::SessionOptions;
using engine::Task;

Mutant loading_mutant(std::string name, std::string rule, std::string change,
                      std::function<void(SessionOptions&)> alter) {
  Mutant mutant;
  mutant.name = std::move(name);
  mutant.kind = MutantKind::extension;
  mutant.rule = std::move(rule);
  mutant.change = std::move(change);
  mutant.alterations.session = std::move(alter);
  return mutant;
}

Task<Result<void>> register_nothing(ExtensionApi&) {
  co_return Result<void>();
}

/// A loader that does not wait for factories.
class DetachedFactory final {
 public:
  explicit DetachedFactory(ExtensionFactory inner) : inner_(std::move(inner)) {}

  Task<Result<void>> operator()(ExtensionApi& api) const { return start(inner_, &api); }

 private:
  static Task<Result<void>> start(ExtensionFactory inner, ExtensionApi* api) {
    engine::Fiber& fiber = co_await engine::current_fiber();
    fiber.loop->spawn(work(std::move(inner), api), "a factory");
    co_return Result<void>();
  }
  static Task<void> work(ExtensionFactory inner, ExtensionApi* api) {
    co_await fiber_sleep();
    const Result<void> loaded = co_await inner(*api);
    static_cast<void>(loaded);
  }
  static Task<void> fiber_sleep() {
    engine::Fiber& fiber = co_await engine::current_fiber();
    co_await fiber.loop->sleep_ms(1);
  }

  ExtensionFactory inner_;
};

/// An engine that has a terminal of its own, at which somebody says yes.
class OwnTerminal final : public engine::UserInterface {
 public:
  explicit OwnTerminal(engine::UserInterface& inner) : inner_(inner) {}
  bool is_attached() const override { return inner_.is_attached(); }
  Task<engine::DialogAnswer> ask(engine::Dialog /*dialog*/) override {
    co_return engine::DialogAnswer(Json(true));
  }

 private:
  engine::UserInterface& inner_;
};

/// The gate of the documents, done wrong: `judge` says whether it blocks.
class WrongGate final {
 public:
  using Judge = HandlerResult (*)(const HandlerContext&);
  explicit WrongGate(Judge judge) : judge_(judge) {}

  Task<Result<void>> operator()(ExtensionApi& api) const { return load(&api, judge_); }

 private:
  static Task<Result<void>> load(ExtensionApi* api, Judge judge) {
    static_cast<void>(api->on("tool_call", [judge](HandlerContext context) {
      return answer(judge, std::move(context));
    }));
    co_return Result<void>();
  }
  static Task<HandlerResult> answer(Judge judge, HandlerContext context) {
    co_return judge(context);
  }

  Judge judge_;
};

HandlerResult block_by_raw_text(const HandlerContext& context) {
  if (!context.input || !context.input->dump().contains("rm -rf")) {
    return std::optional<Json>();
  }
  return std::optional<Json>(Json{{"block", true}, {"reason", "rm -rf"}});
}

HandlerResult throw_without_a_text(const HandlerContext& context) {
  if (!context.input || !context.input->contains("command") ||
      !(*context.input)["command"].is_string()) {
    return std::unexpected(engine::Thrown("command.includes is not a function"));
  }
  return std::optional<Json>();
}

std::function<void(SessionOptions&)> with_gate(WrongGate::Judge judge) {
  return [judge](SessionOptions& options) {
    for (auto& one : options.extensions) {
      if (one.source.path == "<inline:shell-gate>") one.factory = WrongGate(judge);
    }
  };
}

void load_twice(SessionOptions& options) {
  if (options.extensions.empty()) return;
  options.extensions.push_back(options.extensions.front());
}

void load_a_stray(SessionOptions& options) {
  engine::SourceInfo source = engine::inline_source("stray");
  source.path = "<user:stray>";
  options.extensions.emplace_back(std::move(source), register_nothing);
}

void add_loading_mutants(std::vector<Mutant>& list) {
  list.push_back(loading_mutant("ext-factory-is-called-twice", "EXT-01",
                                "the first factory is called once more at the end", load_twice));
  list.push_back(loading_mutant("ext-registrations-of-a-load-are-lost", "EXT-02",
                                "what factories register is lost", [](SessionOptions& options) {
                                  for (auto& one : options.extensions)
                                    one.factory = register_nothing;
                                }));
  list.push_back(loading_mutant("ext-factories-are-not-awaited", "EXT-03",
                                "the session starts while factories work",
                                [](SessionOptions& options) {
                                  for (auto& one : options.extensions) {
                                    one.factory = DetachedFactory(std::move(one.factory));
                                  }
                                }));
  list.push_back(loading_mutant("ext-handlers-order-the-calls", "EXT-23",
                                "with an extension, calls run one after the other",
                                [](SessionOptions& options) {
                                  if (options.extensions.empty()) return;
                                  options.tool_execution = engine::ExecutionMode::sequential;
                                }));
  list.push_back(loading_mutant("ext-user-folder-is-scanned", "EXT-31",
                                "an extension is loaded that nobody gave", load_a_stray));
  list.push_back(policy_mutant(
      "ext-unknown-tool-is-found", "EXT-34", "a call of an unknown tool runs another one",
      [](Policies& policies) {
        policies.find_tool = [](const engine::TurnTools& turn, std::string_view name) {
          auto found = engine::tool_of_turn(turn, name);
          return found ? found : turn.active.front();
        };
      }));
}

Mutant own_terminal() {
  Mutant mutant =
      port_mutant("ext-engine-asks-at-its-own-terminal", "EXT-32", "dialogs do not reach the host");
  mutant.alterations.ui = [](engine::UserInterface& inner) {
    return std::make_unique<OwnTerminal>(inner);
  };
  return mutant;
}

void add_builtin_mutants(std::vector<Mutant>& list) {
  list.push_back(
      policy_mutant("ext-replaced-builtin-stays", "EXT-17",
                    "a replaced built-in keeps what nobody else names", [](Policies& policies) {
                      policies.session.replaced_builtin_is_left_out = [] { return false; };
                    }));
  list.push_back(policy_mutant(
      "ext-builtin-vanishes-silently", "EXT-18", "nobody says that a built-in was replaced",
      [](Policies& policies) { policies.session.replacement_is_told = [] { return false; }; }));
}

void add_listing_mutant(std::vector<Mutant>& list) {
  list.push_back(
      policy_mutant("ext-a-listing-ends-a-session", "EXT-08",
                    "a load without a session is told of its end", [](Policies& policies) {
                      policies.session.announces_shutdown = [](std::string_view) { return true; };
                    }));
}

void add_chain_mutants(std::vector<Mutant>& list) {
  list.push_back(policy_mutant(
      "event-handled-input-runs", "EVENT-18", "a handled input is a prompt all the same",
      [](Policies& policies) { policies.session.input_starts_run = [](bool) { return true; }; }));
  list.push_back(policy_mutant("event-rewritten-context-is-stored", "EVENT-22",
                               "what handlers made of a request stays", [](Policies& policies) {
                                 policies.session.context_changes_are_stored = [] { return true; };
                               }));
  list.push_back(policy_mutant("ext-first-throw-ends-the-dispatch", "EXT-26",
                               "nobody hears of an event after a throw", [](Policies& policies) {
                                 policies.session.chain_goes_on_after_throw = [](std::string_view) {
                                   return false;
                                 };
                               }));
  list.push_back(policy_mutant(
      "ext-throws-are-swallowed", "EXT-26", "nobody is told of a throw", [](Policies& policies) {
        policies.session.reports_throw = [](std::string_view) { return false; };
      }));
  list.push_back(loading_mutant("ext-gate-reads-raw-text", "EXT-24",
                                "the gate looks for rm -rf in all of every call",
                                with_gate(block_by_raw_text)));
  list.push_back(loading_mutant("ext-gate-fails-at-odd-fields", "EXT-25",
                                "the gate throws at a command that is no text",
                                with_gate(throw_without_a_text)));
}

/// Other rules that a mutant breaks too.
const std::map<std::string, std::vector<std::string>>& extension_side_effects() {
  static const std::map<std::string, std::vector<std::string>> kRules{
      {"ext-unknown-tool-is-found", {"PIPE-05", "RESULT-10"}},
      {"ext-factory-is-called-twice", {"EXT-04", "EVENT-44"}},
      {"ext-registrations-of-a-load-are-lost", {"EXT-03", "EVENT-44"}},
      {"ext-factories-are-not-awaited", {"EXT-02", "EVENT-44"}},
      {"ext-handlers-order-the-calls", {"BATCH-01", "BATCH-05"}},
      {"ext-builtin-vanishes-silently", {"EXT-20"}},
      {"ext-a-listing-ends-a-session", {"EVENT-39"}},
      {"ext-gate-fails-at-odd-fields", {"EXT-24"}},
  };
  return kRules;
}

}  // namespace

std::vector<Mutant> extension_mutants() {
  std::vector<Mutant> list;
  add_loading_mutants(list);
  add_chain_mutants(list);
  add_builtin_mutants(list);
  add_listing_mutant(list);
  list.push_back(own_terminal());
  name_also(list, extension_side_effects());
  return list;
}

}  // namespace plumb::simulator
