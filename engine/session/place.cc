// SPDX-License-Identifier: Apache-2.0
// Where a session stands: the file it is kept in, the way through its tree, and the change to
// another session.
#include <algorithm>

#include "engine/session/core.h"
#include "engine/session/tree/stored_message.h"
#include "engine/values/json_members.h"
#include "engine/values/json_object.h"

namespace plumb::engine {

namespace {

Json place_json(const EntryPlace& place) {
  return place ? Json(*place) : Json();
}

/// The way that is left: from behind the common ancestor to the old leaf.
Json left_entries(const Branch& old_way, const EntryPlace& ancestor) {
  Json list = Json::array();
  auto entry = old_way.begin();
  const auto shared = std::ranges::find(old_way, ancestor.value_or(""), &TreeEntry::id);
  if (shared != old_way.end()) entry = shared + 1;
  for (; entry != old_way.end(); ++entry) list.push_back((*entry)->json.get());
  return list;
}

std::string text_given(const Json& answer, const char* key, std::string otherwise) {
  const Json& value = at(answer, key);
  return value.is_string() ? value.get<std::string>() : otherwise;
}

/// Names of the tools that the system messages of a branch leave of those that were declared first.
std::vector<ToolDeclaration> declared_on(const std::vector<MessagePtr>& messages,
                                         std::vector<ToolDeclaration> tools) {
  for (const auto& message : messages) {
    const auto* system = std::get_if<SystemMessage>(message.get());
    if (system == nullptr) continue;
    for (const Json& tool : system->tools_removed.get()) {
      std::erase_if(tools, [&](const auto& known) { return known.name == text_at(tool, "name"); });
    }
    for (const Json& tool : system->tools_added.get()) {
      const std::string name = text_at(tool, "name");
      std::erase_if(tools, [&](const auto& known) { return known.name == name; });
      tools.push_back(ToolDeclaration{name, SharedJson(tool)});
    }
  }
  return tools;
}

}  // namespace

Task<Result<void>> Session::Core::open_first() {
  if (first_store_ == nullptr && options_.session_file.empty()) co_return Result<void>();
  if (first_store_ == nullptr) {
    auto opened = co_await SessionStore::open(store_ports(), options_.session_file, options_.cwd);
    if (!opened) co_return std::unexpected(opened.error());
    first_store_ = *std::move(opened);
  }
  use(std::move(first_store_));
  co_return co_await transcript_.flush();
}

/// A session that somebody gave says itself which settings hold (SESS-36).
void Session::Core::use(SessionStorePtr store) {
  transcript_.use(std::move(store));
  announced_.reset();
  first_announced_.reset();
  prompted_.reset();
  for (const auto& id : transcript_.tree().cycles()) {
    Diagnostic event;
    event.code = "entry_cycle";
    event.path = transcript_.store().path();
    event.message = "the parents of entry '" + id + "' lead back to it";
    ports_.recorder.record(Source::probe, std::move(event));
  }
  const bool is_new = !transcript_.tree().has_conversation();
  if (is_new) transcript_.add_draft(model_draft("", options_.model));
  restore_settings();
  const auto settings = settings_of(transcript_.tree().branch());
  if (settings.thinking_level.empty()) transcript_.add_draft(thinking_draft("off"));
}

void Session::Core::restore_settings() {
  const auto settings = settings_of(transcript_.tree().branch());
  if (settings.model.empty()) return;
  settings_mark_.write();
  options_.model = settings.model;
}

/// The tools that the branch declares are active again (SESS-37).
void Session::Core::restore_tools() {
  if (!first_announced_ || !options_.announces_tool_changes) return;
  announced_ = declared_on(transcript_.messages(), *first_announced_);
  std::vector<std::string> names;
  for (const auto& tool : *announced_) names.push_back(tool.name);
  if (names != active_.names()) active_.set(names, "navigation");
}

Task<void> Session::Core::flush_entries() {
  if (!transcript_.needs_flush()) co_return;
  const auto written = co_await transcript_.flush();
  if (!written) runner_.report("", "session_entry", written.error().message);
}

Task<Result<Navigation>> Session::Core::navigate(std::string target, NavigateOptions wanted) {
  if (is_busy()) co_return std::unexpected(busy_error());
  enter("a navigation");
  Result<Navigation> done = co_await navigate_idle(std::move(target), std::move(wanted));
  leave();
  co_return done;
}

Task<Result<Navigation>> Session::Core::navigate_idle(std::string target, NavigateOptions wanted) {
  const SessionTree& tree = transcript_.tree();
  const EntryPlace old_leaf = tree.leaf();
  Navigation navigation;
  if (old_leaf == target) co_return navigation;
  const TreeEntry* entry = tree.find(target);
  if (entry == nullptr) co_return fail(ErrorCode::not_found, "Entry " + target + " not found");
  const Branch old_way = tree.branch();
  const EntryPlace ancestor = common_ancestor(old_way, tree.branch_of(target));
  Json answer = Json();
  if (runner_.wants("session_before_tree")) {
    Json preparation =
        json_object("targetId", target, "oldLeafId", place_json(old_leaf), "commonAncestorId",
                    place_json(ancestor), "entriesToSummarize", left_entries(old_way, ancestor),
                    "userWantsSummary", wanted.summarize);
    if (!wanted.label.empty()) preparation["label"] = wanted.label;
    Json fields = json_object("preparation", std::move(preparation));
    answer = co_await runner_.answer("session_before_tree", std::move(fields));
  }
  navigation.is_cancelled = at(answer, "cancel") == Json(true);
  if (navigation.is_cancelled) co_return navigation;
  const bool is_speech = is_spoken(*entry);
  if (is_speech) navigation.editor_text = spoken_text(*entry);
  const EntryPlace place = is_speech ? entry->parent_id : EntryPlace(target);
  wanted.label = text_given(answer, "label", wanted.label);
  std::string summary;
  if (wanted.summarize) summary = text_at(at(answer, "summary"), "summary");
  const auto moved =
      co_await move_leaf(place, std::move(target), std::move(summary), std::move(wanted.label));
  if (!moved) {
    // Nothing half done (SESS-15).
    (void)transcript_.move(old_leaf);
    co_return std::unexpected(moved.error());
  }
  co_await announce_place(old_leaf);
  co_return navigation;
}

/// Moves, with what is to be stored at the new place.
Task<Result<void>> Session::Core::move_leaf(EntryPlace place, std::string target,
                                            std::string summary, std::string label) {
  const EntryPlace old_leaf = transcript_.tree().leaf();
  const auto moved = transcript_.move(place);
  if (!moved) co_return moved;
  if (!summary.empty()) {
    target = transcript_.add_draft(summary_draft(old_leaf, std::move(summary), true));
  }
  if (!label.empty()) {
    auto draft = label_draft(transcript_.tree(), std::move(target), std::move(label));
    if (!draft) co_return std::unexpected(draft.error());
    transcript_.add_draft(*std::move(draft));
  }
  const auto written = co_await transcript_.flush();
  if (!written) co_return written;
  co_return transcript_.move(transcript_.tree().leaf());
}

/// Handlers see the new branch (SESS-14).
Task<void> Session::Core::announce_place(EntryPlace old_leaf) {
  prompted_.reset();
  restore_settings();
  restore_tools();
  const EntryPlace leaf = transcript_.tree().leaf();
  Json fields = json_object("newLeafId", place_json(leaf), "oldLeafId", place_json(old_leaf));
  co_await runner_.notify("session_tree", "", std::move(fields));
  co_await flush_entries();
}

Task<Result<bool>> Session::Core::switch_to(std::string reason, std::string path) {
  if (is_busy()) co_return std::unexpected(busy_error());
  enter("a change of the session");
  Json fields = json_object("reason", reason);
  if (!path.empty()) fields["targetSessionFile"] = path;
  const bool is_cancelled =
      co_await runner_.is_cancelled("session_before_switch", std::move(fields));
  Result<bool> done = false;
  if (!is_cancelled) {
    auto store = co_await store_for(reason, std::move(path));
    done = co_await replace_store(std::move(reason), std::move(store));
  }
  leave();
  co_return done;
}

Task<Result<SessionStorePtr>> Session::Core::store_for(std::string reason, std::string path) {
  if (reason == "resume") {
    co_return co_await SessionStore::open(store_ports(), std::move(path), options_.cwd);
  }
  const std::string& current = transcript_.store().path();
  NewSession wanted(options_.cwd);
  if (!current.empty()) wanted.folder = parent_path(current);
  co_return co_await SessionStore::create(store_ports(), std::move(wanted));
}

Task<Result<SessionStorePtr>> Session::Core::forked(EntryPlace place) {
  if (!place) co_return co_await store_for("new", "");
  co_return co_await SessionStore::branch(store_ports(), &transcript_.store(), *place);
}

Task<Result<bool>> Session::Core::fork(std::string entry) {
  if (is_busy()) co_return std::unexpected(busy_error());
  const TreeEntry* found = transcript_.tree().find(entry);
  if (found == nullptr) co_return fail(ErrorCode::not_found, "Entry " + entry + " not found");
  enter("a fork");
  const bool is_before = is_spoken(*found);
  Json fields = json_object("entryId", entry, "position", is_before ? "before" : "at");
  const EntryPlace place = is_before ? found->parent_id : EntryPlace(entry);
  const bool is_cancelled = co_await runner_.is_cancelled("session_before_fork", std::move(fields));
  Result<bool> done = false;
  if (!is_cancelled) {
    auto store = co_await forked(place);
    done = co_await replace_store("fork", std::move(store));
  }
  leave();
  co_return done;
}

/// The old instances go, the new ones see the new session (SESS-39).
Task<Result<bool>> Session::Core::replace_store(std::string reason, Result<SessionStorePtr> store) {
  if (!store) co_return std::unexpected(store.error());
  const std::string previous = transcript_.store().path();
  co_await announce_shutdown(reason);
  const auto active = active_.names();
  const auto registered = registered_names();
  use(*std::move(store));
  steering_.clear();
  follow_ups_.clear();
  later_mark_.write();
  next_turn_.clear();
  runner_.clear();
  co_await runner_.load(options_.extensions);
  runner_.bind(*this);
  registry_.bind();
  restore_active(active, registered);
  co_await announce_start(std::move(reason), previous);
  co_return true;
}

}  // namespace plumb::engine
