// SPDX-License-Identifier: Apache-2.0
#include "engine/session/transcript.h"

#include <algorithm>
#include <utility>

#include "engine/session/tree/projection.h"
#include "engine/session/tree/stored_message.h"
#include "engine/values/json_members.h"
#include "engine/values/json_object.h"

namespace plumb::engine {

namespace {

Json memory_header() {
  return json_object("type", "session", "version", std::int64_t{3}, "id", "memory");
}

EntryDraft draft_of(const Message& message, SharedJson shown) {
  const auto* custom = std::get_if<CustomMessage>(&message);
  if (custom == nullptr) return message_draft(role_of(message), std::move(shown));
  std::optional<Json> details;
  if (!custom->details.is_null()) details = custom->details.get();
  return custom_message_draft(custom->custom_type, to_json(custom->content), true,
                              std::move(details));
}

SharedJson request_form(const MessagePtr& message) {
  return SharedJson::lazy([message] { return to_request_json(*message); });
}

Json shown_custom_message(const Json& json) {
  Json message = json_object("role", "custom", "customType", text_at(json, "customType"), "content",
                             at(json, "content"));
  if (json.contains("details")) message["details"] = json["details"];
  return message;
}

/// An entry as extensions see it.
Json shown_entry(const TreeEntry& entry) {
  const Json& json = entry.json.get();
  if (entry.type == "message") {
    return json_object("id", entry.id, "type", entry.type, "message", at(json, "message"));
  }
  if (entry.type == "custom_message") {
    return json_object("id", entry.id, "type", "message", "message", shown_custom_message(json));
  }
  if (entry.type == "custom") {
    return json_object("id", entry.id, "type", text_at(json, "customType"), "data",
                       at(json, "data"));
  }
  Json shown = json;
  shown.erase("parentId");
  shown.erase("timestamp");
  return shown;
}

}  // namespace

Transcript::Transcript(StorePorts ports, Recorder& recorder, const SessionPolicies& policies)
    : ports_(ports),
      recorder_(recorder),
      policies_(policies),
      mark_(&ports.env.loop, TouchKind::store, "transcript"),
      store_(std::make_unique<SessionStore>(ports, memory_header(), "")) {}

void Transcript::use(SessionStorePtr store) {
  mark_.write();
  store_ = std::move(store);
  is_kept_ = true;
  held_.clear();
  rebuild();
}

std::string Transcript::add_message(MessagePtr message, SharedJson shown, std::string call) {
  EntryDraft draft = draft_of(*message, shown);
  const TreeEntry& entry = add(std::move(draft), "message", std::move(shown), std::move(call));
  Held held{message, request_form(message)};
  take(held);
  held_.emplace(entry.id, std::move(held));
  return entry.id;
}

void Transcript::take(const Held& held) {
  const auto* answer = std::get_if<AssistantMessage>(held.message.get());
  if (answer == nullptr || policies_.answer_is_sent_again(answer->stop_reason)) {
    request_.push_back(held.request);
  }
  messages_.push_back(held.message);
}

std::string Transcript::add_entry(std::string type, Json data) {
  SharedJson shown(data);
  return add(custom_draft(type, std::move(data)), type, std::move(shown), "").id;
}

std::string Transcript::add_draft(EntryDraft draft) {
  std::string type = draft.type;
  SharedJson shown(draft.fields);
  return add(std::move(draft), std::move(type), std::move(shown), "").id;
}

const TreeEntry& Transcript::add(EntryDraft draft, std::string shown_type, SharedJson data,
                                 std::string call) {
  mark_.write();
  // In memory nobody but the trace reads them: short ones.
  std::string id = is_kept_ ? "" : "e" + std::to_string(tree().entries().size() + 1);
  const TreeEntry& entry = store_->add(std::move(draft), std::move(id));
  SessionEntry event;
  event.id = entry.id;
  event.type = std::move(shown_type);
  event.data = std::move(data);
  recorder_.record(Source::probe, std::move(event), std::move(call));
  return entry;
}

Result<void> Transcript::move(const EntryPlace& place) {
  mark_.write();
  const auto moved = store_->move(place);
  if (moved) rebuild();
  return moved;
}

/// The same message for the same entry each time, so that requests share their prefix; what an edit
/// changed is a message of its own.
Transcript::Held Transcript::held_of(const ContextMessage& one) {
  const auto known = held_.find(one.source->id);
  if (one.is_stored && known != held_.end()) return known->second;
  Held held{parse_message(one.message.get()), SharedJson()};
  if (held.message == nullptr) return held;
  held.request = request_form(held.message);
  if (one.is_stored) held_.emplace(one.source->id, held);
  return held;
}

void Transcript::rebuild() {
  messages_.clear();
  request_.clear();
  std::vector<ToolCallBlock> open;
  for (const ContextMessage& one : project(tree().branch())) {
    const Held held = held_of(one);
    if (held.message == nullptr) continue;
    const auto* result = std::get_if<ToolResultMessage>(held.message.get());
    if (result != nullptr) {
      std::erase_if(open, [&](const auto& call) { return call.id == result->tool_call_id; });
    } else {
      answer_open_calls(open);
    }
    take(held);
    const auto* answer = std::get_if<AssistantMessage>(held.message.get());
    const bool asks = answer != nullptr && policies_.answer_is_sent_again(answer->stop_reason);
    if (asks) open = tool_calls_of(*answer);
  }
  answer_open_calls(open);
}

/// A branch may end between a call and its result: no model takes that.
void Transcript::answer_open_calls(std::vector<ToolCallBlock>& open) {
  for (const ToolCallBlock& call : std::exchange(open, {})) {
    ToolResultMessage message;
    message.tool_call_id = call.id;
    message.tool_name = call.name;
    message.content.emplace_back(TextBlock{"there is no result"});
    message.is_error = true;
    request_.push_back(request_form(std::make_shared<const Message>(std::move(message))));
  }
}

bool Transcript::can_continue() const {
  mark_.read();
  return !request_.empty() && text_at(request_.back().get(), "role") != "assistant";
}

SharedJson Transcript::entries() const {
  mark_.read();
  Json list = Json::array();
  for (const TreeEntry* entry : tree().branch()) list.push_back(shown_entry(*entry));
  return SharedJson(std::move(list));
}

}  // namespace plumb::engine
