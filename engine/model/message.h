// SPDX-License-Identifier: Apache-2.0
// What an engine and a model say to each other: content blocks, messages, tool declarations,
// requests. Field names on the wire and in traces are those of core.yaml's shapes (camelCase there,
// snake_case here).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/values/shared_json.h"

namespace plumb::engine {

struct TextBlock {
  std::string text;
  bool operator==(const TextBlock&) const = default;
};

/// `data` is base64.
struct ImageBlock {
  std::string data;
  std::string mime_type;
  bool operator==(const ImageBlock&) const = default;
};

struct ThinkingBlock {
  std::string thinking;
  std::string signature;
  bool operator==(const ThinkingBlock&) const = default;
};

/// A call as the model sent it. `arguments_error`: the provider could not parse the argument text
/// (PIPE-15); empty if it could.
struct ToolCallBlock {
  std::string id;
  std::string name;
  SharedJson arguments;
  std::string arguments_error;
  bool operator==(const ToolCallBlock&) const = default;
};

using ContentBlock = std::variant<TextBlock, ImageBlock, ThinkingBlock, ToolCallBlock>;

enum class StopReason : std::uint8_t { stop, tool_use, length, error, aborted };

/// Tokens. `cost` in dollars is derived by whoever has a price table.
struct Usage {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;
  bool operator==(const Usage&) const = default;
};

struct UserMessage {
  std::vector<ContentBlock> content;
  bool operator==(const UserMessage&) const = default;
};

struct AssistantMessage {
  std::vector<ContentBlock> content;
  StopReason stop_reason = StopReason::stop;
  std::string error_message;
  /// The HTTP status of a failure; 0 when there is none, as of a broken connection. For programs;
  /// neither stored nor sent.
  std::int64_t error_status = 0;
  Usage usage;
  bool operator==(const AssistantMessage&) const = default;
};

/// `details`, `usage` and `added_tool_names` never reach the model (RESULT-02).
struct ToolResultMessage {
  std::string tool_call_id;
  std::string tool_name;
  std::vector<ContentBlock> content;
  SharedJson details;
  bool is_error = false;
  std::vector<std::string> added_tool_names;
  SharedJson usage;
  bool operator==(const ToolResultMessage&) const = default;
};

/// A message that an extension injected; the model sees it as a user message when `display` or not
/// alike.
struct CustomMessage {
  std::string custom_type;
  std::vector<ContentBlock> content;
  SharedJson details;
  bool operator==(const CustomMessage&) const = default;
};

/// What changed in the declared tools since the last request (ACTIVE-16): `tools_added` is a list
/// of declarations, `tools_removed` one of {name}; either may be null.
struct SystemMessage {
  std::vector<ContentBlock> content;
  SharedJson tools_added;
  SharedJson tools_removed;
  bool operator==(const SystemMessage&) const = default;
};

using Message =
    std::variant<UserMessage, AssistantMessage, ToolResultMessage, CustomMessage, SystemMessage>;

/// Messages are immutable once made; transcript, requests and trace share them.
using MessagePtr = std::shared_ptr<const Message>;

std::string_view to_string(StopReason reason);
Result<StopReason> parse_stop_reason(std::string_view text);
/// user, assistant, toolResult, custom, system.
std::string_view role_of(const Message& message);
/// The calls of an assistant message in source order.
std::vector<ToolCallBlock> tool_calls_of(const AssistantMessage& message);
/// The text blocks joined by line breaks.
std::string text_of(const std::vector<ContentBlock>& content);

/// The full form, as in transcripts and traces (`details` included).
Json to_json(const Message& message);
Json to_json(const ContentBlock& block);
Json to_json(const std::vector<ContentBlock>& content);
Result<std::vector<ContentBlock>> parse_content(const Json& json);

/// What the model is sent for a message: no details, no usage (RESULT-02, RESULT-03).
Json to_request_json(const Message& message);

/// The trace's view of a message: made on first read.
SharedJson share(MessagePtr message);

}  // namespace plumb::engine
