// SPDX-License-Identifier: Apache-2.0
// The system prompt of a request and what it is made of (core.yaml prompt_format): tool lines and
// bullets as the tools' definitions ask for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// The text of the system zone, however it is wrapped.
std::string prompt_of(const Request& request);
/// What stands between the tags of a section; nothing when there is no such section.
std::optional<std::string> section_of(std::string_view prompt, std::string_view name);
/// A section's text, "" when there is none.
std::string section_text(const Request& request, std::string_view name);

/// A snippet as the list shows it: one line, blanks trimmed (PROMPT-06).
std::string one_line(std::string_view snippet);
std::string snippet_of(const Json& tool);
/// The trimmed, non-empty guidelines of a tool, each once (PROMPT-07).
std::vector<std::string> guidelines_of(const Json& tool);
/// Whether the list of tools has a line that belongs to a name, and those that do.
bool has_line_of(std::string_view section, std::string_view name);
std::vector<std::string> lines_of(const std::string& section, std::string_view name);
/// How often a guideline is a bullet of its own.
std::int64_t bullet_count(const std::string& section, std::string_view guideline);
/// Where the bullet begins, or npos.
std::size_t bullet_place(const std::string& section, std::string_view guideline);

/// Entries of the registry for the active tools that the request declares, in its order.
std::vector<const Json*> declared_tools(const Request& request, const Story& story);
/// Returns of before_agent_start handlers for the prompt that the request belongs to.
std::vector<const HookReturn*> preparations_of(const Request& request, const Story& story);
/// The whole prompt that a handler gave for this run (PROMPT-14).
std::optional<std::string> forced_prompt(const Request& request, const Story& story);
/// The host replaced the base prompt (PROMPT-10).
bool has_custom_prompt(const Story& story);
/// The engine composed the prompt's tools and rules itself.
bool is_generated(const Request& request, const Story& story);

}  // namespace plumb::invariants
