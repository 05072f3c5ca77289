// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/request_match.h"

#include <algorithm>
#include <optional>
#include <ranges>

#include "engine/values/json_members.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// A text, or those of a list of blocks together.
std::string text_of(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  for (std::size_t i = 0; content.is_array() && i < content.size(); ++i) {
    if (view_at(content[i], "type") == "text") text += view_at(content[i], "text");
  }
  return text;
}

std::string last_user_text(const engine::ModelRequest& request) {
  for (const SharedJson& message : std::views::reverse(request.messages)) {
    if (view_at(message.get(), "role") == "user") return text_of(at(message.get(), "content"));
  }
  return "";
}

std::optional<std::string> result_text(const engine::ModelRequest& request, const std::string& call,
                                       const ScriptId& script_id) {
  for (const SharedJson& message : std::views::reverse(request.messages)) {
    if (view_at(message.get(), "role") != "toolResult") continue;
    const std::string_view id = view_at(message.get(), "toolCallId");
    if (script_id ? script_id(id) == call : id == call) {
      return text_of(at(message.get(), "content"));
    }
  }
  return std::nullopt;
}

/// `what`: "its last user text", for the first condition that `text` does not meet.
std::string unmet_text(const TextMatch& match, const std::string& what, const std::string& text) {
  const auto found = mismatches(match, text);
  if (found.empty()) return "";
  return what + " " + in_quotes(text) + " " + found.front().message + " " +
         in_quotes(found.front().expected);
}

std::string unmet_result(const std::string& call, const TextMatch& match,
                         const engine::ModelRequest& request, const ScriptId& script_id) {
  const auto text = result_text(request, call, script_id);
  if (!text) return "it has no result of call " + in_quotes(call);
  return unmet_text(match, "its result of call " + in_quotes(call), *text);
}

std::string unmet_tools(const std::vector<std::string>& names,
                        const engine::ModelRequest& request) {
  if (names.empty() && !request.tools.empty()) {
    return "it declares tool " + in_quotes(request.tools.front().name) + ", expected none";
  }
  for (const std::string& name : names) {
    if (std::ranges::find(request.tools, name, &engine::ToolDeclaration::name) ==
        request.tools.end()) {
      return "it does not declare tool " + in_quotes(name);
    }
  }
  return "";
}

}  // namespace

std::string unmatched_part(const RequestMatch& match, const engine::ModelRequest& request,
                           const ScriptId& script_id) {
  if (match.model && *match.model != request.model) {
    return "its model is " + in_quotes(request.model) + ", expected " + in_quotes(*match.model);
  }
  std::string unmet;
  if (match.tools) unmet = unmet_tools(*match.tools, request);
  if (unmet.empty() && match.user) {
    unmet = unmet_text(*match.user, "its last user text", last_user_text(request));
  }
  for (const auto& [call, text] : match.results) {
    if (unmet.empty()) unmet = unmet_result(call, text, request, script_id);
  }
  return unmet;
}

}  // namespace plumb::simulator
