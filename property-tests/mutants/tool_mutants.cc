// SPDX-License-Identifier: Apache-2.0
// Mutants of tools: TOOL.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "property-tests/mutants/mutant.h"
#include "property-tests/mutants/outer_hooks.h"

namespace plumb::simulator {
namespace {

using engine::Policies;
using Names = std::vector<std::string>;

Names without(const Names& names, const Names& others) {
  Names rest = names;
  std::erase_if(rest,
                [&](const auto& name) { return std::ranges::find(others, name) != others.end(); });
  return rest;
}

bool keeps_labelled_tool(const engine::ToolFilters& filters, const engine::RegisteredTool& tool) {
  const bool is_complete = tool.level == engine::Level::builtin || !tool.definition.label.empty();
  return is_complete && engine::keeps_tool(filters, tool);
}

engine::SourceInfo source_of_engine(const engine::SourceInfo& /*extension*/) {
  engine::SourceInfo source;
  source.path = "engine";
  return source;
}

std::shared_ptr<Json> validated_arguments(const engine::RegisteredTool& /*tool*/,
                                          const Json& validated,
                                          const std::shared_ptr<Json>& /*handled*/) {
  return std::make_shared<Json>(validated);
}

/// Hooks that live in the wrapper of a tool, beside those of the session: the chain runs twice.
class HooksTwice final : public OuterHooks {
 public:
  using OuterHooks::OuterHooks;

  engine::Task<engine::BeforeOutcome> before_call(engine::CallView call) override {
    engine::CallView again = call;
    const auto first = co_await inner_.before_call(std::move(again));
    if (first.verdict != engine::BeforeVerdict::allow) co_return first;
    co_return co_await inner_.before_call(std::move(call));
  }
};

Mutant hooks_run_twice() {
  Mutant mutant =
      hook_mutant<HooksTwice>("tool-hooks-run-twice", "TOOL-09",
                              "the wrapper of a tool runs the tool_call chain once more");
  mutant.also = {"HOOK-01"};
  return mutant;
}

Names whole_active_set(const Names& before, const Names& after, const Names& returned) {
  return engine::added_tool_names(before, after, returned).empty() ? Names() : after;
}

Names added_half(const Names& before, const Names& after, const Names& /*returned*/) {
  return without(after, before);
}

Names active_set_that_stayed(const Names& before, const Names& after, const Names& returned) {
  const bool is_same = without(before, after).empty() && without(after, before).empty();
  return is_same ? after : engine::added_tool_names(before, after, returned);
}

Json listed_with_execute(const engine::RegisteredTool& tool) {
  Json json = engine::listed_metadata(tool);
  json["execute"] = "function";
  return json;
}

/// Remembers what was replaced and calls it.
void call_the_replaced_tool(Policies& policies) {
  // Shared by the two decisions of one run.
  auto replaced = std::make_shared<std::map<std::string, engine::RegisteredToolPtr>>();
  policies.level_replaces = [replaced](const engine::RegisteredTool& owner,
                                       const engine::RegisteredTool& challenger) {
    replaced->try_emplace(owner.definition.name,
                          std::make_shared<const engine::RegisteredTool>(owner));
    return engine::later_level_replaces(owner, challenger);
  };
  policies.find_tool = [replaced](const engine::TurnTools& turn, std::string_view name) {
    const auto found = replaced->find(std::string(name));
    return found == replaced->end() ? engine::tool_of_turn(turn, name) : found->second;
  };
}

/// Declares a tool that nobody registered.
class GhostDeclaration final : public engine::Provider {
 public:
  explicit GhostDeclaration(engine::Provider& inner) : inner_(inner) {}

  engine::Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest request,
                                                          engine::StreamSink& sink,
                                                          engine::AbortSignal signal) override {
    const Json ghost{{"name", "ghost"}, {"description", "g"}, {"parameters", Json::object()}};
    request.tools.push_back({"ghost", SharedJson(ghost)});
    return inner_.complete(std::move(request), sink, std::move(signal));
  }

 private:
  engine::Provider& inner_;
};

Mutant declares_a_ghost() {
  Mutant mutant = port_mutant("tool-ghost-is-declared", "TOOL-25",
                              "requests declare a tool that the registry lacks");
  mutant.alterations.provider = [](engine::Provider& inner, engine::Loop& /*loop*/) {
    return std::make_unique<GhostDeclaration>(inner);
  };
  return mutant;
}

std::vector<Mutant> definition_mutants() {
  return {
      policy_mutant("tool-label-is-demanded", "TOOL-01", "a tool without a label is dropped",
                    [](Policies& policies) { policies.keeps_tool = keeps_labelled_tool; }),
      policy_mutant("tool-source-is-the-engine", "TOOL-03",
                    "tools of extensions are kept with the engine as their source",
                    [](Policies& policies) { policies.registry.source = source_of_engine; }),
      policy_mutant("tool-listing-hands-out-execute", "TOOL-14",
                    "the listing holds live definitions",
                    [](Policies& policies) { policies.registry.listed = listed_with_execute; }),
      policy_mutant("tool-replaced-one-is-called", "TOOL-15",
                    "a call of an override runs the tool that it replaced", call_the_replaced_tool),
      declares_a_ghost(),
  };
}

std::vector<Mutant> execution_mutants() {
  return {
      policy_mutant("tool-internal-call-id", "TOOL-06", "execute is told an id of the engine's own",
                    [](Policies& policies) {
                      policies.execute_id = [](const engine::ToolCallBlock& call) {
                        return "internal-" + call.id;
                      };
                    }),
      trips_also(policy_mutant("tool-handlers-changes-are-lost", "TOOL-07",
                               "execute gets the arguments as they were before the handlers",
                               [](Policies& policies) {
                                 policies.arguments_after_handlers = validated_arguments;
                               }),
                 {"PIPE-06"}),
      hooks_run_twice(),
      policy_mutant("tool-added-names-are-the-whole-set", "TOOL-10",
                    "addedToolNames lists every active tool",
                    [](Policies& policies) { policies.added_tool_names = whole_active_set; }),
      policy_mutant("tool-added-half-of-a-swap", "TOOL-11",
                    "addedToolNames is given though a tool went",
                    [](Policies& policies) { policies.added_tool_names = added_half; }),
      policy_mutant("tool-same-set-counts-as-added", "TOOL-12",
                    "setting the same names again fills addedToolNames",
                    [](Policies& policies) { policies.added_tool_names = active_set_that_stayed; }),
  };
}

}  // namespace

std::vector<Mutant> tool_mutants() {
  auto list = definition_mutants();
  std::ranges::move(execution_mutants(), std::back_inserter(list));
  return list;
}

}  // namespace plumb::simulator
