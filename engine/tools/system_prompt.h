// SPDX-License-Identifier: Apache-2.0
// The system prompt, composed of named sections (core.yaml prompt_format). Pure: the same parts
// give the same bytes (PROMPT-11). Nothing in it enforces anything (PROMPT-16).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tools/definition.h"

namespace plumb::engine {

/// A section that a host or an extension adds, by name (PROMPT-15).
using PromptSection = std::pair<std::string, std::string>;

/// Everything a prompt depends on. `tools`: the active ones in active order (PROMPT-05, PROMPT-08).
/// `custom` replaces preamble, tools and rules (PROMPT-10). Empty parts leave their section out.
struct PromptParts {
  std::vector<RegisteredToolPtr> tools;
  std::optional<std::string> custom;
  std::vector<std::string> guidelines;  ///< Of the host and of extensions.
  std::string appended;
  std::string project_context;
  std::string skills;
  std::string cwd;
  std::vector<PromptSection> sections;
};

std::string compose_prompt(const PromptParts& parts);

/// One line: white-space runs become one blank, ends are trimmed (PROMPT-06).
std::string normal_snippet(std::string_view snippet);

/// A lower-case letter, then lower-case letters, digits, `_` or `-`; `preamble` is reserved.
bool is_section_name(std::string_view name);

}  // namespace plumb::engine
