// SPDX-License-Identifier: Apache-2.0
// Messages of a request, read alike whether they were recorded in the engine's own form or in a
// provider's (Anthropic Messages, OpenAI Chat Completions).
#pragma once

#include <string>
#include <vector>

#include "engine/values/json.h"

namespace plumb::invariants {

/// Roles of messages, as views: compared by length first.
inline constexpr std::string_view kAssistantRole = "assistant";
inline constexpr std::string_view kUserRole = "user";
inline constexpr std::string_view kCustomRole = "custom";

struct ShownCall {
  std::string id;
  std::string name;
  Json arguments;
  std::string arguments_error;
};

/// A tool result as a request shows it to the model. `content` is a list of blocks.
struct ShownResult {
  std::string call;
  Json content;
  bool is_error = false;
  bool has_error_flag = false;  ///< Some dialects have none.
  const Json* block = nullptr;  ///< As sent; lives as long as the message.

  /// The text of the whole block.
  std::string bytes() const { return dump_json(*block); }
};

std::vector<ShownCall> calls_in(const Json& message);
std::vector<ShownResult> results_in(const Json& message);
std::vector<std::string> ids_of_calls_in(const Json& message);
std::vector<std::string> ids_of_results_in(const Json& message);
bool is_assistant(const Json& message);

/// A content value as a list of blocks: a string is one text block.
Json as_blocks(const Json& content);

/// The text blocks of a content value, joined by line breaks.
std::string text_in(const Json& content);

}  // namespace plumb::invariants
