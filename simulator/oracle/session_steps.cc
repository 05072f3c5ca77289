// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/session_steps.h"

#include <array>
#include <utility>

#include "engine/session/tree/entry_drafts.h"
#include "engine/values/json_members.h"
#include "engine/values/json_object.h"
#include "simulator/oracle/compare.h"
#include "simulator/oracle/session_query.h"

namespace plumb::simulator {

using engine::EntryDraft;
using engine::EntryPlace;
using engine::NewSession;
using engine::SessionStore;
using engine::Task;

namespace {

std::string text_or(const Json& args, const char* key, const char* otherwise) {
  const Json& value = at(args, key);
  return value.is_string() ? value.get<std::string>() : otherwise;
}

std::string session_name(const Json& args) {
  return text_or(args, "session", "s");
}

/// A class as rows have it: of a system error its name.
std::string class_of(const Result<void>& done) {
  if (done) return "ok";
  const Error& error = done.error();
  if (error.code == ErrorCode::invalid) return "not_a_session";
  const auto colon = error.message.find(':');
  const bool is_system = colon != std::string::npos && error.message.starts_with('E') &&
                         error.message.find_first_of(" abcdefgh") > colon;
  return is_system ? error.message.substr(0, colon) : "error";
}

Differences judge_class(const Json& expect, const Result<void>& done, const std::string& path) {
  const std::string actual = class_of(done);
  const std::string wanted = text_or(expect, "class", "ok");
  const bool is_any_error = wanted == "error" && actual != "ok";
  if (actual == wanted || is_any_error) return {};
  return {Difference{path + "/class", wanted, done ? actual : done.error().message}};
}

std::optional<Json> member(const Json& args, const char* key) {
  return args.contains(key) ? std::optional<Json>(args[key]) : std::nullopt;
}

Json blocks_of(const Json& text) {
  Json blocks = Json::array();
  if (text.is_string()) blocks.push_back(json_object("type", "text", "text", text));
  return blocks;
}

EntryDraft message_of(std::string_view role, Json message) {
  return engine::message_draft(role, SharedJson(std::move(message)));
}

EntryDraft assistant_draft(const Json& args) {
  Json message =
      json_object("role", "assistant", "content", blocks_of(at(args, "text")), "provider",
                  text_or(args, "provider", "p"), "model", text_or(args, "model", "m"), "usage",
                  Json::object(), "stopReason", "stop");
  return message_of("assistant", std::move(message));
}

EntryDraft system_draft(const Json& args) {
  Json message = json_object("role", "system", "content", "");
  for (const char* key : {"sections", "toolsAdded", "toolsRemoved"}) {
    if (args.contains(key)) message[key] = args[key];
  }
  return message_of("system", std::move(message));
}

/// Drafts of one session's entries, from what rows say of them.
class Drafts final {
 public:
  Drafts(const RowSessions& world, const engine::SessionTree& tree) : world_(world), tree_(tree) {}

  Result<EntryDraft> make(const Json& args) const {
    const std::string type = text_at(args, "type");
    if (type == "user") {
      return message_of("user",
                        json_object("role", "user", "content", blocks_of(at(args, "text"))));
    }
    if (type == "assistant") return assistant_draft(args);
    if (type == "system") return system_draft(args);
    if (type == "custom") {
      return engine::custom_draft(text_at(args, "customType"), member(args, "data"));
    }
    if (type == "custom_message") {
      return engine::custom_message_draft(text_at(args, "customType"), at(args, "text"),
                                          args.value("display", true), member(args, "details"));
    }
    return make_setting(args, type);
  }

 private:
  Result<EntryDraft> make_setting(const Json& args, const std::string& type) const {
    if (type == "model_change") {
      return engine::model_draft(text_at(args, "provider"), text_at(args, "model"));
    }
    if (type == "thinking") return engine::thinking_draft(text_at(args, "level"));
    if (type == "info") return engine::name_draft(text_at(args, "name"));
    if (type == "usage") {
      return engine::usage_draft(text_at(args, "source"), text_at(args, "provider"),
                                 text_at(args, "model"), at(args, "usage"));
    }
    return make_reference(args, type);
  }

  Result<EntryDraft> make_reference(const Json& args, const std::string& type) const {
    if (type == "label") {
      return engine::label_draft(tree_, target_of(args), text_at(args, "text"));
    }
    if (type == "context_edit") {
      const Json& content = at(args, "content");
      Json replacement = content.is_null() ? Json() : json_object("content", content);
      return engine::context_edit_draft(tree_, target_of(args), std::move(replacement));
    }
    engine::Compaction compaction{text_at(args, "summary"), std::nullopt,
                                  args.value("tokensBefore", std::int64_t{0})};
    const Json& kept = at(args, "keep_from");
    if (kept.is_string()) compaction.first_kept = world_.id_of(kept.get<std::string>(), tree_);
    return engine::compaction_draft(tree_, std::move(compaction));
  }

  std::string target_of(const Json& args) const {
    return world_.id_of(text_at(args, "target"), tree_);
  }

  const RowSessions& world_;
  const engine::SessionTree& tree_;
};

Result<void> plain(const auto& result) {
  if (!result) return std::unexpected(result.error());
  return {};
}

Error no_session() {
  return Error{ErrorCode::protocol, "the row has no session of that name", ""};
}

Json pure_answer(const OracleStep& step) {
  if (step.op == "session.check_id") {
    const Json& id = at(step.args, "id");
    return json_object("valid", id.is_string() && engine::is_session_id(id.get<std::string>()));
  }
  return json_object("name", engine::session_folder_name(text_at(step.args, "cwd")));
}

}  // namespace

bool SessionSteps::handles(std::string_view op) {
  return op.starts_with("session.") && op != "session.navigate";
}

Task<Result<Differences>> SessionSteps::run(OracleStep step, std::string path) {
  const std::string place = path + "/expect";
  if (step.op == "session.query") {
    co_return co_await query(step.args, step.expect, place);
  }
  if (step.op == "session.check_id" || step.op == "session.folder_name") {
    const Json wanted = step.expect.is_object() ? step.expect : Json::object();
    co_return compare_partly(wanted, pure_answer(step), place, world_.world().places());
  }
  const Json expect = step.expect;
  const auto done = co_await perform(std::move(step));
  if (!done && done.error().code == ErrorCode::protocol) co_return std::unexpected(done.error());
  co_return judge_class(expect, done, place);
}

Task<Result<void>> SessionSteps::perform(OracleStep step) {
  Json args = world_.filled(step.args);
  if (step.op == "session.create") co_return co_await create(std::move(args));
  if (step.op == "session.open") co_return co_await open(std::move(args));
  if (step.op == "session.fork") co_return co_await fork(std::move(args));
  if (world_.find(session_name(args)) == nullptr) co_return std::unexpected(no_session());
  if (step.op == "session.append") co_return co_await append(std::move(args));
  if (step.op == "session.leaf") co_return co_await move(std::move(args));
  if (step.op == "session.leave") co_return co_await leave(std::move(args));
  co_return co_await branch_file(std::move(args));
}

Task<Result<void>> SessionSteps::create(Json args) {
  NewSession wanted(world_.world().root());
  if (text_at(args, "store") == "file") wanted.folder = world_.path_of(text_at(args, "dir"));
  auto store = co_await SessionStore::create(world_.ports(), std::move(wanted));
  if (store) world_.keep(text_or(args, "as", "s"), *std::move(store));
  co_return plain(store);
}

Task<Result<void>> SessionSteps::open(Json args) {
  std::string file = world_.path_of(text_at(args, "file"));
  auto store = co_await SessionStore::open(world_.ports(), std::move(file), world_.world().root());
  if (store) world_.keep(text_or(args, "as", "s"), *std::move(store));
  co_return plain(store);
}

Task<Result<void>> SessionSteps::fork(Json args) {
  NewSession wanted(world_.path_of(text_at(args, "cwd")));
  wanted.folder = world_.path_of(text_at(args, "dir"));
  std::string file = world_.path_of(text_at(args, "file"));
  auto store = co_await SessionStore::fork(world_.ports(), std::move(file), std::move(wanted));
  if (store) world_.keep(text_or(args, "as", "s"), *std::move(store));
  co_return plain(store);
}

Task<Result<void>> SessionSteps::branch_file(Json args) {
  const SessionStore* from = world_.find(session_name(args));
  std::string place = world_.id_of(text_at(args, "at"), from->tree());
  auto store = co_await SessionStore::branch(world_.ports(), from, std::move(place));
  if (store) world_.keep_unnamed(text_or(args, "as", "s"), *std::move(store));
  co_return plain(store);
}

Task<Result<void>> SessionSteps::append(Json args) {
  SessionStore* store = world_.find(session_name(args));
  auto draft = Drafts(world_, store->tree()).make(args);
  if (!draft) co_return std::unexpected(draft.error());
  const auto id = co_await store->append(*std::move(draft));
  if (id && args.contains("as")) world_.name_entry(text_at(args, "as"), *id);
  co_return plain(id);
}

Task<Result<void>> SessionSteps::move(Json args) {
  SessionStore* store = world_.find(session_name(args));
  const Json& to = at(args, "to");
  EntryPlace place;
  if (to.is_string()) place = world_.id_of(to.get<std::string>(), store->tree());
  co_return store->move(place);
}

Task<Result<void>> SessionSteps::leave(Json args) {
  SessionStore* store = world_.find(session_name(args));
  const EntryPlace from = store->tree().leaf();
  const auto moved = co_await move(args);
  if (!moved) co_return moved;
  EntryDraft draft = engine::summary_draft(from, text_at(args, "summary"), false);
  const auto id = co_await store->append(std::move(draft));
  if (id && args.contains("as")) world_.name_entry(text_at(args, "as"), *id);
  co_return plain(id);
}

Task<Differences> SessionSteps::query(Json args, Json expect, std::string path) {
  SessionStore* store = world_.find(session_name(args));
  if (store == nullptr) co_return Differences{{path, "a session", "none of that name"}};
  Result<std::string> text = fail(ErrorCode::not_found, "in memory");
  if (!store->path().empty()) text = co_await world_.world().files().read(store->path());
  co_return judge_query(world_, *store, expect.is_object() ? expect : Json::object(), text, path);
}

}  // namespace plumb::simulator
