// SPDX-License-Identifier: Apache-2.0
// Mutants of the system prompt: PROMPT, and ACTIVE-07, which rebuilds it.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {
namespace {

using engine::Policies;
using engine::PromptParts;
using engine::RegisteredTool;
using engine::RegisteredToolPtr;
using engine::ToolDefinition;

/// The prompt as it would be if every active tool were changed so.
std::string composed_with(PromptParts parts, void (*change)(ToolDefinition&)) {
  for (auto& tool : parts.tools) {
    auto changed = std::make_shared<RegisteredTool>(*tool);
    change(changed->definition);
    tool = std::move(changed);
  }
  return engine::compose_prompt(parts);
}

Mutant with_changed_tools(std::string name, std::string rule, std::string what,
                          void (*change)(ToolDefinition&)) {
  return policy_mutant(std::move(name), std::move(rule), std::move(what),
                       [change](Policies& policies) {
                         policies.session.compose_prompt = [change](const PromptParts& parts) {
                           return composed_with(parts, change);
                         };
                       });
}

void description_for_snippet(ToolDefinition& tool) {
  if (!tool.prompt_snippet.empty()) tool.prompt_snippet = tool.description;
}

void description_without_snippet(ToolDefinition& tool) {
  if (engine::normal_snippet(tool.prompt_snippet).empty()) tool.prompt_snippet = tool.description;
}

void guidelines_in_one(ToolDefinition& tool) {
  if (tool.prompt_guidelines.empty()) return;
  std::string all = tool.name + ":";
  for (const auto& guideline : tool.prompt_guidelines) all += " " + guideline;
  tool.prompt_guidelines = {all};
}

std::string with_schemas(const PromptParts& parts) {
  std::string prompt = engine::compose_prompt(parts);
  for (const auto& tool : parts.tools) {
    prompt += "\n" + tool->definition.name + ": " + tool->definition.parameters.bytes();
  }
  return prompt;
}

/// The prompt speaks of every tool that was ever seen, active or not.
void tell_of_all_registered(Policies& policies) {
  // Shared by the two decisions of one run.
  const auto known = std::make_shared<std::map<std::string, RegisteredToolPtr>>();
  policies.activates_on_registration = [known](const RegisteredTool& tool) {
    (*known)[tool.definition.name] = std::make_shared<const RegisteredTool>(tool);
    return engine::activates_on_registration(tool);
  };
  policies.session.compose_prompt = [known](PromptParts parts) {
    auto silent = *known;
    for (const auto& tool : parts.tools) silent.erase(tool->definition.name);
    for (const auto& [name, tool] : silent) parts.tools.push_back(tool);
    return engine::compose_prompt(parts);
  };
}

void build_the_prompt_once(Policies& policies) {
  // Shared by the copies of the function; one a run.
  const auto first = std::make_shared<std::optional<std::string>>();
  policies.session.compose_prompt = [first](const PromptParts& parts) {
    if (!*first) *first = engine::compose_prompt(parts);
    return **first;
  };
}

}  // namespace

std::vector<Mutant> prompt_mutants() {
  return {
      policy_mutant("prompt-holds-the-schemas", "PROMPT-01",
                    "the prompt repeats the schemas of the tools",
                    [](Policies& policies) { policies.session.compose_prompt = with_schemas; }),
      trips_also(with_changed_tools("prompt-lines-hold-descriptions", "PROMPT-02",
                                    "a tool's line has its description in place of its snippet",
                                    description_for_snippet),
                 {"PROMPT-06"}),
      trips_also(with_changed_tools("prompt-line-without-a-snippet", "PROMPT-03",
                                    "a tool without a snippet has its description as a line",
                                    description_without_snippet),
                 {"PROMPT-09", "PROMPT-12"}),
      trips_also(with_changed_tools("prompt-guidelines-in-one-bullet", "PROMPT-04",
                                    "the guidelines of a tool are one bullet", guidelines_in_one),
                 {"PROMPT-07"}),
      trips_also(policy_mutant("prompt-tells-of-inactive-tools", "PROMPT-05",
                               "the prompt tells of every registered tool", tell_of_all_registered),
                 {"ACTIVE-07", "CACHE-26", "CACHE-34", "PROMPT-11"}),
      trips_also(policy_mutant("prompt-is-built-once", "ACTIVE-07",
                               "the prompt stays as it was at the start", build_the_prompt_once),
                 {"PROMPT-02", "PROMPT-04", "PROMPT-05"}),
      trips_also(policy_mutant("prompt-is-the-only-gate", "PROMPT-16",
                               "what a handler blocks is left to the prompt to prevent",
                               [](Policies& policies) {
                                 policies.verdict_stops_call = [](const engine::BeforeOutcome&) {
                                   return false;
                                 };
                               }),
                 {"HOOK-04", "RESULT-12"}),
  };
}

}  // namespace plumb::simulator
