// SPDX-License-Identifier: Apache-2.0
#include "engine/session/tree/projection.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "engine/values/json_members.h"
#include "engine/values/json_object.h"

namespace plumb::engine {

namespace {

bool is_message_of(const TreeEntry& entry, std::string_view role) {
  return entry.type == "message" && view_at(at(entry.json.get(), "message"), "role") == role;
}

bool has_content(std::string_view role) {
  return role == "user" || role == "assistant" || role == "toolResult";
}

/// What files of old versions and edited ones lack.
Json with_content(Json message) {
  if (!at(message, "content").is_null()) return message;
  const std::string role = text_at(message, "role");
  if (role == "system") message["content"] = "";
  if (has_content(role)) message["content"] = Json::array();
  return message;
}

Json custom_message(const Json& entry) {
  const Json& content = at(entry, "content");
  Json message =
      json_object("role", "custom", "customType", text_at(entry, "customType"), "content",
                  content.is_null() ? Json::array() : content, "display", at(entry, "display"));
  if (entry.contains("details")) message["details"] = entry["details"];
  return message;
}

void add_summary(std::vector<ContextMessage>& messages, const TreeEntry& entry, const char* role) {
  Json message = json_object("role", role, "summary", text_at(entry.json.get(), "summary"));
  messages.push_back({&entry, SharedJson(std::move(message)), false});
}

void add_stored(std::vector<ContextMessage>& messages, const TreeEntry& entry) {
  const Json& message = at(entry.json.get(), "message");
  if (!message.is_object()) return;
  messages.push_back({&entry, SharedJson(with_content(message)), true});
}

void add_messages(std::vector<ContextMessage>& messages, const TreeEntry& entry, bool is_first) {
  const Json& json = entry.json.get();
  if (entry.type == "message") return add_stored(messages, entry);
  if (entry.type == "custom_message") {
    messages.push_back({&entry, SharedJson(custom_message(json)), true});
  } else if (entry.type == "branch_summary" && !text_at(json, "summary").empty()) {
    add_summary(messages, entry, "branchSummary");
  } else if (entry.type == "compaction" && is_first) {
    // An older one lies in the kept range: its summary is in the newer one.
    const Json& checkpoint = at(json, "systemMessage");
    if (checkpoint.is_object()) messages.push_back({&entry, SharedJson(checkpoint), false});
    add_summary(messages, entry, "compactionSummary");
  }
}

/// The replacements of the context's edits by target, the last of each.
std::map<std::string, Json> edits_of(const Branch& entries) {
  std::map<std::string, Json> edits;
  for (const TreeEntry* entry : entries) {
    if (entry->type != "context_edit") continue;
    const Json& json = entry->json.get();
    edits[text_at(json, "targetId")] = at(json, "replacement");
  }
  return edits;
}

void apply_edit(std::vector<ContextMessage>& messages, std::size_t first, const Json& edit) {
  if (edit.is_null()) return messages.resize(first);
  for (auto& message : messages | std::views::drop(first)) {
    Json changed = message.message.get();
    const std::string role = text_at(changed, "role");
    if (!has_content(role) && role != "custom") continue;
    changed["content"] = at(normal_replacement(edit, role), "content");
    message.message = SharedJson(std::move(changed));
    message.is_stored = false;
  }
}

std::string text_of_content(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const Json& block : content) text += text_at(block, "text");
  return text;
}

std::string name_of_tool(const Json& tool) {
  return tool.is_string() ? tool.get<std::string>() : text_at(tool, "name");
}

void erase_tool(Json& tools, const std::string& name) {
  const auto found = std::ranges::find(tools, name, name_of_tool);
  if (found != tools.end()) tools.erase(found);
}

void patch_tools(Json& tools, const Json& message) {
  for (const Json& tool : at(message, "toolsRemoved")) erase_tool(tools, name_of_tool(tool));
  for (const Json& tool : at(message, "toolsAdded")) {
    const auto found = std::ranges::find(tools, name_of_tool(tool), name_of_tool);
    if (found == tools.end()) {
      tools.push_back(tool);
    } else {
      *found = tool;
    }
  }
}

void patch_sections(Json& sections, const Json& message) {
  const Json& patch = at(message, "sections");
  if (!patch.is_object()) return;
  for (const auto& [name, text] : patch.items()) {
    if (text.is_null()) {
      sections.erase(name);
    } else {
      sections[name] = text;
    }
  }
}

}  // namespace

Branch context_entries(const Branch& branch) {
  const auto compactions = branch | std::views::reverse;
  const auto last = std::ranges::find(compactions, "compaction", &TreeEntry::type);
  if (last == compactions.end()) return branch;
  const TreeEntry* compaction = *last;
  const std::string first_kept = text_at(compaction->json.get(), "firstKeptEntryId");
  Branch entries{compaction};
  bool is_kept = false;
  auto entry = branch.begin();
  for (; *entry != compaction; ++entry) {
    is_kept = is_kept || (*entry)->id == first_kept;
    if (is_kept && !is_message_of(**entry, "system")) entries.push_back(*entry);
  }
  entries.insert(entries.end(), entry + 1, branch.end());
  return entries;
}

std::vector<ContextMessage> project(const Branch& branch) {
  const Branch entries = context_entries(branch);
  const auto edits = edits_of(entries);
  std::vector<ContextMessage> messages;
  for (const TreeEntry* entry : entries) {
    const std::size_t first = messages.size();
    add_messages(messages, *entry, entry == entries.front());
    const auto edit = edits.find(entry->id);
    if (edit != edits.end()) apply_edit(messages, first, edit->second);
  }
  return messages;
}

BranchSettings settings_of(const Branch& branch) {
  BranchSettings settings;
  for (const TreeEntry* entry : branch) {
    const Json& json = entry->json.get();
    if (entry->type == "thinking_level_change") {
      settings.thinking_level = text_at(json, "thinkingLevel");
    } else if (entry->type == "model_change") {
      settings.provider = text_at(json, "provider");
      settings.model = text_at(json, "modelId");
    } else if (is_message_of(*entry, "assistant") && at(json, "message").contains("model")) {
      settings.provider = text_at(at(json, "message"), "provider");
      settings.model = text_at(at(json, "message"), "model");
    }
  }
  return settings;
}

Json current_system_message(const std::vector<ContextMessage>& messages) {
  std::string content;
  Json sections = Json::object();
  Json tools = Json::array();
  bool is_there = false;
  for (const ContextMessage& one : messages) {
    const Json& message = one.message.get();
    if (view_at(message, "role") != "system") continue;
    is_there = true;
    const std::string text = text_of_content(at(message, "content"));
    if (!content.empty() && !text.empty()) content += "\n\n";
    content += text;
    patch_sections(sections, message);
    patch_tools(tools, message);
  }
  if (!is_there) return Json();
  Json current = json_object("role", "system", "content", std::move(content));
  if (!sections.empty()) current["sections"] = std::move(sections);
  if (!tools.empty()) current["toolsAdded"] = std::move(tools);
  return current;
}

Json last_custom_data(const Branch& branch, std::string_view custom_type) {
  for (const TreeEntry* entry : branch | std::views::reverse) {
    if (entry->type != "custom") continue;
    if (view_at(entry->json.get(), "customType") == custom_type) {
      return at(entry->json.get(), "data");
    }
  }
  return Json();
}

Json normal_replacement(Json replacement, std::string_view role) {
  const Json& content = at(replacement, "content");
  const bool needs_list = role == "assistant" || role == "toolResult";
  if (!needs_list || !content.is_string()) return replacement;
  Json block = json_object("type", "text", "text", content.get<std::string>());
  replacement["content"] = Json::array();
  replacement["content"].push_back(std::move(block));
  return replacement;
}

}  // namespace plumb::engine
