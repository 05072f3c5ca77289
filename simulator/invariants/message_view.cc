// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/message_view.h"

#include <utility>

#include "engine/values/json_members.h"

namespace plumb::invariants {
namespace {

/// `content` if it is a list, else `storage`, filled with the list that it stands for.
const Json& listed(const Json& content, Json& storage) {
  if (content.is_array()) return content;
  storage = as_blocks(content);
  return storage;
}

ShownCall block_call(const Json& block) {
  const bool is_native = view_at(block, "type") == "toolCall";
  return ShownCall{.id = text_at(block, "id"),
                   .name = text_at(block, "name"),
                   .arguments = at(block, is_native ? "arguments" : "input"),
                   .arguments_error = text_at(block, "argumentsError")};
}

/// OpenAI sends arguments as text; text that is no JSON is the provider's argumentsError.
ShownCall function_call(const Json& entry) {
  const Json& function = at(entry, "function");
  ShownCall call{text_at(entry, "id"), text_at(function, "name"), {}, {}};
  auto parsed = parse_json(text_at(function, "arguments"));
  if (parsed)
    call.arguments = std::move(*parsed);
  else
    call.arguments_error = parsed.error().message;
  return call;
}

ShownResult result(const Json& holder, const char* id_key, const char* error_key) {
  const Json& flag = at(holder, error_key);
  return ShownResult{.call = text_at(holder, id_key),
                     .content = as_blocks(at(holder, "content")),
                     .is_error = flag == true,
                     .has_error_flag = flag.is_boolean(),
                     .block = &holder};
}

}  // namespace

bool is_assistant(const Json& message) {
  return view_at(message, "role") == "assistant";
}

Json as_blocks(const Json& content) {
  if (content.is_array()) return content;
  if (!content.is_string()) return Json::array();
  return Json::array({Json{{"type", "text"}, {"text", content}}});
}

std::string text_in(const Json& content) {
  std::string text;
  Json storage;
  for (const auto& block : listed(content, storage)) {
    if (view_at(block, "type") != "text") continue;
    if (!text.empty()) text += '\n';
    text += text_at(block, "text");
  }
  return text;
}

std::vector<ShownCall> calls_in(const Json& message) {
  std::vector<ShownCall> calls;
  if (!is_assistant(message)) return calls;
  Json storage;
  for (const auto& block : listed(at(message, "content"), storage)) {
    const auto type = view_at(block, "type");
    if (type == "toolCall" || type == "tool_use") calls.push_back(block_call(block));
  }
  const Json& functions = at(message, "tool_calls");
  if (functions.is_array()) {
    for (const auto& entry : functions) calls.push_back(function_call(entry));
  }
  return calls;
}

std::vector<ShownResult> results_in(const Json& message) {
  const auto role = view_at(message, "role");
  if (role == "toolResult") return {result(message, "toolCallId", "isError")};
  if (role == "tool") return {result(message, "tool_call_id", "is_error")};
  std::vector<ShownResult> results;
  if (role != "user") return results;
  // Results stand in lists only; what they point to must stay.
  const Json& content = at(message, "content");
  if (!content.is_array()) return results;
  for (const auto& block : content) {
    if (view_at(block, "type") != "tool_result") continue;
    results.push_back(result(block, "tool_use_id", "is_error"));
    results.back().has_error_flag = true;
  }
  return results;
}

}  // namespace plumb::invariants
