// SPDX-License-Identifier: Apache-2.0
#include "engine/session/tree/entry_drafts.h"

#include <algorithm>
#include <utility>

#include "engine/session/tree/projection.h"
#include "engine/values/json_members.h"
#include "engine/values/json_object.h"

namespace plumb::engine {

namespace {

Json parent_json(const EntryPlace& parent) {
  return parent ? Json(*parent) : Json();
}

bool leads_with_fields(std::string_view type) {
  return type == "custom" || type == "custom_message";
}

void add_all(Json& json, const Json& fields) {
  for (const auto& [key, value] : fields.items()) json[key] = value;
}

struct EntryLine {
  std::string type;
  std::string id;
  EntryPlace parent;
  std::string time;
  Json fields;
  SharedJson message;
};

Json compose_line(const EntryLine& line) {
  Json json = object_with_room(5 + line.fields.size());
  json["type"] = line.type;
  if (leads_with_fields(line.type)) add_all(json, line.fields);
  json["id"] = line.id;
  json["parentId"] = parent_json(line.parent);
  json["timestamp"] = line.time;
  if (!leads_with_fields(line.type)) add_all(json, line.fields);
  // A compaction refers to itself where it keeps nothing.
  const bool keeps_nothing = line.type == "compaction" && line.fields["firstKeptEntryId"].is_null();
  if (keeps_nothing) json["firstKeptEntryId"] = line.id;
  if (line.type == "message") json["message"] = line.message.get();
  return json;
}

bool is_edit(const Json& replacement) {
  if (replacement.is_null()) return true;
  const Json& content = at(replacement, "content");
  return content.is_string() || content.is_array();
}

/// The role of what the model sees of an entry; "" for nothing that can be edited.
std::string editable_role(const TreeEntry& entry) {
  if (entry.type == "custom_message") return "custom";
  if (entry.type != "message") return "";
  const std::string role = text_at(at(entry.json.get(), "message"), "role");
  return role == "user" || role == "assistant" || role == "toolResult" ? role : "";
}

std::string on_one_line(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool is_break = c == '\n' || c == '\r';
    if (!is_break) text += c;
    if (is_break && !text.ends_with(' ')) text += ' ';
  }
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

TreeEntry compose_entry(EntryDraft draft, std::string id, EntryPlace parent, std::string time) {
  TreeEntry entry;
  entry.id = id;
  entry.parent_id = parent;
  entry.type = draft.type;
  entry.is_conversation = draft.is_conversation;
  EntryLine line{std::move(draft.type), std::move(id),           std::move(parent),
                 std::move(time),       std::move(draft.fields), std::move(draft.message)};
  entry.json = SharedJson::lazy([line = std::move(line)] { return compose_line(line); });
  return entry;
}

EntryDraft message_draft(std::string_view role, SharedJson message) {
  EntryDraft draft("message");
  draft.message = std::move(message);
  draft.is_conversation = role == "user" || role == "assistant";
  return draft;
}

EntryDraft custom_draft(std::string custom_type, std::optional<Json> data) {
  EntryDraft draft("custom", json_object("customType", std::move(custom_type)));
  if (data) draft.fields["data"] = *std::move(data);
  return draft;
}

EntryDraft custom_message_draft(std::string custom_type, Json content, bool is_displayed,
                                std::optional<Json> details) {
  EntryDraft draft("custom_message", json_object("customType", std::move(custom_type), "content",
                                                 std::move(content), "display", is_displayed));
  if (details) draft.fields["details"] = *std::move(details);
  return draft;
}

EntryDraft model_draft(std::string provider, std::string model) {
  return EntryDraft("model_change",
                    json_object("provider", std::move(provider), "modelId", std::move(model)));
}

EntryDraft thinking_draft(std::string level) {
  return EntryDraft("thinking_level_change", json_object("thinkingLevel", std::move(level)));
}

EntryDraft usage_draft(std::string kind, std::string provider, std::string model, Json usage) {
  return EntryDraft("usage", json_object("kind", std::move(kind), "provider", std::move(provider),
                                         "model", std::move(model), "usage", std::move(usage)));
}

EntryDraft name_draft(std::string_view name) {
  return EntryDraft("session_info", json_object("name", on_one_line(name)));
}

EntryDraft summary_draft(const EntryPlace& from, std::string summary, bool is_from_extension) {
  EntryDraft draft("branch_summary",
                   json_object("fromId", from.value_or("root"), "summary", std::move(summary)));
  if (is_from_extension) draft.fields["fromHook"] = true;
  return draft;
}

Result<EntryDraft> label_draft(const SessionTree& tree, std::string target, std::string text) {
  if (tree.find(target) == nullptr) {
    return fail(ErrorCode::not_found, "there is no entry '" + target + "' to label");
  }
  EntryDraft draft("label", json_object("targetId", std::move(target)));
  if (!text.empty()) draft.fields["label"] = std::move(text);
  return draft;
}

Result<EntryDraft> context_edit_draft(const SessionTree& tree, std::string target,
                                      Json replacement) {
  if (!is_edit(replacement)) {
    return fail(ErrorCode::invalid, "a context edit needs null or {content}, a text or a list");
  }
  const auto branch = tree.branch();
  const auto found = std::ranges::find(branch, target, &TreeEntry::id);
  if (found == branch.end()) {
    return fail(ErrorCode::not_found, "there is no entry '" + target + "' on the branch");
  }
  const std::string role = editable_role(**found);
  if (role.empty()) {
    return fail(ErrorCode::rejected, "entry '" + target + "' is no message that can be edited");
  }
  return EntryDraft("context_edit", json_object("targetId", std::move(target), "replacement",
                                                normal_replacement(std::move(replacement), role)));
}

EntryDraft compaction_draft(const SessionTree& tree, Compaction compaction) {
  EntryDraft draft("compaction", json_object("summary", std::move(compaction.summary),
                                             "firstKeptEntryId", parent_json(compaction.first_kept),
                                             "tokensBefore", compaction.tokens_before));
  Json checkpoint = current_system_message(project(tree.branch()));
  if (!checkpoint.is_null()) draft.fields["systemMessage"] = std::move(checkpoint);
  return draft;
}

}  // namespace plumb::engine
