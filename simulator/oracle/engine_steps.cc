// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/engine_steps.h"

#include <array>
#include <utility>

#include "engine/session/tree/projection.h"
#include "engine/values/json_members.h"
#include "engine/values/json_object.h"
#include "simulator/oracle/compare.h"

namespace plumb::simulator {

using engine::ExtensionApi;
using engine::HandlerContext;
using engine::HandlerResult;
using engine::Task;

namespace {

constexpr std::array<std::string_view, 3> kEntryFields{"targetId", "oldLeafId", "newLeafId"};

std::vector<std::string> words_at(const Json& args, const char* key) {
  const Json& list = at(args, key);
  return list.is_array() ? list.get<std::vector<std::string>>() : std::vector<std::string>();
}

Json by_name(const RowSessions& sessions, const Json& id) {
  return id.is_string() ? Json(sessions.name_of(id.get<std::string>())) : id;
}

}  // namespace

/// No row of this kind asks a model.
class EngineSteps::Silent final : public engine::Provider {
 public:
  Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest /*request*/,
                                                  engine::StreamSink& /*sink*/,
                                                  engine::AbortSignal /*signal*/) override {
    co_return fail(ErrorCode::protocol, "the row has no model");
  }
};

EngineSteps::EngineSteps(engine::Env& env, RowSessions& sessions)
    : env_(env),
      sessions_(sessions),
      recorder_(trace_, [this] { return env_.loop.now_ms(); }),
      model_(std::make_unique<Silent>()) {}

EngineSteps::~EngineSteps() = default;

bool EngineSteps::handles(std::string_view op) {
  return op == "session.navigate" || op.starts_with("engine.") || op.starts_with("extension.");
}

Task<Result<Differences>> EngineSteps::run(OracleStep step, std::string path) {
  events_ = Json::array();
  const bool is_ready = session_ != nullptr || step.op == "engine.start";
  if (!is_ready) co_return fail(ErrorCode::protocol, "the row has not started an engine");
  Json expect = step.expect.is_object() ? sessions_.filled(step.expect) : Json::object();
  const auto done = co_await perform(std::move(step));
  const std::string wanted = expect.contains("class") ? text_at(expect, "class") : "ok";
  Differences found;
  if (done.has_value() != (wanted == "ok")) {
    found.push_back({path + "/expect/class", wanted, done ? "ok" : done.error().message});
  }
  // Sentences are an engine's own.
  for (const char* key : {"class", "message"}) expect.erase(key);
  Json actual = actual_state();
  if (done) actual["result"] = *done;
  append(found, compare_partly(expect, actual, path + "/expect", sessions_.world().places()));
  co_return found;
}

Task<Result<Json>> EngineSteps::perform(OracleStep step) {
  if (step.op == "engine.start") co_return co_await start(std::move(step.args));
  if (step.op == "session.navigate") co_return co_await navigate(std::move(step.args));
  if (step.op == "extension.answer") {
    answers_[text_at(step.args, "event")] = at(step.args, "result");
  } else if (step.op == "extension.append") {
    co_await session_->append_custom(text_at(step.args, "customType"), at(step.args, "data"));
  } else {
    const auto done = co_await session_->reload();
    if (!done) co_return std::unexpected(done.error());
  }
  co_return Json::object();
}

Task<Result<Json>> EngineSteps::start(Json args) {
  watched_ = words_at(args, "watch");
  tried_ = words_at(args, "try_in_factory");
  state_type_ = text_at(args, "state");
  auto store = sessions_.take("s");
  if (store == nullptr) co_return fail(ErrorCode::protocol, "the row has no session to start on");
  engine::SessionOptions options;
  options.cwd = sessions_.path_of(text_at(args, "cwd"));
  options.extensions.emplace_back(engine::inline_source("observer"),
                                  [this](ExtensionApi& api) { return make_extension(&api); });
  const engine::SessionPorts ports(env_, *model_, recorder_);
  session_ = std::make_unique<engine::Session>(std::move(options), ports, policies_);
  session_->use_store(std::move(store));
  const auto started = co_await session_->start();
  if (!started) co_return std::unexpected(started.error());
  co_return Json::object();
}

Task<Result<Json>> EngineSteps::navigate(Json args) {
  engine::NavigateOptions wanted;
  wanted.label = text_at(args, "label");
  wanted.summarize = at(args, "summarize") == Json(true);
  std::string target = sessions_.id_of(text_at(args, "to"), session_->store().tree());
  const auto done = co_await session_->navigate(std::move(target), std::move(wanted));
  if (!done) co_return std::unexpected(done.error());
  Json result = json_object("cancelled", done->is_cancelled);
  if (done->editor_text) result["editorText"] = *done->editor_text;
  co_return result;
}

Task<Result<void>> EngineSteps::make_extension(ExtensionApi* api) {
  try_in_factory(*api);
  for (const std::string& event : watched_) {
    const auto added = api->on(
        event, [this, event](HandlerContext context) { return handle(event, std::move(context)); });
    if (!added) co_return std::unexpected(added.error());
  }
  co_return Result<void>();
}

/// What does not exist cannot be called either.
void EngineSteps::try_in_factory(ExtensionApi& api) {
  for (const std::string& action : tried_) {
    bool succeeds = false;
    if (action == "appendEntry") succeeds = api.append_entry("tried", Json()).has_value();
    if (action == "getActiveTools") succeeds = api.get_active_tools().has_value();
    if (action == "sendMessage") {
      succeeds = api.send_message(engine::CustomMessage()).has_value();
    }
    factory_calls_[action] = succeeds ? "ok" : "threw";
  }
}

Task<HandlerResult> EngineSteps::handle(std::string event, HandlerContext context) {
  events_.push_back(seen(event, context.data));
  const auto answer = answers_.find(event);
  if (answer == answers_.end() || answer->second.is_null()) co_return std::optional<Json>();
  co_return std::optional<Json>(answer->second);
}

/// The event as rows write it: its fields with the row's names, and the state of the branch.
Json EngineSteps::seen(const std::string& event, const Json& fields) const {
  Json shown = json_object("event", event);
  const Json& all = fields.contains("preparation") ? fields["preparation"] : fields;
  for (const auto& [key, value] : all.items()) shown[key] = value;
  for (const auto key : kEntryFields) {
    if (shown.contains(key)) shown[key] = by_name(sessions_, shown[key]);
  }
  if (shown.contains("commonAncestorId")) {
    shown["commonAncestorId"] = by_name(sessions_, shown["commonAncestorId"]);
  }
  if (shown.contains("entriesToSummarize")) {
    shown["entriesToSummarize"] = shown["entriesToSummarize"].size();
  }
  Json state = Json::array();
  for (const auto* entry : session_->store().tree().branch()) {
    if (entry->type != "custom") continue;
    const Json& json = entry->json.get();
    if (view_at(json, "customType") == state_type_) state.push_back(at(json, "data"));
  }
  shown["state"] = std::move(state);
  return shown;
}

Json EngineSteps::actual_state() {
  const auto& tree = session_->store().tree();
  Json branch = Json::array();
  for (const auto* entry : tree.branch()) branch.push_back(sessions_.name_of(entry->id));
  return json_object("events", events_, "leaf",
                     tree.leaf() ? Json(sessions_.name_of(*tree.leaf())) : Json(), "branch",
                     std::move(branch), "factory_calls", factory_calls_);
}

}  // namespace plumb::simulator
