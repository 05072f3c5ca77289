// SPDX-License-Identifier: Apache-2.0
#include "engine/model/message.h"

#include <array>
#include <utility>

#include "engine/values/json_object.h"

namespace plumb::engine {
namespace {

/// StopReason's spellings, indexed by its values.
constexpr std::array<std::string_view, 5> kStopReasons{"stop", "toolUse", "length", "error",
                                                       "aborted"};

Json block_json(const TextBlock& block, bool /*is_request*/) {
  return json_object("type", "text", "text", block.text);
}

Json block_json(const ImageBlock& block, bool /*is_request*/) {
  return json_object("type", "image", "data", block.data, "mimeType", block.mime_type);
}

Json block_json(const ThinkingBlock& block, bool /*is_request*/) {
  Json json = json_object("type", "thinking", "thinking", block.thinking);
  if (!block.signature.empty()) json["thinkingSignature"] = block.signature;
  return json;
}

Json block_json(const ToolCallBlock& block, bool is_request) {
  Json json = json_object("type", "toolCall", "id", block.id, "name", block.name, "arguments",
                          block.arguments.get());
  if (!is_request && !block.arguments_error.empty()) json["argumentsError"] = block.arguments_error;
  return json;
}

Json content_json(const std::vector<ContentBlock>& content, bool is_request) {
  Json json(Json::value_t::array);
  auto& blocks = json.get_ref<Json::array_t&>();
  blocks.reserve(content.size());
  for (const auto& block : content) {
    blocks.push_back(
        std::visit([&](const auto& one) { return block_json(one, is_request); }, block));
  }
  return json;
}

void add_if_given(Json::object_t& object, const char* key, const SharedJson& value) {
  if (!value.is_null()) add_members(object, key, value.get());
}

Json usage_json(const Usage& usage) {
  return json_object("input", usage.input, "output", usage.output, "cacheRead", usage.cache_read,
                     "cacheWrite", usage.cache_write);
}

Json full_json(const UserMessage& message) {
  return json_object("role", "user", "content", content_json(message.content, false));
}

Json full_json(const AssistantMessage& message) {
  Json json = object_with_room(5);
  auto& object = json.get_ref<Json::object_t&>();
  add_members(object, "role", "assistant", "content", content_json(message.content, false),
              "stopReason", to_string(message.stop_reason));
  if (!message.error_message.empty()) add_members(object, "errorMessage", message.error_message);
  add_members(object, "usage", usage_json(message.usage));
  return json;
}

Json full_json(const ToolResultMessage& message) {
  Json json = object_with_room(8);
  auto& object = json.get_ref<Json::object_t&>();
  add_members(object, "role", "toolResult", "toolCallId", message.tool_call_id, "toolName",
              message.tool_name, "content", content_json(message.content, false));
  add_if_given(object, "details", message.details);
  add_if_given(object, "usage", message.usage);
  add_members(object, "isError", message.is_error);
  if (!message.added_tool_names.empty()) {
    add_members(object, "addedToolNames", message.added_tool_names);
  }
  return json;
}

Json full_json(const CustomMessage& message) {
  Json json = json_object("role", "custom", "customType", message.custom_type, "content",
                          content_json(message.content, false));
  add_if_given(json.get_ref<Json::object_t&>(), "details", message.details);
  return json;
}

Json full_json(const SystemMessage& message) {
  Json json = json_object("role", "system", "content", content_json(message.content, false));
  auto& object = json.get_ref<Json::object_t&>();
  add_if_given(object, "toolsAdded", message.tools_added);
  add_if_given(object, "toolsRemoved", message.tools_removed);
  return json;
}

Json request_json(const SystemMessage& message) {
  return full_json(message);
}

Json request_json(const ToolResultMessage& message) {
  return json_object("role", "toolResult", "toolCallId", message.tool_call_id, "toolName",
                     message.tool_name, "content", content_json(message.content, true), "isError",
                     message.is_error);
}

Json request_json(const AssistantMessage& message) {
  return json_object("role", "assistant", "content", content_json(message.content, true));
}

/// The model knows no custom role: it sees what a user would have written.
Json request_json(const auto& message) {
  return json_object("role", "user", "content", content_json(message.content, true));
}

/// The string at `key`, or "" when it is absent or something else.
std::string string_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<ContentBlock> parse_tool_call(const Json& json) {
  ToolCallBlock block;
  block.id = string_at(json, "id");
  block.name = string_at(json, "name");
  block.arguments = SharedJson(json.contains("arguments") ? json["arguments"] : Json::object());
  block.arguments_error = string_at(json, "argumentsError");
  if (block.id.empty() || block.name.empty()) {
    return fail(ErrorCode::invalid, "a toolCall block needs id and name");
  }
  return block;
}

Result<ContentBlock> parse_block(const Json& json) {
  if (json.is_string()) return TextBlock{json.get<std::string>()};
  if (!json.is_object()) return fail(ErrorCode::invalid, "a content block must be an object");
  const std::string type = string_at(json, "type");
  if (type == "text" && json.contains("text") && json["text"].is_string()) {
    return TextBlock{string_at(json, "text")};
  }
  if (type == "image") return ImageBlock{string_at(json, "data"), string_at(json, "mimeType")};
  if (type == "thinking") {
    return ThinkingBlock{string_at(json, "thinking"), string_at(json, "thinkingSignature")};
  }
  if (type == "toolCall") return parse_tool_call(json);
  return fail(ErrorCode::invalid, type == "text" ? "a text block needs the string text"
                                                 : "unknown content block type '" + type + "'");
}

}  // namespace

std::string_view to_string(StopReason reason) {
  return kStopReasons[static_cast<std::size_t>(reason)];
}

Result<StopReason> parse_stop_reason(std::string_view text) {
  for (std::size_t i = 0; i < kStopReasons.size(); ++i) {
    if (kStopReasons[i] == text) return static_cast<StopReason>(i);
  }
  return fail(ErrorCode::invalid, "unknown stop reason '" + std::string(text) + "'");
}

std::string_view role_of(const Message& message) {
  constexpr std::array<std::string_view, 5> roles{"user", "assistant", "toolResult", "custom",
                                                  "system"};
  static_assert(roles.size() == std::variant_size_v<Message>);
  return roles[message.index()];
}

std::vector<ToolCallBlock> tool_calls_of(const AssistantMessage& message) {
  std::vector<ToolCallBlock> calls;
  for (const auto& block : message.content) {
    if (const auto* call = std::get_if<ToolCallBlock>(&block)) calls.push_back(*call);
  }
  return calls;
}

std::string text_of(const std::vector<ContentBlock>& content) {
  std::string text;
  bool is_first = true;
  for (const auto& block : content) {
    const auto* part = std::get_if<TextBlock>(&block);
    if (part == nullptr) continue;
    if (!is_first) text += '\n';
    text += part->text;
    is_first = false;
  }
  return text;
}

Json to_json(const Message& message) {
  return std::visit([](const auto& one) { return full_json(one); }, message);
}

Json to_json(const ContentBlock& block) {
  return std::visit([](const auto& one) { return block_json(one, false); }, block);
}

Json to_json(const std::vector<ContentBlock>& content) {
  return content_json(content, false);
}

Result<std::vector<ContentBlock>> parse_content(const Json& json) {
  std::vector<ContentBlock> content;
  if (json.is_string()) {
    content.emplace_back(TextBlock{json.get<std::string>()});
    return content;
  }
  if (!json.is_array()) return fail(ErrorCode::invalid, "content must be a string or a list");
  for (const auto& part : json) {
    PLUMB_TRY(auto block, parse_block(part));
    content.push_back(std::move(block));
  }
  return content;
}

Json to_request_json(const Message& message) {
  return std::visit([](const auto& one) { return request_json(one); }, message);
}

SharedJson share(MessagePtr message) {
  return SharedJson::lazy([held = std::move(message)] { return to_json(*held); });
}

}  // namespace plumb::engine
