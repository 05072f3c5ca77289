// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/message_view.h"

#include <utility>

#include "engine/values/json_members.h"

namespace plumb::invariants {
namespace {

/// `content` if it is a list, else `storage`, filled with the list that it stands for.
const Json* listed(const Json* content, Json& storage) {
  if (content->is_array()) return content;
  storage = as_blocks(*content);
  return &storage;
}

ShownCall block_call(const Json& block) {
  const bool is_native = view_at(block, "type") == "toolCall";
  return ShownCall{.id = text_at(block, "id"),
                   .name = text_at(block, "name"),
                   .arguments = SeenValue(at(block, is_native ? "arguments" : "input")),
                   .arguments_error = text_at(block, "argumentsError")};
}

/// OpenAI sends arguments as text; text that is no JSON is the provider's argumentsError.
ShownCall function_call(const Json& entry) {
  const Json& function = at(entry, "function");
  ShownCall call{text_at(entry, "id"), text_at(function, "name"), {}, {}};
  auto parsed = parse_json(text_at(function, "arguments"));
  if (parsed)
    call.arguments = SeenValue(SharedJson(std::move(*parsed)));
  else
    call.arguments_error = parsed.error().message;
  return call;
}

/// How a dialect names the members of a result. `has_flag`: a missing error flag is one, too.
struct ResultKeys {
  const char* id;
  const char* error;
  bool has_flag = false;
};

/// Blocks that stand there as such lie in the trace.
SeenValue blocks_at(const Json& content) {
  return content.is_array() ? SeenValue(content) : SeenValue(SharedJson(as_blocks(content)));
}

ShownResult result(const Json& holder, const ResultKeys& keys) {
  const Json& flag = at(holder, keys.error);
  return ShownResult{.call = text_at(holder, keys.id),
                     .content = blocks_at(at(holder, "content")),
                     .is_error = flag == true,
                     .has_error_flag = keys.has_flag || flag.is_boolean(),
                     .block = &holder};
}

/// The calls of an answer: `see_block` those among its content, `see_function` those beside it.
void for_each_call(const Json& message, const auto& see_block, const auto& see_function) {
  if (!is_assistant(message)) return;
  const Json& content = at(message, "content");
  if (content.is_array()) {
    for (const auto& block : content) {
      const auto type = view_at(block, "type");
      if (type == "toolCall" || type == "tool_use") see_block(block);
    }
  }
  const Json& functions = at(message, "tool_calls");
  if (!functions.is_array()) return;
  for (const auto& entry : functions) see_function(entry);
}

void for_each_result(const Json& message, const auto& see) {
  const auto role = view_at(message, "role");
  if (role == "toolResult") return see(message, ResultKeys{"toolCallId", "isError"});
  if (role == "tool") return see(message, ResultKeys{"tool_call_id", "is_error"});
  if (role != "user") return;
  // Results stand in lists only; what they point to must stay.
  const Json& content = at(message, "content");
  if (!content.is_array()) return;
  for (const auto& block : content) {
    if (view_at(block, "type") != "tool_result") continue;
    see(block, ResultKeys{"tool_use_id", "is_error", true});
  }
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
  for (const auto& block : *listed(&content, storage)) {
    if (view_at(block, "type") != "text") continue;
    if (!text.empty()) text += '\n';
    text += text_at(block, "text");
  }
  return text;
}

std::vector<ShownCall> calls_in(const Json& message) {
  std::vector<ShownCall> calls;
  for_each_call(
      message, [&](const Json& block) { calls.push_back(block_call(block)); },
      [&](const Json& entry) { calls.push_back(function_call(entry)); });
  return calls;
}

std::vector<std::string_view> ids_of_calls_in(const Json& message) {
  std::vector<std::string_view> ids;
  const auto add = [&](const Json& call) { ids.push_back(view_at(call, "id")); };
  for_each_call(message, add, add);
  return ids;
}

void add_results(const Json& message, std::vector<ShownResult>& results) {
  for_each_result(message, [&](const Json& holder, const ResultKeys& keys) {
    results.push_back(result(holder, keys));
  });
}

std::vector<ShownResult> results_in(const Json& message) {
  std::vector<ShownResult> results;
  add_results(message, results);
  return results;
}

void add_ids_of_results(const Json& message, std::vector<std::string_view>& ids) {
  for_each_result(message, [&](const Json& holder, const ResultKeys& keys) {
    ids.push_back(view_at(holder, keys.id));
  });
}

std::vector<std::string_view> ids_of_results_in(const Json& message) {
  std::vector<std::string_view> ids;
  add_ids_of_results(message, ids);
  return ids;
}

}  // namespace plumb::invariants
