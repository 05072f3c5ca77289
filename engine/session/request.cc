// SPDX-License-Identifier: Apache-2.0
// What the model is sent: prompt, tool declarations, messages.
#include <algorithm>

#include "engine/session/core.h"
#include "engine/values/json_members.h"

namespace plumb::engine {

namespace {

/// What follows on an announcement is announced in turn, so often before one request.
constexpr std::int64_t kAnnouncementsMax = 8;

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

bool has_role(const SharedJson& message, std::string_view role) {
  return text_at(message.get(), "role") == role;
}

bool is_system(const SharedJson& message) {
  return has_role(message, "system");
}

/// How many messages both lists begin and end with.
struct Alignment {
  std::size_t head = 0;
  std::size_t tail = 0;
};

Alignment aligned(const std::vector<SharedJson>& shown, const std::vector<SharedJson>& changed) {
  const std::size_t shorter = std::min(shown.size(), changed.size());
  Alignment both;
  while (both.head < shorter && shown[both.head] == changed[both.head]) ++both.head;
  while (both.tail < shorter - both.head &&
         shown[shown.size() - 1 - both.tail] == changed[changed.size() - 1 - both.tail]) {
    ++both.tail;
  }
  return both;
}

/// Where in a list of `changed_count` the place before the index of another one is. Between what
/// both have in common it is the same index of lists of one length, else the end of the difference.
std::size_t place_of(std::size_t index, std::size_t shown_count, std::size_t changed_count,
                     Alignment both) {
  if (index <= both.head || shown_count == changed_count) return index;
  const std::size_t from_end = std::min(shown_count - index, both.tail);
  return changed_count - from_end;
}

/// `changed` with the system messages of `stored`, of which `shown` is the rest.
std::vector<SharedJson> with_system_messages(const std::vector<SharedJson>& stored,
                                             const std::vector<SharedJson>& shown,
                                             const std::vector<SharedJson>& changed) {
  const Alignment both = aligned(shown, changed);
  std::vector<SharedJson> merged;
  std::size_t taken = 0;
  std::size_t seen = 0;
  for (const auto& message : stored) {
    if (!is_system(message)) {
      ++seen;
      continue;
    }
    const std::size_t place = place_of(seen, shown.size(), changed.size(), both);
    while (taken < place) merged.push_back(changed[taken++]);
    // Never between a call and its result.
    while (taken < changed.size() && has_role(changed[taken], "toolResult")) {
      merged.push_back(changed[taken++]);
    }
    merged.push_back(message);
  }
  merged.insert(merged.end(), changed.begin() + static_cast<std::ptrdiff_t>(taken), changed.end());
  return merged;
}

bool is_picture(const Json& block) {
  return text_at(block, "type") == "image";
}

bool has_picture(const SharedJson& message) {
  const Json& content = at(message.get(), "content");
  return content.is_array() && std::ranges::any_of(content, is_picture);
}

/// A text in the place of each picture (READ-24).
SharedJson with_placeholders(const SharedJson& message) {
  Json changed = message.get();
  for (Json& block : changed["content"]) {
    if (!is_picture(block)) continue;
    const std::string type = text_at(block, "mimeType");
    block = Json{{"type", "text"},
                 {"text", "[A picture (" + type + ") is left out: this model takes none.]"}};
  }
  return SharedJson(std::move(changed));
}

}  // namespace

PromptParts Session::Core::prompt_parts(std::vector<RegisteredToolPtr> tools) const {
  const PromptOptions& prompt = options_.prompt;
  PromptParts parts;
  parts.tools = std::move(tools);
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

/// The prompt for these tools.
std::string Session::Core::prompt_for(std::vector<RegisteredToolPtr> tools) const {
  run_mark_.read();
  if (run_ && run_->prompt_override) return *run_->prompt_override;
  return policies_.session.compose_prompt(prompt_parts(std::move(tools)));
}

/// Of the tools that the turn declares, whatever a handler switched meanwhile (ACTIVE-08). The same
/// object as last time when the text is the same: a stable prefix (PROMPT-11).
SharedJson Session::Core::shared_prompt() {
  run_mark_.read();
  if (prompted_ == turn_tools_->active) return prompt_;
  prompted_ = turn_tools_->active;
  Json text(prompt_for(turn_tools_->active));
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

/// What the branch's own deltas are counted from. A session that brings some along from elsewhere
/// does not say what they changed.
void Session::Core::remember_first(const std::vector<ToolDeclaration>& tools) {
  const auto is_delta = [](const MessagePtr& message) {
    return std::holds_alternative<SystemMessage>(*message);
  };
  if (std::ranges::none_of(transcript_.messages(), is_delta)) first_announced_ = tools;
}

/// Fixes the turn's tools; says in the conversation what changed since the last request. Whoever
/// hears of that may change the set again: the turn's tools are always those that were said last.
Task<void> Session::Core::announce_tools() {
  for (std::int64_t i = 0; i < kAnnouncementsMax; ++i) {
    turn_tools_ = std::make_shared<const TurnTools>(active_.snapshot());
    auto now = declarations();
    const auto before = std::exchange(announced_, now);
    if (!before) remember_first(now);
    if (!before || !options_.announces_tool_changes) co_return;
    auto delta = tools_delta(*before, now);
    if (!delta) co_return;
    auto message = std::make_shared<const Message>(*std::move(delta));
    co_await deliver(std::move(message), std::string());
  }
}

/// Prompt, declarations and the calls of the answer go by one snapshot, taken when no handler can
/// change the set any more (ACTIVE-08). Handlers of `context` see what was announced before them;
/// what they switch is announced behind the list that they gave.
Task<ModelRequest> Session::Core::compose_request() {
  if (announced_ && runner_.wants("context")) co_await announce_tools();
  std::vector<SharedJson> messages = co_await context_messages();
  const auto seen_count = std::ssize(transcript_.request_messages());
  co_await announce_tools();
  const auto& stored = transcript_.request_messages();
  messages.insert(messages.end(), stored.begin() + seen_count, stored.end());
  ModelRequest request;
  request.model = model();
  request.system = shared_prompt();
  request.tools = *announced_;
  if (!model_profile().takes_pictures) messages = without_pictures(std::move(messages));
  request.messages = std::move(messages);
  co_return request;
}

std::vector<SharedJson> Session::Core::without_pictures(std::vector<SharedJson> messages) {
  for (SharedJson& message : messages) {
    if (!has_picture(message)) continue;
    const auto is_known = [&](const auto& pair) { return pair.first.same_object(message); };
    auto known = std::ranges::find_if(blind_messages_, is_known);
    if (known == blind_messages_.end()) {
      blind_messages_.emplace_back(message, with_placeholders(message));
      known = std::prev(blind_messages_.end());
    }
    message = known->second;
  }
  return messages;
}

/// Handlers see and change the conversation without system messages (EVENT-22, EVENT-23), which
/// then go back to their places; an unchanged one is sent as it is stored.
Task<std::vector<SharedJson>> Session::Core::context_messages() {
  if (!runner_.wants("context")) co_return transcript_.request_messages();
  const std::vector<SharedJson> stored = transcript_.request_messages();
  std::vector<SharedJson> shown = stored;
  std::erase_if(shown, is_system);
  std::vector<SharedJson> changed = co_await runner_.context("context", shown);
  const bool is_same = std::ranges::equal(shown, changed, &SharedJson::same_object);
  if (is_same) co_return stored;
  changed = with_system_messages(stored, shown, changed);
  if (policies_.session.context_changes_are_stored()) {
    transcript_.replace_request_messages(changed);
  }
  co_return changed;
}

}  // namespace plumb::engine
