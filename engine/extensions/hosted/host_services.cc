// SPDX-License-Identifier: Apache-2.0
// What is answered at once, and what is only heard.
#include "engine/extensions/hosted/host_services.h"

#include <algorithm>
#include <utility>

namespace plumb::engine {
namespace {

std::unexpected<Error> not_known(const std::string& what) {
  return fail(ErrorCode::rejected, "not provided by this host: " + what);
}

Json value_of(Json value) {
  Json result = Json::object();
  result["value"] = std::move(value);
  return result;
}

Delivery delivery_in(const Json& options) {
  const std::string word = text_in(options, "deliverAs");
  if (word == "follow_up") return Delivery::follow_up;
  return word == "next_turn" ? Delivery::next_turn : Delivery::steer;
}

}  // namespace

Json HostServices::facts() const {
  const bool has_ui = session_->ui().is_attached();
  Json facts = Json::object();
  facts["cwd"] = session_->cwd();
  facts["mode"] = has_ui ? "rpc" : "print";
  facts["hasUI"] = has_ui;
  facts["model"] = session_->model();
  return facts;
}

void HostServices::note(const std::string& by, std::string topic, Json data, std::string call) {
  Notify event;
  event.by = by;
  event.topic = std::move(topic);
  event.data = SharedJson(std::move(data));
  recorder_.record(Source::probe, std::move(event), std::move(call));
}

void HostServices::report_missing(const std::string& extension, const Json& reply) {
  for (const auto& name : texts_in(value_in(reply, "missing"))) {
    Diagnostic event;
    event.code = "not_provided";
    event.path = extension;
    event.message = "not provided by this host: " + name;
    recorder_.record(Source::host, std::move(event));
  }
}

HostedOwner* HostServices::owner_of(const HostMessage& message) {
  const auto found = owners_.find(number_in(message.params, "extension", message.extension));
  return found == owners_.end() ? nullptr : found->second.get();
}

std::string HostServices::path_of(const HostMessage& message) {
  if (const auto* owner = owner_of(message)) return owner->api.path();
  const auto* request = process_->open_request(message.request);
  return request == nullptr ? "" : request->extension;
}

std::string HostServices::call_of(const HostMessage& message) const {
  const auto* request = process_->open_request(message.request);
  return request == nullptr ? "" : request->call;
}

// ---------------------------------------------------------------- registrations

Result<void> HostServices::add(ExtensionApi& api, std::int64_t number, const Json& registrations) {
  auto& owner = owners_[number];
  owner = std::make_unique<HostedOwner>(api, number);
  for (const Json& entry : registrations) {
    auto added = add_one(*owner, entry);
    if (!added) return added;
  }
  return {};
}

Result<void> HostServices::add_one(HostedOwner& owner, const Json& entry) {
  const std::string kind = text_in(entry, "kind");
  if (kind == "handler") return add_handler(owner, entry);
  if (kind == "tool") return add_tool(owner, entry);
  if (kind == "command") return add_command(owner, entry);
  // Nothing of this engine uses the others: what is left is that they were registered.
  note(owner.api.path(), "registration", Json{{"what", kind}, {"name", text_in(entry, "name")}});
  return {};
}

Result<void> HostServices::add_handler(HostedOwner& owner, const Json& entry) {
  PLUMB_TRY(auto removal,
            owner.api.on(text_in(entry, "event"), hosted_handler(*this, owner, entry)));
  owner.handlers[number_in(entry, "index")] = std::move(removal);
  return {};
}

Result<void> HostServices::add_tool(HostedOwner& owner, const Json& entry) {
  PLUMB_TRY(auto tool, hosted_tool(*this, owner, entry));
  return owner.api.register_tool(std::move(tool));
}

Result<void> HostServices::add_command(HostedOwner& owner, const Json& entry) {
  const std::string name = text_in(entry, "name");
  return owner.api.register_command(name, text_in(entry, "description"),
                                    hosted_command(*this, owner, name));
}

void HostServices::remove(HostedOwner& owner, const Json& entry) {
  if (text_in(entry, "kind") != "handler") return;
  const auto found = owner.handlers.find(number_in(entry, "index"));
  if (found != owner.handlers.end()) found->second();
}

// ---------------------------------------------------------------- questions

Result<Json> HostServices::answer(const HostMessage& question) {
  if (session_ == nullptr) {
    return fail(ErrorCode::rejected, "the extension runtime is not initialised");
  }
  if (question.method == "get") return get(question);
  return act(question);
}

Result<Json> HostServices::get(const HostMessage& question) const {
  const std::string what = text_in(question.params, "what");
  if (what == "activeTools") return value_of(session_->active_tools());
  if (what == "allTools") return value_of(session_->all_tools());
  if (what == "commands") return value_of(session_->commands());
  if (what == "entries") return Json{{"entries", session_->session_entries().get()}};
  if (what == "systemPrompt") return value_of(session_->system_prompt());
  if (what == "isIdle") return value_of(session_->is_idle());
  if (what == "hasPendingMessages") return value_of(session_->has_pending_messages());
  if (what == "builtin") return builtin_info(text_in(question.params, "name"));
  // A session here has no project of its own, no settings, flags or names.
  if (what == "isProjectTrusted") return value_of(true);
  if (what == "settings") return value_of(Json::object());
  if (what == "thinkingLevel") return value_of("off");
  if (what == "flag" || what == "sessionName") return Json::object();
  return not_known(what);
}

const ToolDefinition* HostServices::builtin(const std::string& name) const {
  const auto found = std::ranges::find(builtin_tools_, name, &ToolDefinition::name);
  return found == builtin_tools_.end() ? nullptr : &*found;
}

Result<Json> HostServices::builtin_info(const std::string& name) const {
  const auto* tool = builtin(name);
  if (tool == nullptr) return not_known("the tool " + name);
  Json info{{"name", tool->name}, {"label", tool->label}, {"description", tool->description}};
  info["parameters"] = tool->parameters.get();
  info["promptSnippet"] = tool->prompt_snippet;
  info["promptGuidelines"] = tool->prompt_guidelines;
  return value_of(std::move(info));
}

/// Effects on the session. Its loop stands still meanwhile: what follows from them comes after.
Result<Json> HostServices::act(const HostMessage& question) {
  const auto* owner = owner_of(question);
  if (owner == nullptr) return fail(ErrorCode::rejected, "no loaded extension asks for this");
  PLUMB_TRY(ExtensionHost * session, owner->api.host());
  const Json& params = question.params;
  if (question.method == "set") return set(question, *session);
  if (question.method == "sendMessage") return send_message(params);
  if (question.method == "sendUserMessage") return send_user_message(params);
  if (question.method == "appendEntry") {
    const auto id = session->append_entry(text_in(params, "customType"), value_in(params, "data"));
    return value_of(id);
  }
  if (question.method == "abort") {
    session->notify(owner->api.path(), "abort", Json(), call_of(question));
    session->abort();
    return Json::object();
  }
  if (question.method != "compact" && question.method != "shutdown") {
    return not_known(question.method);
  }
  // This session keeps its whole conversation, and its host decides when it ends.
  note(owner->api.path(), question.method, Json(), call_of(question));
  return Json::object();
}

Result<Json> HostServices::set(const HostMessage& question, ExtensionHost& session) {
  const std::string what = text_in(question.params, "what");
  if (what == "activeTools") {
    session.set_active_tools(texts_in(value_in(question.params, "value")), path_of(question));
  } else {
    note(path_of(question), "set", question.params, call_of(question));
  }
  return Json::object();
}

Result<Json> HostServices::send_message(const Json& params) {
  const Json given = value_in(params, "message");
  CustomMessage message;
  message.custom_type = text_in(given, "customType");
  PLUMB_TRY(message.content, parse_content(value_in(given, "content")));
  if (given.contains("details")) message.details = SharedJson(given["details"]);
  const Json options = value_in(params, "options");
  SendOptions how;
  how.deliver_as = delivery_in(options);
  how.trigger_turn = value_in(options, "triggerTurn") != Json(false);
  session_->send_message(std::move(message), how);
  return Json::object();
}

Result<Json> HostServices::send_user_message(const Json& params) {
  PLUMB_TRY(const auto content, parse_content(value_in(params, "content")));
  session_->queue_user_message(text_of(content), delivery_in(value_in(params, "options")));
  return Json::object();
}

// ---------------------------------------------------------------- what is only heard

void HostServices::hear(const HostMessage& notification) {
  const std::string& method = notification.method;
  const Json& params = notification.params;
  auto* owner = owner_of(notification);
  if (method == "register" && owner != nullptr) {
    const auto added = add_one(*owner, params);
    if (!added) session_->report_error(owner->api.path(), "register", added.error().message);
  } else if (method == "unregister" && owner != nullptr) {
    remove(*owner, params);
  } else if (method == "tool.update") {
    hear_update(notification);
  } else if (method == "cancel") {
    const auto found = calls_.find(number_in(params, "call", -1));
    if (found != calls_.end()) found->second->abort("aborted");
  } else if (method == "error" && session_ != nullptr) {
    session_->report_error(path_of(notification), text_in(params, "event"),
                           text_in(params, "message"));
  } else {
    note(path_of(notification), method, params, call_of(notification));
  }
}

void HostServices::hear_update(const HostMessage& notification) {
  const auto* request = process_->open_request(number_in(notification.params, "request", -1));
  if (request == nullptr || !request->on_update) return;
  auto partial = parse_tool_result(value_in(notification.params, "partial"));
  if (partial) request->on_update(*std::move(partial));
}

void HostServices::hear_output(OutputStream stream, std::string text) {
  const char* const name = stream == OutputStream::out ? "stdout" : "stderr";
  note("<host>", "log", Json{{"stream", name}, {"text", std::move(text)}});
}

void HostServices::before_turn() {
  if (before_) before_();
}

void HostServices::after_turn() {
  if (after_) after_();
}

void HostServices::has_failed(const std::string& extension, const std::string& why) {
  Diagnostic event;
  event.code = "extension_host";
  event.path = extension;
  event.message = why;
  recorder_.record(Source::host, std::move(event));
  for (auto& [id, controller] : calls_) controller->abort("the extension host is gone");
}

}  // namespace plumb::engine
