// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/session_query.h"

#include <array>
#include <functional>
#include <utility>

#include "engine/session/tree/projection.h"
#include "engine/session/tree/session_text.h"
#include "engine/values/ecma_pattern.h"
#include "engine/values/json_members.h"
#include "simulator/oracle/compare.h"

namespace plumb::simulator {

using engine::Branch;
using engine::SessionStore;
using engine::SessionTree;
using engine::TreeEntry;

namespace {

std::string text_of(const Json& message) {
  if (message.contains("summary")) return text_at(message, "summary");
  const Json& content = at(message, "content");
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  for (const Json& block : content) text += text_at(block, "text");
  return text;
}

std::string line_word(const Json& json) {
  const std::string type = text_at(json, "type");
  if (type == "message") return type + ":" + text_at(at(json, "message"), "role");
  if (type != "custom" && type != "custom_message") return type;
  return type + ":" + text_at(json, "customType");
}

Json keys_of(const Json& json) {
  Json keys = Json::array();
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

Json text_or_null(std::string text) {
  return text.empty() ? Json() : Json(std::move(text));
}

/// One question: everything about one session.
class Query final {
 public:
  Query(RowSessions& world, SessionStore& store, const Json& expect,
        const Result<std::string>& text)
      : world_(world), tree_(store.tree()), expect_(expect), text_(text) {}

  Json answer() {
    Json answer = Json::object();
    for (const auto& [key, wanted] : expect_.items()) {
      const auto found = kAnswers().find(key);
      if (found != kAnswers().end()) answer[key] = found->second(*this, wanted);
    }
    return answer;
  }

 private:
  using Answer = std::function<Json(Query&, const Json&)>;

  static const std::map<std::string, Answer, std::less<>>& kAnswers() {
    static const std::map<std::string, Answer, std::less<>> answers{
        {"leaf", [](Query& q, const Json&) { return q.place(q.tree_.leaf()); }},
        {"leaf_data", [](Query& q, const Json&) { return q.leaf_data(); }},
        {"branch", [](Query& q, const Json&) { return q.names(q.tree_.branch()); }},
        {"entries", [](Query& q, const Json&) { return q.entry_names(); }},
        {"roots", [](Query& q, const Json&) { return q.names(q.tree_.roots()); }},
        {"children", [](Query& q, const Json& wanted) { return q.children(wanted); }},
        {"branch_of", [](Query& q, const Json& wanted) { return q.branches(wanted); }},
        {"roles", [](Query& q, const Json&) { return q.messages(true); }},
        {"texts", [](Query& q, const Json&) { return q.messages(false); }},
        {"context_entries", [](Query& q, const Json&) { return q.context_types(); }},
        {"label", [](Query& q, const Json& wanted) { return q.labels(wanted); }},
        {"name", [](Query& q, const Json&) { return text_or_null(q.tree_.name()); }},
        {"model", [](Query& q, const Json&) { return q.model(); }},
        {"thinking", [](Query& q, const Json&) { return q.thinking(); }},
        {"state", [](Query& q, const Json& wanted) { return q.state(wanted); }},
        {"entry", [](Query& q, const Json& wanted) { return q.entries(wanted); }},
        {"lacks", [](Query& q, const Json& wanted) { return q.lacking(wanted); }},
        {"lines", [](Query& q, const Json&) { return listed_lines(q.text_); }},
        {"header", [](Query& q, const Json&) { return q.tree_.header(); }},
        {"header_keys", [](Query& q, const Json&) { return keys_of(q.tree_.header()); }},
        {"entry_keys", [](Query& q, const Json& wanted) { return q.entry_keys(wanted); }},
        {"chain", [](Query& q, const Json&) { return q.is_chain(); }},
        {"ends_with_newline",
         [](Query& q, const Json&) { return Json(q.text_ && q.text_->ends_with('\n')); }},
        {"session_id", [](Query& q, const Json&) { return Json(q.tree_.session_id()); }},
        {"checkpoint", [](Query& q, const Json& wanted) { return q.checkpoints(wanted); }},
        {"id_differs_from", [](Query& q, const Json& wanted) { return q.unlike(wanted); }},
    };
    return answers;
  }

  Json place(const engine::EntryPlace& id) { return id ? Json(world_.name_of(*id)) : Json(); }
  Json names(const Branch& branch) {
    Json list = Json::array();
    for (const TreeEntry* entry : branch) list.push_back(world_.name_of(entry->id));
    return list;
  }
  Json entry_names() {
    Json list = Json::array();
    for (const TreeEntry& entry : tree_.entries()) list.push_back(world_.name_of(entry.id));
    return list;
  }
  const TreeEntry* entry(const std::string& word) { return tree_.find(world_.id_of(word, tree_)); }

  /// `make` for each key of `wanted`; nothing for a key that is no entry, if it needs one.
  Json each(const Json& wanted, const std::function<Json(const TreeEntry&, const Json&)>& make) {
    Json result = Json::object();
    for (const auto& [word, value] : wanted.items()) {
      const TreeEntry* found = entry(word);
      if (found != nullptr) result[word] = make(*found, value);
    }
    return result;
  }

  Json leaf_data() {
    const TreeEntry* leaf = tree_.leaf() ? tree_.find(*tree_.leaf()) : nullptr;
    return leaf == nullptr ? Json() : at(leaf->json.get(), "data");
  }
  Json children(const Json& wanted) {
    Json result = Json::object();
    for (const auto& [word, value] : wanted.items()) {
      result[word] = names(tree_.children(world_.id_of(word, tree_)));
    }
    return result;
  }
  Json branches(const Json& wanted) {
    Json result = Json::object();
    for (const auto& [word, value] : wanted.items()) {
      result[word] = names(tree_.branch_of(world_.id_of(word, tree_)));
    }
    return result;
  }
  Json messages(bool wants_roles) {
    Json list = Json::array();
    for (const auto& one : engine::project(tree_.branch())) {
      const Json& message = one.message.get();
      list.push_back(wants_roles ? text_at(message, "role") : text_of(message));
    }
    return list;
  }
  Json context_types() {
    Json list = Json::array();
    for (const TreeEntry* one : engine::context_entries(tree_.branch())) list.push_back(one->type);
    return list;
  }
  Json labels(const Json& wanted) {
    return each(wanted, [&](const TreeEntry& one, const Json&) {
      return text_or_null(tree_.label(one.id));
    });
  }
  Json model() {
    const auto settings = engine::settings_of(tree_.branch());
    return settings.model.empty() ? Json() : Json(settings.provider + "/" + settings.model);
  }
  Json thinking() {
    const auto level = engine::settings_of(tree_.branch()).thinking_level;
    return level.empty() ? "off" : level;
  }
  Json state(const Json& wanted) {
    Json result = Json::object();
    for (const auto& [type, value] : wanted.items()) {
      result[type] = engine::last_custom_data(tree_.branch(), type);
    }
    return result;
  }
  /// Ids by their names, as far as the row speaks of them.
  Json entries(const Json& wanted) {
    return each(wanted, [&](const TreeEntry& one, const Json& fields) {
      Json shown = one.json.get();
      if (fields.contains("text")) shown["text"] = text_of(at(shown, "message"));
      for (const char* key : {"id", "parentId", "fromId", "targetId", "firstKeptEntryId"}) {
        if (!at(shown, key).is_string()) continue;
        const auto id = text_at(shown, key);
        if (world_.name_of(id) != kNewEntry) shown[key] = world_.name_of(id);
      }
      // Null stands for a member that is not there, too.
      for (const auto& [key, value] : fields.items()) {
        if (value.is_null() && !shown.contains(key)) shown[key] = Json();
      }
      return shown;
    });
  }
  Json lacking(const Json& wanted) {
    return each(wanted, [](const TreeEntry& one, const Json& fields) {
      Json absent = Json::array();
      for (const Json& field : fields) {
        if (!one.json.get().contains(field.get<std::string>())) absent.push_back(field);
      }
      return absent;
    });
  }
  Json entry_keys(const Json& wanted) {
    return each(wanted, [](const TreeEntry& one, const Json&) { return keys_of(one.json.get()); });
  }
  Json is_chain() {
    engine::EntryPlace last;
    for (const TreeEntry& one : tree_.entries()) {
      if (one.parent_id != last) return Json(false);
      last = one.id;
    }
    return Json(true);
  }
  Json checkpoints(const Json& wanted) {
    return each(wanted, [](const TreeEntry& one, const Json&) {
      const Json& message = at(one.json.get(), "systemMessage");
      Json shown = Json::object();
      const Json& sections = at(message, "sections");
      shown["sections"] = sections.is_object() ? keys_of(sections) : Json::array();
      shown["tools"] = Json::array();
      for (const Json& tool : at(message, "toolsAdded")) {
        shown["tools"].push_back(text_at(tool, "name"));
      }
      return shown;
    });
  }
  Json unlike(const Json& wanted) {
    const SessionStore* other = world_.find(wanted.get<std::string>());
    const bool differs = other != nullptr && other->tree().session_id() != tree_.session_id();
    return differs ? wanted : Json(tree_.session_id());
  }

  RowSessions& world_;
  const SessionTree& tree_;
  const Json& expect_;
  const Result<std::string>& text_;
};

/// Entries of expectations by the names of the row: "#2" is the name of the second.
Json with_names(const RowSessions& world, const SessionTree& tree, const Json& value) {
  if (value.is_string()) {
    const auto word = value.get<std::string>();
    return word.starts_with('#') ? Json(world.name_of(world.id_of(word, tree))) : value;
  }
  Json result = value;
  if (value.is_structured()) {
    for (auto& part : result) part = with_names(world, tree, part);
  }
  return result;
}

Differences judge_patterns(const SessionStore& store, const Json& patterns,
                           const std::string& path) {
  const auto& entries = store.tree().entries();
  const std::string file = store.path().substr(store.path().rfind('/') + 1);
  const std::map<std::string, std::string> texts{
      {"session_id", store.tree().session_id()},
      {"file_name", file},
      {"entry_id", entries.empty() ? "" : entries.front().id},
      {"timestamp", entries.empty() ? "" : text_at(entries.front().json.get(), "timestamp")}};
  Differences found;
  for (const auto& [key, source] : patterns.items()) {
    const auto text = texts.find(key);
    const auto pattern = EcmaPattern::compile(source.get<std::string>());
    const bool matches =
        text != texts.end() && pattern && pattern->search(text->second).value_or(false);
    const std::string actual = text == texts.end() ? "nothing" : text->second;
    if (!matches) found.push_back({path + "/" + key, shown(source), actual});
  }
  return found;
}

}  // namespace

Json listed_lines(const Result<std::string>& text) {
  if (!text) return Json();
  Json lines = Json::array();
  std::string_view left = *text;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const auto value = engine::read_session_line(line);
    lines.push_back(value ? line_word(*value) : "bad");
  }
  return lines;
}

Json queried(RowSessions& world, SessionStore& store, const Json& expect,
             const Result<std::string>& text) {
  return Query(world, store, expect, text).answer();
}

Differences judge_query(RowSessions& world, SessionStore& store, const Json& expect,
                        const Result<std::string>& text, const std::string& path) {
  Json wanted = world.filled(expect);
  const Json patterns = wanted.value("patterns", Json::object());
  for (const char* key : {"patterns", "class"}) wanted.erase(key);
  Differences found = judge_patterns(store, patterns, path + "/patterns");
  const Json actual = queried(world, store, wanted, text);
  for (const char* key : {"entry", "branch", "entries", "roots"}) {
    if (wanted.contains(key)) wanted[key] = with_names(world, store.tree(), wanted[key]);
  }
  append(found, compare_partly(wanted, actual, path, world.world().places()));
  return found;
}

}  // namespace plumb::simulator
