// SPDX-License-Identifier: Apache-2.0
#include "engine/session/tree/stored_message.h"

#include <utility>

#include "engine/values/json_members.h"

namespace plumb::engine {

namespace {

std::vector<ContentBlock> known_blocks(const Json& content) {
  std::vector<ContentBlock> blocks;
  if (content.is_string()) blocks.emplace_back(TextBlock{content.get<std::string>()});
  if (!content.is_array()) return blocks;
  for (const Json& part : content) {
    Json one = Json::array();
    one.push_back(part);
    auto parsed = parse_content(one);
    if (parsed) blocks.push_back(std::move(parsed->front()));
  }
  return blocks;
}

SharedJson shared_member(const Json& json, const char* key) {
  return json.contains(key) ? SharedJson(json[key]) : SharedJson();
}

std::int64_t tokens_at(const Json& usage, const char* key) {
  const Json& value = at(usage, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

AssistantMessage stored_answer(const Json& json) {
  AssistantMessage message;
  message.content = known_blocks(at(json, "content"));
  message.stop_reason = parse_stop_reason(text_at(json, "stopReason")).value_or(StopReason::stop);
  message.error_message = text_at(json, "errorMessage");
  const Json& usage = at(json, "usage");
  message.usage.input = tokens_at(usage, "input");
  message.usage.output = tokens_at(usage, "output");
  message.usage.cache_read = tokens_at(usage, "cacheRead");
  message.usage.cache_write = tokens_at(usage, "cacheWrite");
  return message;
}

ToolResultMessage stored_result(const Json& json) {
  ToolResultMessage message;
  message.tool_call_id = text_at(json, "toolCallId");
  message.tool_name = text_at(json, "toolName");
  message.content = known_blocks(at(json, "content"));
  message.details = shared_member(json, "details");
  message.is_error = at(json, "isError") == Json(true);
  for (const Json& name : at(json, "addedToolNames")) {
    if (name.is_string()) message.added_tool_names.push_back(name.get<std::string>());
  }
  message.usage = shared_member(json, "usage");
  return message;
}

CustomMessage stored_custom(const Json& json) {
  CustomMessage message;
  message.custom_type = text_at(json, "customType");
  message.content = known_blocks(at(json, "content"));
  message.details = shared_member(json, "details");
  return message;
}

SystemMessage stored_system(const Json& json) {
  SystemMessage message;
  message.content = known_blocks(at(json, "content"));
  message.tools_added = shared_member(json, "toolsAdded");
  message.tools_removed = shared_member(json, "toolsRemoved");
  return message;
}

UserMessage summary_message(std::string_view what, const Json& json) {
  UserMessage message;
  std::string text(what);
  text += "\n\n<summary>\n" + text_at(json, "summary") + "\n</summary>";
  message.content.emplace_back(TextBlock{std::move(text)});
  return message;
}

MessagePtr held(Message message) {
  return std::make_shared<const Message>(std::move(message));
}

}  // namespace

MessagePtr parse_message(const Json& json) {
  const std::string role = text_at(json, "role");
  if (role == "user") return held(UserMessage{known_blocks(at(json, "content"))});
  if (role == "assistant") return held(stored_answer(json));
  if (role == "toolResult") return held(stored_result(json));
  if (role == "custom") return held(stored_custom(json));
  if (role == "system") return held(stored_system(json));
  if (role == "branchSummary") {
    return held(
        summary_message("A branch of this conversation was left. What happened on it:", json));
  }
  if (role == "compactionSummary") {
    return held(summary_message("The conversation until here, summarised:", json));
  }
  return nullptr;
}

bool is_spoken(const TreeEntry& entry) {
  if (entry.type == "custom_message") return true;
  if (entry.type != "message") return false;
  const std::string role = text_at(at(entry.json.get(), "message"), "role");
  return role == "user" || role == "custom";
}

std::string spoken_text(const TreeEntry& entry) {
  const Json& json = entry.json.get();
  const Json& content = at(entry.type == "message" ? at(json, "message") : json, "content");
  std::string text;
  for (const ContentBlock& block : known_blocks(content)) {
    if (const auto* part = std::get_if<TextBlock>(&block)) text += part->text;
  }
  return text;
}

}  // namespace plumb::engine
