// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/neutral_request.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "engine/values/json_members.h"

namespace plumb::simulator {
namespace {

/// Takes cache marks out, at any depth.
Json without_marks(const Json& json) {
  if (json.is_object()) {
    Json result = Json::object();
    for (const auto& [key, value] : json.items()) {
      if (key != "cache_control") result[key] = without_marks(value);
    }
    return result;
  }
  if (!json.is_array()) return json;
  Json result = Json::array();
  for (const auto& item : json) result.push_back(without_marks(item));
  return result;
}

Json text_block(std::string text) {
  return Json{{"type", "text"}, {"text", std::move(text)}};
}

Json image_block(std::string data, std::string mime_type) {
  return Json{{"type", "image"}, {"data", std::move(data)}, {"mimeType", std::move(mime_type)}};
}

/// A picture given by its bytes; every other part as it is.
Json neutral_part(const Json& part) {
  const Json& source = at(part, "source");
  if (text_at(part, "type") == "image" && text_at(source, "type") == "base64") {
    return image_block(text_at(source, "data"), text_at(source, "media_type"));
  }
  const std::string url = text_at(at(part, "image_url"), "url");
  const auto comma = url.find(";base64,");
  if (!url.starts_with("data:") || comma == std::string::npos) return without_marks(part);
  return image_block(url.substr(comma + 8), url.substr(5, comma - 5));
}

/// A string or a list of parts, as a list of text and image blocks.
Json neutral_content(const Json& content) {
  Json result = Json::array();
  if (content.is_string()) result.push_back(text_block(content.get<std::string>()));
  if (!content.is_array()) return result;
  for (const auto& part : content) {
    const auto type = text_at(part, "type");
    const bool is_text = type == "text" || type == "input_text" || type == "output_text";
    result.push_back(is_text ? text_block(text_at(part, "text")) : neutral_part(part));
  }
  return result;
}

/// Arguments travel as JSON text in two dialects; text that is no JSON stays text.
Json parsed_arguments(const std::string& text) {
  auto json = parse_json(text);
  return json ? *std::move(json) : Json(text);
}

Json call_block(std::string id, std::string name, Json arguments) {
  Json block{{"type", "toolCall"}, {"id", std::move(id)}, {"name", std::move(name)}};
  block["arguments"] = std::move(arguments);
  return block;
}

Json tool_result(std::string call, const Json& content) {
  Json message{{"role", "toolResult"}, {"toolCallId", std::move(call)}};
  // Some dialects have an empty text for a result without content.
  message["content"] = content == Json("") ? Json::array() : neutral_content(content);
  return message;
}

class Blocks {
 public:
  void system(const Json& text) { add(Zone::system, text); }
  void tool(const Json& declaration) { add(Zone::tools, without_marks(declaration)); }
  void message(Json json) { add(Zone::messages, std::move(json)); }
  void message(std::string_view role, Json content) {
    message(Json{{"role", role}, {"content", std::move(content)}});
  }
  /// System first, then tools, then messages, each in the order in which it came.
  std::vector<RequestBlock> take() {
    std::vector<RequestBlock> all;
    for (auto& zone : zones_) std::ranges::move(zone, std::back_inserter(all));
    return all;
  }

 private:
  void add(Zone zone, Json json) {
    zones_[static_cast<std::size_t>(zone)].push_back({zone, SharedJson(std::move(json))});
  }
  std::array<std::vector<RequestBlock>, 3> zones_;
};

void add_tools(const Json& body, Blocks& blocks) {
  const Json& tools = at(body, "tools");
  if (!tools.is_array()) return;
  for (const auto& tool : tools) {
    const Json& function = at(tool, "function");
    blocks.tool(function.is_object() ? function : tool);
  }
}

// ---------------------------------------------------------------- Messages

Json messages_part(const Json& part) {
  if (text_at(part, "type") != "tool_use") return neutral_part(part);
  return call_block(text_at(part, "id"), text_at(part, "name"), at(part, "input"));
}

void add_user_message(const Json& content, Blocks& blocks) {
  Json rest = Json::array();
  for (const auto& part : content) {
    if (text_at(part, "type") == "tool_result") {
      Json result = tool_result(text_at(part, "tool_use_id"), at(part, "content"));
      result["isError"] = at(part, "is_error") == Json(true);
      blocks.message(std::move(result));
    } else {
      rest.push_back(messages_part(part));
    }
  }
  if (!rest.empty()) blocks.message("user", std::move(rest));
}

void add_messages_message(const Json& message, Blocks& blocks) {
  const Json& content = at(message, "content");
  const auto role = text_at(message, "role");
  if (content.is_string()) return blocks.message(role, neutral_content(content));
  if (role == "user") return add_user_message(content, blocks);
  Json parts = Json::array();
  for (const auto& part : content) parts.push_back(messages_part(part));
  blocks.message(role, std::move(parts));
}

void add_messages_system(const Json& system, Blocks& blocks) {
  if (system.is_string()) blocks.system(system);
  if (!system.is_array()) return;
  for (const auto& part : system) blocks.system(Json(text_at(part, "text")));
}

// ---------------------------------------------------------------- Chat Completions

void add_chat_message(const Json& message, Blocks& blocks) {
  const auto role = text_at(message, "role");
  const Json& content = at(message, "content");
  if (role == "system" || role == "developer") return blocks.system(content);
  if (role == "tool") {
    Json result = tool_result(text_at(message, "tool_call_id"), content);
    // A tool message must have content; what is none is shown as what it is.
    if (message.contains("content") && content.is_null()) result["content"] = content;
    return blocks.message(std::move(result));
  }
  Json parts = neutral_content(content);
  const Json& calls = at(message, "tool_calls");
  for (std::size_t i = 0; calls.is_array() && i < calls.size(); ++i) {
    const Json& function = at(calls[i], "function");
    parts.push_back(call_block(text_at(calls[i], "id"), text_at(function, "name"),
                               parsed_arguments(text_at(function, "arguments"))));
  }
  blocks.message(role, std::move(parts));
}

// ---------------------------------------------------------------- Responses

/// The items of one answer stand side by side on this wire; they are one assistant message.
class ResponsesItems {
 public:
  explicit ResponsesItems(Blocks& blocks) : blocks_(blocks) {}
  void add(const Json& item);
  void flush() {
    if (!parts_.empty()) blocks_.message("assistant", std::exchange(parts_, Json::array()));
  }

 private:
  void add_message(const Json& item);
  Blocks& blocks_;
  Json parts_ = Json::array();
};

void ResponsesItems::add_message(const Json& item) {
  const auto role = text_at(item, "role");
  const Json& content = at(item, "content");
  if (role == "assistant") {
    for (auto& part : neutral_content(content)) parts_.push_back(std::move(part));
    return;
  }
  flush();
  if (role == "system" || role == "developer") return blocks_.system(content);
  blocks_.message(role, neutral_content(content));
}

void ResponsesItems::add(const Json& item) {
  const auto type = text_at(item, "type");
  if (type == "function_call") {
    parts_.push_back(call_block(text_at(item, "call_id"), text_at(item, "name"),
                                parsed_arguments(text_at(item, "arguments"))));
  } else if (type == "function_call_output") {
    flush();
    blocks_.message(tool_result(text_at(item, "call_id"), at(item, "output")));
  } else if (type == "message" || item.contains("role")) {
    add_message(item);
  } else {
    parts_.push_back(item);
  }
}

}  // namespace

Result<std::vector<RequestBlock>> neutral_blocks(Dialect dialect, const Json& body) {
  const char* list = dialect == Dialect::responses ? "input" : "messages";
  const Json& items = at(body, list);
  if (!items.is_array()) {
    return fail(ErrorCode::invalid, "the request body has no list '" + std::string(list) + "'");
  }
  for (const auto& item : items) {
    if (!item.is_object()) {
      return fail(ErrorCode::invalid, "'" + std::string(list) + "' must hold objects");
    }
  }
  Blocks blocks;
  if (dialect == Dialect::messages) add_messages_system(at(body, "system"), blocks);
  add_tools(body, blocks);
  ResponsesItems responses(blocks);
  for (const auto& item : items) {
    if (dialect == Dialect::messages) add_messages_message(item, blocks);
    if (dialect == Dialect::chat) add_chat_message(item, blocks);
    if (dialect == Dialect::responses) responses.add(item);
  }
  responses.flush();
  return blocks.take();
}

}  // namespace plumb::simulator
