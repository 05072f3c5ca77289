// SPDX-License-Identifier: Apache-2.0
#include "engine/session/core.h"

#include <algorithm>

namespace plumb::engine {

namespace {

UserInterface& attached_or(UserInterface* given, UserInterface& none) {
  return given != nullptr ? *given : none;
}

std::unique_ptr<ToolHooks> wrapped(const SessionOptions& options, ToolHooks& inner) {
  return options.wrap_hooks ? options.wrap_hooks(inner) : nullptr;
}

/// A list of modifiers chooses and does not filter (REG-15).
void move_modifiers(std::optional<std::vector<std::string>>& list,
                    std::vector<std::string>& modifiers) {
  if (!list || !is_modifier_list(*list)) return;
  std::ranges::move(*list, std::back_inserter(modifiers));
  list.reset();
}

SessionOptions with_modifiers(SessionOptions options) {
  move_modifiers(options.filters.allowed, options.active.modifiers);
  move_modifiers(options.active.initial, options.active.modifiers);
  return options;
}

Result<void> check_lists(const SessionOptions& options) {
  for (const auto* list : {&options.filters.allowed, &options.active.initial}) {
    if (!*list) continue;
    const auto checked = check_tool_list(**list);
    if (!checked) return checked;
  }
  return check_tool_list(options.active.modifiers);
}

Json reason_fields(const std::string& reason) {
  Json fields = Json::object();
  fields["reason"] = reason;
  return fields;
}

void add_usage(Usage& total, const Json& usage) {
  if (!usage.is_object()) return;
  const auto tokens = [&](const char* name) {
    const auto found = usage.find(name);
    return found != usage.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
  };
  total.input += tokens("input");
  total.output += tokens("output");
  total.cache_read += tokens("cacheRead");
  total.cache_write += tokens("cacheWrite");
}

void add_usage(Usage& total, const Usage& usage) {
  total.input += usage.input;
  total.output += usage.output;
  total.cache_read += usage.cache_read;
  total.cache_write += usage.cache_write;
}

}  // namespace

Session::Core::Core(SessionOptions options, SessionPorts ports, const Policies& policies)
    : options_(with_modifiers(std::move(options))),
      ports_(ports),
      policies_(policies),
      limited_ui_(attached_or(ports.ui, no_ui_)),
      recorded_ui_(limited_ui_, ports.recorder),
      registry_(ports.recorder, policies, options_.filters, &ports.env.loop),
      runner_(ports.recorder, registry_, policies, &ports.env.loop),
      outer_hooks_(wrapped(options_, runner_)),
      active_(registry_, ports.recorder, policies, &ports.env.loop),
      ids_(static_cast<std::uint64_t>(ports.env.wall_ms())),
      transcript_(StorePorts(ports.env, ids_), ports.recorder, policies.session),
      pipeline_(PipelinePorts(ports.env.loop, ports.recorder, policies,
                              outer_hooks_ ? *outer_hooks_ : runner_, *this)),
      batches_(pipeline_),
      run_mark_(&ports.env.loop, TouchKind::signal, "the run"),
      settings_mark_(&ports.env.loop, TouchKind::store, "settings"),
      later_mark_(&ports.env.loop, TouchKind::queue, "messages for later"),
      steering_(ports.env.loop, "steering", options_.steering),
      follow_ups_(ports.env.loop, "follow-ups", options_.follow_up),
      idle_(ports.env.loop, "the session to be idle") {
  idle_.set();
}

void Session::Core::record(Payload event, std::string call) {
  ports_.recorder.record(Source::engine, std::move(event), std::move(call));
}

Task<void> Session::Core::emit(Payload event, Json fields, std::string call) {
  const std::string_view kind = kEventKinds[event.index()];
  if (runner_.wants(kind)) co_await runner_.notify(std::string(kind), call, std::move(fields));
  record(std::move(event), std::move(call));
}

Result<void> Session::Core::register_host_tools() {
  for (auto& tool : options_.builtin_tools) {
    const auto added = registry_.add_builtin(tool);
    if (!added) return added;
  }
  for (auto& tool : options_.sdk_tools) {
    const auto added = registry_.add_sdk(tool);
    if (!added) return added;
  }
  return {};
}

void Session::Core::enter(std::string_view what) {
  PLUMB_ASSERT(!is_busy());
  busy_with_ = what;
  idle_.reset();
}

ModelProfile Session::Core::model_profile() const {
  settings_mark_.read();
  const auto known = options_.models.find(options_.model);
  return known == options_.models.end() ? ModelProfile() : known->second;
}

void Session::Core::set_model(std::string model) {
  settings_mark_.write();
  const bool is_told = transcript_.is_kept() && model != options_.model;
  if (is_told) transcript_.add_draft(model_draft("", model));
  options_.model = std::move(model);
}

void Session::Core::set_tool_execution(ExecutionMode mode) {
  settings_mark_.write();
  options_.tool_execution = mode;
}

void Session::Core::leave() {
  busy_with_ = {};
  idle_.set();
}

Error Session::Core::busy_error() const {
  return Error{ErrorCode::rejected, "the session is busy with " + std::string(busy_with_), ""};
}

Task<Result<void>> Session::Core::start(std::string reason) {
  const auto checked = check_lists(options_);
  if (!checked) co_return checked;
  const auto registered = register_host_tools();
  if (!registered) co_return registered;
  const auto opened = co_await open_first();
  if (!opened) co_return opened;
  co_await runner_.load(options_.extensions);
  runner_.bind(*this);
  registry_.bind();
  active_.start(options_.active);
  registry_.on_refresh([this] { refresh_active(); });
  co_await announce_start(std::move(reason));
  co_return Result<void>();
}

/// Once all extensions are loaded and bound (EVENT-38).
Task<void> Session::Core::announce_start(std::string reason, std::string previous) {
  reason = policies_.session.reason_of_start(reason);
  SessionStart event;
  event.reason = reason;
  record(std::move(event));
  Json fields = reason_fields(reason);
  if (!previous.empty()) fields["previousSessionFile"] = previous;
  co_await runner_.notify("session_start", "", std::move(fields));
  if (runner_.wants("resources_discover")) {
    Json where = reason_fields(reason == "reload" ? reason : "startup");
    where["cwd"] = options_.cwd;
    co_await runner_.notify("resources_discover", "", std::move(where));
  }
  co_await flush_entries();
}

std::vector<std::string> Session::Core::registered_names() const {
  std::vector<std::string> names;
  for (const auto& tool : registry_.tools()) names.push_back(tool->definition.name);
  return names;
}

/// The set survives a reload; tools that nobody knew before come on top (EXT-28).
void Session::Core::restore_active(const std::vector<std::string>& active,
                                   const std::vector<std::string>& registered) {
  std::vector<std::string> names = active;
  for (const auto& name : active_.names()) {
    if (std::ranges::find(registered, name) == registered.end()) names.push_back(name);
  }
  active_.set(names, "reload");
}

void Session::Core::refresh_active() {
  prompted_.reset();
  active_.refreshed();
}

Json Session::Core::all_tools() const {
  return registry_.list();
}

std::vector<std::string> Session::Core::active_tools() const {
  return active_.names();
}

void Session::Core::set_active_tools(std::vector<std::string> names, std::string by) {
  active_.set(names, std::move(by));
}

Task<Result<void>> Session::Core::reload(std::optional<std::vector<ExtensionSource>> extensions) {
  if (is_busy()) co_return std::unexpected(busy_error());
  enter("a reload");
  const auto active = active_.names();
  const auto registered = registered_names();
  co_await announce_shutdown("reload");
  runner_.clear();
  if (extensions) options_.extensions = *std::move(extensions);
  co_await runner_.load(options_.extensions);
  runner_.bind(*this);
  registry_.bind();
  restore_active(active, registered);
  co_await announce_start("reload");
  leave();
  co_return Result<void>();
}

Task<void> Session::Core::shutdown(std::string reason) {
  abort();
  // Whoever waits longer may be first: the session is free only when this says so.
  while (is_busy()) co_await wait_until_idle();
  enter("a shutdown");
  co_await announce_shutdown(std::move(reason));
  leave();
}

Task<void> Session::Core::announce_shutdown(std::string reason) {
  if (!policies_.session.announces_shutdown(reason)) co_return;
  SessionShutdown event;
  event.reason = reason;
  record(std::move(event));
  Json fields = reason_fields(reason);
  co_await runner_.notify("session_shutdown", "", std::move(fields));
  co_await flush_entries();
}

Task<void> Session::Core::install(ExtensionSource extension) {
  options_.extensions.push_back(extension);
  std::vector<ExtensionSource> added;
  added.push_back(std::move(extension));
  co_await runner_.load(std::move(added));
}

Task<void> Session::Core::wait_until_idle() {
  co_await idle_.wait();
}

Task<Result<std::optional<Json>>> Session::Core::user_bash(std::string command) {
  return runner_.user_bash(std::move(command), options_.cwd);
}

Result<void> Session::Core::add_sdk_tool(ToolDefinition definition) {
  const auto added = registry_.add_sdk(std::move(definition));
  if (added && registry_.is_bound()) registry_.refresh();
  return added;
}

Usage Session::Core::total_usage() const {
  Usage total;
  for (const auto& message : transcript_.messages()) {
    if (const auto* answer = std::get_if<AssistantMessage>(message.get())) {
      add_usage(total, answer->usage);
    } else if (const auto* result = std::get_if<ToolResultMessage>(message.get())) {
      add_usage(total, result->usage.get());
    }
  }
  return total;
}

}  // namespace plumb::engine
