// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/system_prompt.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace plumb::engine {

namespace {

constexpr std::string_view kPreamble =
    "You are an agent that works in a folder of files. You act by calling the tools that are "
    "declared with this request, and you answer in plain text when the work is done.";
constexpr std::string_view kMoreTools =
    "Further tools may be declared with the request without a line here.";
constexpr std::string_view kShellHint =
    "Use the shell to list folders and to search in files, since no tool for it is active.";
constexpr std::array<std::string_view, 2> kClosingRules = {
    "Say briefly what you did, and name the files that you changed.",
    "Say so when something failed or is uncertain.",
};

bool is_blank(char character) {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r' ||
         character == '\v' || character == '\f';
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

bool has_tool(const PromptParts& parts, std::span<const std::string_view> names) {
  return std::ranges::any_of(parts.tools, [&](const RegisteredToolPtr& tool) {
    return std::ranges::find(names, tool->definition.name) != names.end();
  });
}

bool needs_shell_hint(const PromptParts& parts) {
  static constexpr std::array<std::string_view, 2> kShells = {"bash", "powershell"};
  static constexpr std::array<std::string_view, 3> kFinders = {"grep", "find", "ls"};
  return has_tool(parts, kShells) && !has_tool(parts, kFinders);
}

std::string tools_section(const PromptParts& parts) {
  std::string lines;
  for (const auto& tool : parts.tools) {
    const std::string snippet = normal_snippet(tool->definition.prompt_snippet);
    if (!snippet.empty()) lines += "- " + tool->definition.name + ": " + snippet + "\n";
  }
  if (lines.empty()) lines = "(none)\n";
  return lines + "\n" + std::string(kMoreTools);
}

void add_rule(std::vector<std::string>& rules, std::string_view rule) {
  std::string text = trimmed(rule);
  if (text.empty() || std::ranges::find(rules, text) != rules.end()) return;
  rules.push_back(std::move(text));
}

std::string rules_section(const PromptParts& parts) {
  std::vector<std::string> rules;
  if (needs_shell_hint(parts)) add_rule(rules, kShellHint);
  for (const auto& tool : parts.tools) {
    for (const auto& guideline : tool->definition.prompt_guidelines) add_rule(rules, guideline);
  }
  for (const auto& guideline : parts.guidelines) add_rule(rules, guideline);
  for (const auto rule : kClosingRules) add_rule(rules, rule);
  std::string text;
  for (const auto& rule : rules) text += (text.empty() ? "- " : "\n- ") + rule;
  return text;
}

void add_section(std::string& prompt, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  if (!prompt.empty()) prompt += "\n\n";
  prompt.append("<").append(name).append(">\n");
  prompt.append(text).append("\n</").append(name).append(">");
}

}  // namespace

std::string normal_snippet(std::string_view snippet) {
  std::string line;
  bool is_gap = false;
  for (const char character : snippet) {
    if (is_blank(character)) {
      is_gap = !line.empty();
      continue;
    }
    if (is_gap) line += ' ';
    is_gap = false;
    line += character;
  }
  return line;
}

bool is_section_name(std::string_view name) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  if (name.empty() || !is_lower(name.front()) || name == "preamble") return false;
  return std::ranges::all_of(
      name, [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

std::string compose_prompt(const PromptParts& parts) {
  std::string prompt = parts.custom ? *parts.custom : std::string(kPreamble);
  if (!parts.custom) {
    add_section(prompt, "tools", tools_section(parts));
    add_section(prompt, "rules", rules_section(parts));
  }
  add_section(prompt, "addendum", parts.appended);
  add_section(prompt, "project_context", parts.project_context);
  add_section(prompt, "skills", parts.skills);
  add_section(prompt, "cwd", parts.cwd);
  for (const auto& [name, text] : parts.sections) add_section(prompt, name, text);
  return prompt;
}

}  // namespace plumb::engine
