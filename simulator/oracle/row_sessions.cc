// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/row_sessions.h"

#include <algorithm>
#include <utility>

namespace plumb::simulator {

using engine::SessionStore;
using engine::SessionTree;
using engine::TreeEntry;

namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

SessionStore* RowSessions::find(const std::string& name) {
  const auto found = known_.find(name);
  return found == known_.end() ? nullptr : found->second;
}

void RowSessions::borrow(const std::string& name, SessionStore& store) {
  known_[name] = &store;
  for (const TreeEntry& entry : store.tree().entries()) {
    if (name_of(entry.id) == kNewEntry) ids_by_name_[entry.id] = entry.id;
  }
}

void RowSessions::keep(const std::string& name, engine::SessionStorePtr store) {
  borrow(name, *store);
  owned_[name] = std::move(store);
}

void RowSessions::keep_unnamed(const std::string& name, engine::SessionStorePtr store) {
  known_[name] = store.get();
  owned_[name] = std::move(store);
}

engine::SessionStorePtr RowSessions::take(const std::string& name) {
  const auto found = owned_.find(name);
  return found == owned_.end() ? nullptr : std::move(found->second);
}

std::string RowSessions::id_of(const std::string& word, const SessionTree& tree) const {
  const auto named = ids_by_name_.find(word);
  if (named != ids_by_name_.end()) return named->second;
  if (!word.starts_with('#') || !is_number(std::string_view(word).substr(1))) return word;
  const auto index = static_cast<std::size_t>(std::stoll(word.substr(1)));
  const bool is_there = index > 0 && index <= tree.entries().size();
  return is_there ? tree.entries()[index - 1].id : word;
}

std::string RowSessions::name_of(const std::string& id) const {
  for (const auto& [name, known] : ids_by_name_) {
    if (known == id) return name;
  }
  return std::string(kNewEntry);
}

std::string RowSessions::path_of(const std::string& path) const {
  const std::string inside = filled(path);
  if (inside.starts_with('/')) return inside;
  return engine::normal_path(world_.root() + "/" + inside);
}

std::string RowSessions::filled(std::string text) const {
  for (const auto& [name, store] : known_) {
    replace_all(text, "<FILE:" + name + ">", store->path());
    if (name == "s") replace_all(text, "<SESSION_ID>", store->tree().session_id());
  }
  return text;
}

Json RowSessions::filled(const Json& value) const {
  if (value.is_string()) return filled(value.get<std::string>());
  if (!value.is_structured()) return value;
  Json result = value.is_array() ? Json::array() : Json::object();
  for (const auto& [key, part] : value.items()) {
    if (value.is_array()) {
      result.push_back(filled(part));
    } else {
      result[filled(key)] = filled(part);
    }
  }
  return result;
}

}  // namespace plumb::simulator
