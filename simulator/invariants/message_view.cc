// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/message_view.h"

#include <utility>

namespace plumb::invariants {
namespace {

const Json& member(const Json& object, const char* key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::string text_member(const Json& object, const char* key) {
  const Json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

ShownCall block_call(const Json& block) {
  const bool is_native = member(block, "type") == "toolCall";
  return ShownCall{.id = text_member(block, "id"),
                   .name = text_member(block, "name"),
                   .arguments = member(block, is_native ? "arguments" : "input"),
                   .arguments_error = text_member(block, "argumentsError")};
}

/// OpenAI sends arguments as text; text that is no JSON is the provider's argumentsError.
ShownCall function_call(const Json& entry) {
  const Json& function = member(entry, "function");
  ShownCall call{text_member(entry, "id"), text_member(function, "name"), {}, {}};
  auto parsed = parse_json(text_member(function, "arguments"));
  if (parsed)
    call.arguments = std::move(*parsed);
  else
    call.arguments_error = parsed.error().message;
  return call;
}

ShownResult result(const Json& holder, const char* id_key, const char* error_key) {
  const Json& flag = member(holder, error_key);
  return ShownResult{.call = text_member(holder, id_key),
                     .content = as_blocks(member(holder, "content")),
                     .is_error = flag == true,
                     .has_error_flag = flag.is_boolean(),
                     .bytes = dump_json(holder)};
}

}  // namespace

bool is_assistant(const Json& message) {
  return member(message, "role") == "assistant";
}

Json as_blocks(const Json& content) {
  if (content.is_array()) return content;
  if (!content.is_string()) return Json::array();
  return Json::array({Json{{"type", "text"}, {"text", content}}});
}

std::string text_in(const Json& content) {
  std::string text;
  for (const auto& block : as_blocks(content)) {
    if (member(block, "type") != "text") continue;
    if (!text.empty()) text += '\n';
    text += text_member(block, "text");
  }
  return text;
}

std::vector<ShownCall> calls_in(const Json& message) {
  std::vector<ShownCall> calls;
  if (!is_assistant(message)) return calls;
  for (const auto& block : as_blocks(member(message, "content"))) {
    const Json& type = member(block, "type");
    if (type == "toolCall" || type == "tool_use") calls.push_back(block_call(block));
  }
  const Json& functions = member(message, "tool_calls");
  if (functions.is_array()) {
    for (const auto& entry : functions) calls.push_back(function_call(entry));
  }
  return calls;
}

std::vector<ShownResult> results_in(const Json& message) {
  const Json& role = member(message, "role");
  if (role == "toolResult") return {result(message, "toolCallId", "isError")};
  if (role == "tool") return {result(message, "tool_call_id", "is_error")};
  std::vector<ShownResult> results;
  if (role != "user") return results;
  for (const auto& block : as_blocks(member(message, "content"))) {
    if (member(block, "type") != "tool_result") continue;
    results.push_back(result(block, "tool_use_id", "is_error"));
    results.back().has_error_flag = true;
  }
  return results;
}

}  // namespace plumb::invariants
