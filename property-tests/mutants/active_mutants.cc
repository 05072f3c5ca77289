// SPDX-License-Identifier: Apache-2.0
// Mutants of the active set: ACTIVE, and what extensions must not be to each other (EXT-33).
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {
namespace {

using engine::Policies;
using engine::RegisteredTool;
using engine::RegisteredToolPtr;
using engine::Task;
using engine::TurnTools;
using Names = std::vector<std::string>;

bool holds_word(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Names refuses_unknown(const Names& present, const Names& requested, const Names& known) {
  const bool is_known =
      std::ranges::all_of(requested, [&](const auto& name) { return holds_word(known, name); });
  return is_known ? engine::arrange_active(present, requested, known) : present;
}

Names merges(const Names& present, Names requested, const Names& known) {
  requested.insert(requested.end(), present.begin(), present.end());
  return engine::arrange_active(present, requested, known);
}

Names switches_the_rest_on(const Names& present, Names requested, const Names& known) {
  for (const auto& name : known) {
    if (!holds_word(present, name)) requested.push_back(name);
  }
  return engine::arrange_active(present, requested, known);
}

RegisteredToolPtr tool_of_registry(const TurnTools& turn, std::string_view name) {
  const auto found = std::ranges::find(turn.registered, name,
                                       [](const auto& tool) { return tool->definition.name; });
  return found == turn.registered.end() ? nullptr : *found;
}

/// A tool that was not there when the session started waits for the next one.
void late_tools_stay_inactive(Policies& policies) {
  // Shared by the copies of the function; one a run. A ticket that is seen again ends the start.
  struct Start {
    std::set<std::int64_t> tickets;
    bool is_over = false;
  };
  policies.activates_on_registration = [start =
                                            std::make_shared<Start>()](const RegisteredTool& tool) {
    if (start->tickets.contains(tool.ticket)) start->is_over = true;
    if (!start->is_over) start->tickets.insert(tool.ticket);
    return start->tickets.contains(tool.ticket) && engine::activates_on_registration(tool);
  };
}

/// Looks calls up in the set as it is now.
void look_up_live(Policies& policies) {
  // Shared by the two decisions of one run.
  auto live = std::make_shared<std::optional<Names>>();
  policies.arrange_active = [live](const Names& present, const Names& requested,
                                   const Names& known) {
    *live = engine::arrange_active(present, requested, known);
    return **live;
  };
  policies.find_tool = [live](const TurnTools& turn, std::string_view name) -> RegisteredToolPtr {
    if (*live && !holds_word(**live, name)) return nullptr;
    return engine::tool_of_turn(turn, name);
  };
}

/// Every request declares the tools of the first one.
class FrozenDeclarations final : public engine::Provider {
 public:
  explicit FrozenDeclarations(engine::Provider& inner) : inner_(inner) {}

  engine::Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest request,
                                                          engine::StreamSink& sink,
                                                          engine::AbortSignal signal) override {
    if (!first_) first_ = request.tools;
    request.tools = *first_;
    return inner_.complete(std::move(request), sink, std::move(signal));
  }

 private:
  engine::Provider& inner_;
  std::optional<std::vector<engine::ToolDeclaration>> first_;
};

Mutant declarations_are_frozen() {
  Mutant mutant = port_mutant("active-change-waits-for-the-next-prompt", "ACTIVE-08",
                              "the requests of a run declare the tools of its first one");
  mutant.also = {"CACHE-25", "TOOL-01", "TOOL-25"};
  // An announcement in the messages would tell the model of the change all the same.
  mutant.alterations.session = [](engine::SessionOptions& options) {
    options.announces_tool_changes = false;
  };
  mutant.alterations.provider = [](engine::Provider& inner, engine::Loop& /*loop*/) {
    return std::make_unique<FrozenDeclarations>(inner);
  };
  return mutant;
}

Mutant defaults_join_the_hosts_choice() {
  Mutant mutant;
  mutant.name = "active-defaults-join-the-hosts-choice";
  mutant.kind = MutantKind::extension;
  mutant.rule = "ACTIVE-14";
  mutant.also = {"ACTIVE-15"};
  mutant.change = "the default built-ins are active beside those that the host names";
  mutant.alterations.session = [](engine::SessionOptions& options) {
    if (!options.active.initial) return;
    std::ranges::move(engine::default_active_tools(), std::back_inserter(*options.active.initial));
  };
  return mutant;
}

/// What a loader remembers beyond a load: the extensions of the first one, and which came again.
struct LoaderMemory {
  std::vector<engine::ExtensionFactory> factories;
  std::set<std::size_t> loaded;
};

/// The last extension of a load brings those of earlier loads with it.
class RememberingFactory final {
 public:
  RememberingFactory(std::shared_ptr<LoaderMemory> memory, std::size_t index)
      : memory_(std::move(memory)), index_(index) {}
  Task<Result<void>> operator()(engine::ExtensionApi& api) const {
    return load(memory_, index_, &api);
  }

 private:
  static Task<Result<void>> load(std::shared_ptr<LoaderMemory> memory, std::size_t index,
                                 engine::ExtensionApi* api) {
    memory->loaded.insert(index);
    auto loaded = co_await memory->factories[index](*api);
    if (!loaded || index + 1 != memory->factories.size()) co_return loaded;
    for (std::size_t i = 0; i < index && loaded; ++i) {
      if (!memory->loaded.contains(i)) loaded = co_await memory->factories[i](*api);
    }
    memory->loaded.clear();
    co_return loaded;
  }

  // Shared by all extensions of a session.
  std::shared_ptr<LoaderMemory> memory_;
  std::size_t index_;
};

Mutant remembering_loader() {
  Mutant mutant;
  mutant.name = "extension-taken-out-stays-loaded";
  mutant.kind = MutantKind::extension;
  mutant.rule = "EXT-33";
  mutant.change = "what an earlier load registered is there again after a reload";
  mutant.also = {"EVENT-24", "REG-03"};
  mutant.alterations.session = [](engine::SessionOptions& options) {
    const auto memory = std::make_shared<LoaderMemory>();
    for (std::size_t i = 0; i < options.extensions.size(); ++i) {
      auto& factory = options.extensions[i].factory;
      memory->factories.push_back(std::move(factory));
      factory = RememberingFactory(memory, i);
    }
  };
  return mutant;
}

std::vector<Mutant> set_mutants() {
  return {
      trips_also(
          policy_mutant("active-unknown-name-refuses-the-set", "ACTIVE-05",
                        "an unknown name makes setActiveTools do nothing",
                        [](Policies& policies) { policies.arrange_active = refuses_unknown; }),
          {"ACTIVE-06", "ACTIVE-12"}),
      trips_also(policy_mutant("active-set-is-merged", "ACTIVE-06",
                               "setActiveTools adds to the present set",
                               [](Policies& policies) { policies.arrange_active = merges; }),
                 {"ACTIVE-05", "ACTIVE-12", "ACTIVE-18"}),
      trips_also(
          policy_mutant("active-inactive-tools-come-back", "ACTIVE-18",
                        "handing back the active names switches the inactive ones on",
                        [](Policies& policies) { policies.arrange_active = switches_the_rest_on; }),
          {"ACTIVE-06", "ACTIVE-12", "TOOL-23"}),
      defaults_join_the_hosts_choice(),
  };
}

std::vector<Mutant> time_mutants() {
  return {
      policy_mutant("active-extension-tools-start-inactive", "ACTIVE-01",
                    "tools of extensions wait until somebody activates them",
                    [](Policies& policies) {
                      policies.activates_on_registration = [](const RegisteredTool&) {
                        return false;
                      };
                    }),
      policy_mutant("active-late-tools-need-a-reload", "ACTIVE-03",
                    "a tool registered during a session stays inactive", late_tools_stay_inactive),
      declarations_are_frozen(),
      trips_also(policy_mutant("active-calls-are-recalled", "ACTIVE-09",
                               "a call is looked up in the set as it is when the call starts",
                               look_up_live),
                 {"PROMPT-03", "TOOL-01"}),
      trips_also(policy_mutant("active-registry-answers-calls", "ACTIVE-10",
                               "a call is looked up in the registry, not among the active tools",
                               [](Policies& policies) { policies.find_tool = tool_of_registry; }),
                 {"PIPE-05", "RESULT-10"}),
      remembering_loader(),
  };
}

}  // namespace

std::vector<Mutant> active_mutants() {
  auto list = set_mutants();
  std::ranges::move(time_mutants(), std::back_inserter(list));
  return list;
}

}  // namespace plumb::simulator
