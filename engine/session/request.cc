// SPDX-License-Identifier: Apache-2.0
// What the model is sent: prompt, tool declarations, messages.
#include <algorithm>

#include "engine/session/core.h"
#include "engine/values/json_members.h"

namespace plumb::engine {

namespace {

Json declaration_json(const ToolDefinition& tool) {
  Json json = Json::object();
  json["name"] = tool.name;
  json["description"] = tool.description;
  json["parameters"] = tool.parameters.get();
  return json;
}

bool declares(const std::vector<ToolDeclaration>& tools, const ToolDeclaration& wanted) {
  return std::ranges::find(tools, wanted) != tools.end();
}

bool names_tool(const std::vector<ToolDeclaration>& tools, const std::string& name) {
  return std::ranges::find(tools, name, &ToolDeclaration::name) != tools.end();
}

/// The delta between two sets of declarations (ACTIVE-16); nothing when they are alike.
std::optional<SystemMessage> tools_delta(const std::vector<ToolDeclaration>& before,
                                         const std::vector<ToolDeclaration>& now) {
  Json added = Json::array();
  Json removed = Json::array();
  for (const auto& tool : now) {
    if (!declares(before, tool)) added.push_back(tool.json.get());
  }
  for (const auto& tool : before) {
    if (names_tool(now, tool.name)) continue;
    Json name = Json::object();
    name["name"] = tool.name;
    removed.push_back(std::move(name));
  }
  if (added.empty() && removed.empty()) return std::nullopt;
  SystemMessage message;
  if (!added.empty()) message.tools_added = SharedJson(std::move(added));
  if (!removed.empty()) message.tools_removed = SharedJson(std::move(removed));
  return message;
}

bool is_system(const SharedJson& message) {
  return text_at(message.get(), "role") == "system";
}

}  // namespace

PromptParts Session::Core::prompt_parts() const {
  const PromptOptions& prompt = options_.prompt;
  PromptParts parts;
  parts.tools = active_.snapshot().active;
  parts.custom = prompt.custom;
  parts.guidelines = prompt.guidelines;
  parts.appended = prompt.appended;
  parts.project_context = prompt.project_context;
  parts.skills = prompt.skills;
  parts.cwd = prompt.cwd_shown;
  if (!run_) return parts;
  parts.guidelines.insert(parts.guidelines.end(), run_->guidelines.begin(), run_->guidelines.end());
  parts.sections = run_->sections;
  return parts;
}

std::string Session::Core::current_prompt() const {
  if (run_ && run_->prompt_override) return *run_->prompt_override;
  return policies_.session.compose_prompt(prompt_parts());
}

/// The same object as last time when the text is the same: a stable prefix (PROMPT-11).
SharedJson Session::Core::shared_prompt() {
  Json text(current_prompt());
  if (prompt_.get() != text) prompt_ = SharedJson(std::move(text));
  return prompt_;
}

ToolDeclaration Session::Core::declaration_of(const RegisteredToolPtr& tool) {
  auto& known = declared_[tool->definition.name];
  if (known.first == tool) return known.second;
  SharedJson json(declaration_json(tool->definition));
  const bool is_same = known.first != nullptr && known.second.json == json;
  known.first = tool;
  if (!is_same) known.second = ToolDeclaration{tool->definition.name, std::move(json)};
  return known.second;
}

std::vector<ToolDeclaration> Session::Core::declarations() {
  std::vector<ToolDeclaration> tools;
  for (const auto& tool : turn_tools_->active) tools.push_back(declaration_of(tool));
  return tools;
}

/// Fixes the turn's tools; says in the conversation what changed since the last request.
Task<void> Session::Core::announce_tools() {
  turn_tools_ = std::make_shared<const TurnTools>(active_.snapshot());
  auto now = declarations();
  const auto before = std::exchange(announced_, now);
  if (!before || !options_.announces_tool_changes) co_return;
  auto delta = tools_delta(*before, now);
  if (!delta) co_return;
  auto message = std::make_shared<const Message>(*std::move(delta));
  co_await deliver(std::move(message), std::string());
}

Task<ModelRequest> Session::Core::compose_request() {
  ModelRequest request;
  request.model = options_.model;
  request.system = shared_prompt();
  request.tools = declarations();
  request.messages = co_await context_messages();
  co_return request;
}

/// Handlers see and change the conversation without system messages (EVENT-22, EVENT-23); an
/// unchanged one is sent as it is stored.
Task<std::vector<SharedJson>> Session::Core::context_messages() {
  if (!runner_.wants("context")) co_return transcript_.request_messages();
  std::vector<SharedJson> shown = transcript_.request_messages();
  std::erase_if(shown, is_system);
  std::vector<SharedJson> changed = co_await runner_.context("context", shown);
  const bool is_same = std::ranges::equal(shown, changed, &SharedJson::same_object);
  if (is_same) co_return transcript_.request_messages();
  if (policies_.session.context_changes_are_stored()) {
    transcript_.replace_request_messages(changed);
  }
  co_return changed;
}

}  // namespace plumb::engine
