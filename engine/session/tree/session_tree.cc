// SPDX-License-Identifier: Apache-2.0
#include "engine/session/tree/session_tree.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "engine/values/json_members.h"

namespace plumb::engine {

namespace {

EntryPlace place_at(const Json& json, const char* key) {
  const Json& value = at(json, key);
  return value.is_string() ? EntryPlace(value.get<std::string>()) : std::nullopt;
}

bool says_conversation(const Json& json) {
  if (text_at(json, "type") != "message") return false;
  const std::string role = text_at(at(json, "message"), "role");
  return role == "user" || role == "assistant";
}

std::string trimmed(std::string text) {
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  const auto first = std::ranges::find_if_not(text, is_blank);
  return std::string(first, text.end());
}

}  // namespace

TreeEntry entry_from(Json json) {
  TreeEntry entry;
  entry.id = text_at(json, "id");
  entry.parent_id = place_at(json, "parentId");
  entry.type = text_at(json, "type");
  entry.is_conversation = says_conversation(json);
  entry.json = SharedJson(std::move(json));
  return entry;
}

std::string SessionTree::session_id() const {
  return text_at(header_, "id");
}

const TreeEntry* SessionTree::find(std::string_view id) const {
  const auto found = index_.find(std::string(id));
  return found == index_.end() ? nullptr : &entries_[found->second];
}

const TreeEntry* SessionTree::parent_of(const TreeEntry& entry) const {
  return entry.parent_id ? find(*entry.parent_id) : nullptr;
}

std::vector<const TreeEntry*> SessionTree::branch() const {
  if (!leaf_) return {};
  return branch_of(*leaf_);
}

std::vector<const TreeEntry*> SessionTree::branch_of(std::string_view id) const {
  std::vector<const TreeEntry*> path;
  std::unordered_set<const TreeEntry*> seen;
  for (const TreeEntry* entry = find(id); entry != nullptr; entry = parent_of(*entry)) {
    if (!seen.insert(entry).second) break;
    path.push_back(entry);
  }
  std::ranges::reverse(path);
  return path;
}

std::vector<const TreeEntry*> SessionTree::children(const EntryPlace& parent) const {
  std::vector<const TreeEntry*> found;
  std::set<std::string_view> seen;
  for (const TreeEntry& entry : entries_) {
    if (entry.id.empty() || !seen.insert(entry.id).second) continue;
    const TreeEntry* valid = find(entry.id);
    if (valid->parent_id == parent) found.push_back(valid);
  }
  return found;
}

std::vector<const TreeEntry*> SessionTree::roots() const {
  const auto cyclic = cycles();
  std::vector<const TreeEntry*> found;
  std::set<std::string_view> seen;
  for (const TreeEntry& entry : entries_) {
    if (entry.id.empty() || !seen.insert(entry.id).second) continue;
    const TreeEntry* valid = find(entry.id);
    const bool is_cyclic = std::ranges::find(cyclic, valid->id) != cyclic.end();
    if (is_cyclic || parent_of(*valid) == nullptr) found.push_back(valid);
  }
  return found;
}

std::vector<std::string> SessionTree::cycles() const {
  // Each entry is walked over once: what an earlier walk has seen leads nowhere new.
  std::vector<std::string> found;
  std::unordered_map<const TreeEntry*, std::size_t> walks;
  for (std::size_t walk = 0; walk < entries_.size(); ++walk) {
    const TreeEntry* entry = entries_[walk].id.empty() ? nullptr : find(entries_[walk].id);
    while (entry != nullptr && walks.try_emplace(entry, walk).second) entry = parent_of(*entry);
    if (entry != nullptr && walks[entry] == walk) found.push_back(entry->id);
  }
  return found;
}

std::string SessionTree::label(std::string_view id) const {
  const auto found = labels_.find(id);
  return found == labels_.end() ? "" : found->second.label.text;
}

std::vector<EntryLabel> SessionTree::labels() const {
  std::vector<const Label*> given;
  for (const auto& [target, label] : labels_) given.push_back(&label);
  std::ranges::sort(given, {}, &Label::number);
  std::vector<EntryLabel> list;
  for (const Label* label : given) list.push_back(label->label);
  return list;
}

Result<void> SessionTree::move(const EntryPlace& place) {
  if (place && find(*place) == nullptr) {
    return fail(ErrorCode::not_found, "there is no entry '" + *place + "'");
  }
  leaf_ = place;
  return {};
}

void SessionTree::add(TreeEntry entry) {
  entries_.push_back(std::move(entry));
  learn(entries_.back());
}

void SessionTree::learn(const TreeEntry& entry) {
  if (!entry.id.empty()) {
    index_[entry.id] = entries_.size() - 1;
    leaf_ = entry.id;
  }
  if (entry.is_conversation) ++conversation_count_;
  if (entry.type == "session_info") name_ = trimmed(text_at(entry.json.get(), "name"));
  if (entry.type == "label") learn_label(entry);
}

void SessionTree::learn_label(const TreeEntry& entry) {
  const Json& json = entry.json.get();
  const std::string target = text_at(json, "targetId");
  const std::string text = text_at(json, "label");
  if (text.empty()) {
    labels_.erase(target);
    return;
  }
  Label& label = labels_[target];
  if (label.label.text.empty()) label.number = ++label_count_;
  label.label = EntryLabel{target, text, text_at(json, "timestamp")};
}

void SessionTree::shrink(std::size_t count, EntryPlace leaf) {
  bool is_plain = true;
  while (entries_.size() > count) {
    const TreeEntry& last = entries_.back();
    is_plain = is_plain && last.type != "label" && last.type != "session_info";
    index_.erase(last.id);
    if (last.is_conversation) --conversation_count_;
    entries_.pop_back();
  }
  if (!is_plain) relearn();
  leaf_ = std::move(leaf);
}

void SessionTree::relearn() {
  labels_.clear();
  label_count_ = 0;
  name_.clear();
  for (const TreeEntry& entry : entries_) {
    if (entry.type == "session_info") name_ = trimmed(text_at(entry.json.get(), "name"));
    if (entry.type == "label") learn_label(entry);
  }
}

EntryPlace common_ancestor(const std::vector<const TreeEntry*>& left,
                           const std::vector<const TreeEntry*>& right) {
  const std::unordered_set<const TreeEntry*> known(left.begin(), left.end());
  for (const TreeEntry* entry : right | std::views::reverse) {
    if (known.contains(entry)) return entry->id;
  }
  return std::nullopt;
}

}  // namespace plumb::engine
