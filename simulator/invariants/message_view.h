// SPDX-License-Identifier: Apache-2.0
// Messages of a request, read alike whether they were recorded in the engine's own form or in a
// provider's (Anthropic Messages, OpenAI Chat Completions).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/values/json.h"
#include "engine/values/shared_json.h"

namespace plumb::invariants {

/// Roles of messages, as views: compared by length first.
inline constexpr std::string_view kAssistantRole = "assistant";
inline constexpr std::string_view kUserRole = "user";
inline constexpr std::string_view kCustomRole = "custom";
inline constexpr std::string_view kToolResultRole = "toolResult";

/// A value that lies in the trace, or one that was read from it. Lives as long as the trace.
class SeenValue {
 public:
  SeenValue() = default;
  explicit SeenValue(const Json& lying) : lying_(&lying) {}
  explicit SeenValue(SharedJson made) : made_(std::move(made)) {}

  const Json& get() const { return lying_ != nullptr ? *lying_ : made_.get(); }

 private:
  const Json* lying_ = nullptr;
  SharedJson made_;
};

struct ShownCall {
  std::string id;
  std::string name;
  SeenValue arguments;
  std::string arguments_error;
};

/// A tool result as a request shows it to the model. `content` is a list of blocks.
struct ShownResult {
  std::string call;
  SeenValue content;
  bool is_error = false;
  bool has_error_flag = false;  ///< Some dialects have none.
  const Json* block = nullptr;  ///< As sent; lives as long as the message.

  /// The text of the whole block.
  std::string bytes() const { return dump_json(*block); }
};

std::vector<ShownCall> calls_in(const Json& message);
std::vector<ShownResult> results_in(const Json& message);
/// Behind what `results` holds already.
void add_results(const Json& message, std::vector<ShownResult>& results);
/// Ids live as long as the message.
std::vector<std::string_view> ids_of_calls_in(const Json& message);
std::vector<std::string_view> ids_of_results_in(const Json& message);
void add_ids_of_results(const Json& message, std::vector<std::string_view>& ids);
bool is_assistant(const Json& message);

/// A content value as a list of blocks: a string is one text block.
Json as_blocks(const Json& content);

/// The text blocks of a content value, joined by line breaks.
std::string text_in(const Json& content);

}  // namespace plumb::invariants
