// SPDX-License-Identifier: Apache-2.0
// Generated prompts: a pure function of its parts, in which a further tool leaves alone what stands
// before it. Tools and texts are valid by construction; no name stands for a shell or a finder.
#include <algorithm>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/tools/system_prompt.h"

namespace plumb::engine {
namespace {

// ------------------------------------------------------------------ generators

std::string some_text() {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{"use", "it", "with", "care", " ", "\n", "\t"}));
  std::string text;
  for (const auto& word : words) text += word;
  return text;
}

RegisteredToolPtr some_tool(std::size_t number) {
  auto tool = std::make_shared<RegisteredTool>();
  tool->definition.name = "tool_" + std::to_string(number);
  if (*rc::gen::arbitrary<bool>()) tool->definition.prompt_snippet = some_text();
  const int count = *rc::gen::inRange(0, 3);
  for (int i = 0; i < count; ++i) tool->definition.prompt_guidelines.push_back(some_text());
  return tool;
}

PromptParts some_parts() {
  PromptParts parts;
  const auto count = static_cast<std::size_t>(*rc::gen::inRange(0, 6));
  for (std::size_t i = 0; i < count; ++i) parts.tools.push_back(some_tool(i));
  const int guideline_count = *rc::gen::inRange(0, 3);
  for (int i = 0; i < guideline_count; ++i) parts.guidelines.push_back(some_text());
  parts.appended = *rc::gen::elementOf(std::vector<std::string>{"", "Be kind."});
  parts.cwd = "/workspace";
  if (*rc::gen::arbitrary<bool>()) parts.sections.emplace_back("mood", "Be merry.");
  return parts;
}

/// The same parts in objects of their own: nothing may depend on where they lie.
PromptParts copied(const PromptParts& parts) {
  PromptParts copy = parts;
  for (auto& tool : copy.tools) tool = std::make_shared<RegisteredTool>(*tool);
  return copy;
}

// ------------------------------------------------------------------ reading a prompt

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

/// From the beginning to the end of the last tool's line; empty without one.
std::string head_of(const std::string& prompt) {
  std::size_t end = 0;
  for (auto at = prompt.find("\n- tool_"); at != std::string::npos;
       at = prompt.find("\n- tool_", at + 1)) {
    end = prompt.find('\n', at + 1);
  }
  return prompt.substr(0, end);
}

/// What stands between two tags.
std::string inside(const std::string& prompt, const std::string& name) {
  const auto begin = prompt.find("<" + name + ">\n") + name.size() + 3;
  return prompt.substr(begin, prompt.find("\n</" + name + ">", begin) - begin);
}

std::vector<RegisteredToolPtr> listed(const PromptParts& parts) {
  auto tools = parts.tools;
  std::erase_if(tools, [](const auto& tool) {
    return normal_snippet(tool->definition.prompt_snippet).empty();
  });
  return tools;
}

// ------------------------------------------------------------------ properties

RC_GTEST_PROP(PromptProperties, EqualPartsGiveEqualBytes, ()) {  // PROMPT-11
  const PromptParts parts = some_parts();

  RC_ASSERT(compose_prompt(parts) == compose_prompt(copied(parts)));
}

RC_GTEST_PROP(PromptProperties, EachSnippetIsOneLineInActiveOrder, ()) {  // PROMPT-02, 06, 08, 09
  const PromptParts parts = some_parts();

  const auto lines = lines_of(inside(compose_prompt(parts), "tools"));

  std::vector<std::string> expected;
  for (const auto& tool : listed(parts)) {
    expected.push_back("- " + tool->definition.name + ": " +
                       normal_snippet(tool->definition.prompt_snippet));
  }
  if (expected.empty()) expected.emplace_back("(none)");
  RC_ASSERT(lines.size() == expected.size() + 2);
  RC_ASSERT(std::ranges::equal(expected, lines | std::views::take(expected.size())));
}

RC_GTEST_PROP(PromptProperties, FurtherToolLeavesTheLinesBeforeIt, ()) {  // PROMPT-08, CACHE-23
  const PromptParts parts = some_parts();
  PromptParts more = parts;
  more.tools.push_back(some_tool(parts.tools.size()));

  const std::string before = compose_prompt(parts);
  const std::string after = compose_prompt(more);

  RC_ASSERT(after.starts_with(head_of(before)));
}

RC_GTEST_PROP(PromptProperties, SilentToolChangesNoByte, ()) {  // PROMPT-03
  const PromptParts parts = some_parts();
  PromptParts more = parts;
  auto silent = std::make_shared<RegisteredTool>();
  silent->definition.name = "silent";
  silent->definition.description = "Says nothing in the prompt.";
  silent->definition.prompt_guidelines = {" ", ""};
  const auto place = *rc::gen::inRange<std::size_t>(0, parts.tools.size() + 1);
  more.tools.insert(more.tools.begin() + static_cast<std::ptrdiff_t>(place), std::move(silent));

  RC_ASSERT(compose_prompt(more) == compose_prompt(parts));
}

RC_GTEST_PROP(PromptProperties, CustomPromptKnowsNoTools, ()) {  // PROMPT-10
  PromptParts parts = some_parts();
  parts.custom = "You count sheep.";
  PromptParts bare = parts;
  bare.tools.clear();
  bare.guidelines.clear();

  RC_ASSERT(compose_prompt(parts) == compose_prompt(bare));
  RC_ASSERT(compose_prompt(parts).starts_with(*parts.custom));
}

}  // namespace
}  // namespace plumb::engine
