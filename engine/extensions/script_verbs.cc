// SPDX-License-Identifier: Apache-2.0
// The verbs that take effect at once.
#include <utility>

#include "engine/extensions/event_fields.h"
#include "engine/extensions/script_run.h"
#include "engine/extensions/script_values.h"

namespace plumb::engine {

namespace {

Json resolved(const ScriptState& state, const Json& value) {
  return resolve_value(value, [&](std::string_view name) { return look_up(state, name); });
}

std::string text_of_argument(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  if (found == arguments.end()) return "";
  return found->is_string() ? found->get<std::string>() : dump_json(*found);
}

void throw_now(ScriptState& state, std::string message, bool is_error = true) {
  state.thrown.emplace(std::move(message), is_error);
  state.has_ended = true;
}

void end_with(ScriptState& state, std::optional<Json> value) {
  state.returned = std::move(value);
  state.has_ended = true;
}

/// What a failed action throws in an extension (EXT-06).
template <class T>
bool throw_if_failed(ScriptState& state, const Result<T>& result) {
  if (result) return false;
  throw_now(state, result.error().message);
  return true;
}

std::string call_of(const ScriptState& state) {
  if (state.call) return state.call->id;
  return state.handler ? state.handler->call : std::string();
}

/// Arguments are shared by a call's handlers, its tool and what these do later.
void note_input(const ScriptState& state, bool writes) {
  if (!state.call && !(state.handler && state.handler->input)) return;
  state.extension->world.loop.note(TouchKind::store, call_of(state), writes);
}

/// The object that `set` and `unset` change: the shared input, else the handler's own copy.
Json* changeable(ScriptState& state) {
  note_input(state, true);
  if (state.call) return state.call->params.get();
  if (!state.handler) return nullptr;
  return state.handler->input ? state.handler->input.get() : &state.handler->data;
}

void do_set(ScriptState& state, const Json& arguments) {
  Json* root = changeable(state);
  if (root == nullptr) return;
  throw_if_failed(state,
                  set_at_pointer(*root, arguments["path"].get<std::string>(), arguments["value"]));
}

void do_block(ScriptState& state, const Json& arguments) {
  Json answer = Json::object();
  answer["block"] = true;
  for (const char* name : {"reason", "terminate"}) {
    if (arguments.contains(name)) answer[name] = arguments[name];
  }
  end_with(state, std::move(answer));
}

/// A new object in the handler's hands only (PIPE-16).
void do_replace(ScriptState& state, const Json& arguments) {
  if (!state.handler) return;
  state.handler->input = std::make_shared<Json>(arguments["value"]);
}

ExtensionHost* host_of(ScriptState& state) {
  const auto& extension = *state.extension;
  if (extension.api == nullptr) return extension.world.host;
  const auto host = extension.api->host();
  if (throw_if_failed(state, host)) return nullptr;
  return *host;
}

void add_names(std::vector<std::string>& names, const Json& given) {
  if (given.is_string()) names.push_back(given.get<std::string>());
  if (!given.is_array()) return;
  for (const Json& name : given) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
}

std::vector<std::string> wanted_tools(const ExtensionHost& host, const Json& arguments) {
  std::vector<std::string> names;
  if (arguments.contains("names")) {
    add_names(names, arguments["names"]);
  } else {
    names = host.active_tools();
  }
  if (arguments.contains("add")) add_names(names, arguments["add"]);
  std::vector<std::string> removed;
  if (arguments.contains("remove")) add_names(removed, arguments["remove"]);
  for (const auto& name : removed) std::erase(names, name);
  return names;
}

Delivery delivery_of(const std::string& mode) {
  if (mode == "follow_up" || mode == "prompt") return Delivery::follow_up;
  return mode == "next_turn" ? Delivery::next_turn : Delivery::steer;
}

void do_send(ScriptState& state, ExtensionHost& host, const Json& arguments) {
  const Delivery delivery = delivery_of(arguments.value("mode", "steer"));
  if (arguments.contains("text")) {
    return host.queue_user_message(text_of_argument(arguments, "text"), delivery);
  }
  CustomMessage message;
  message.custom_type = arguments.value("type", state.extension->owner);
  auto content = parse_content(arguments["content"]);
  if (throw_if_failed(state, content)) return;
  message.content = *std::move(content);
  if (arguments.contains("details")) message.details = SharedJson(arguments["details"]);
  SendOptions options;
  options.deliver_as = delivery;
  options.trigger_turn = arguments.value("trigger", true);
  host.send_message(std::move(message), options);
}

void do_tool_result(ScriptState& state, const Json& arguments) {
  auto result = parse_tool_result(arguments);
  if (throw_if_failed(state, result)) return;
  state.tool_result = *std::move(result);
}

void do_update(ScriptState& state, const Json& arguments) {
  auto partial = parse_tool_result(arguments);
  if (throw_if_failed(state, partial)) return;
  if (state.call && state.call->on_update) state.call->on_update(*std::move(partial));
}

void do_latch(ScriptState& state, const Json& arguments) {
  state.extension->world.latches.set(arguments["set"].get<std::string>());
}

/// Verbs that act on the session.
void act_on_host(ScriptState& state, const Verb& verb, const Json& arguments) {
  // A note is no action: it says what the script sees, also while it is loaded and when it is
  // stale.
  const bool is_note = verb.kind == VerbKind::note;
  ExtensionHost* host = is_note ? state.extension->world.host : host_of(state);
  if (host == nullptr) return;
  const std::string& owner = state.extension->owner;
  switch (verb.kind) {
    case VerbKind::abort:
      host->notify(owner, "abort", Json(), call_of(state));
      host->abort();
      break;
    case VerbKind::append:
      host->append_entry(text_of_argument(arguments, "type"), arguments.value("data", Json()));
      break;
    case VerbKind::note:
      host->notify(owner, text_of_argument(arguments, "topic"), arguments.value("data", Json()),
                   call_of(state));
      break;
    case VerbKind::send:
      do_send(state, *host, arguments);
      break;
    case VerbKind::set_active:
      host->set_active_tools(wanted_tools(*host, arguments), owner);
      break;
    default:
      break;
  }
}

bool acts_on_host(VerbKind kind) {
  return kind == VerbKind::abort || kind == VerbKind::append || kind == VerbKind::note ||
         kind == VerbKind::send || kind == VerbKind::set_active;
}

/// Verbs that register and unregister.
bool registers(ScriptState& state, const Verb& verb) {
  ScriptedExtension& extension = *state.extension;
  switch (verb.kind) {
    case VerbKind::add_handler:
      throw_if_failed(state, extension.add_handler(verb.handler));
      return true;
    case VerbKind::remove_handler:
      extension.remove_handler(verb.arguments["id"].get<std::string>());
      return true;
    case VerbKind::define_tool:
      throw_if_failed(state, extension.define_scripted_tool(verb.arguments["value"]));
      return true;
    case VerbKind::register_tool:
      throw_if_failed(state, extension.register_tool(verb.arguments["value"]));
      return true;
    default:
      return false;
  }
}

/// Verbs that change only the script's own state or its input.
bool changes_state(ScriptState& state, const Verb& verb, const Json& arguments) {
  switch (verb.kind) {
    case VerbKind::allow:
      end_with(state, std::nullopt);
      return true;
    case VerbKind::block:
      do_block(state, arguments);
      return true;
    case VerbKind::patch:
      state.returned = arguments;
      return true;
    case VerbKind::replace:
      do_replace(state, arguments);
      return true;
    case VerbKind::result:
      do_tool_result(state, arguments);
      return true;
    case VerbKind::return_value:
      end_with(state, arguments["value"]);
      return true;
    case VerbKind::set:
      do_set(state, arguments);
      return true;
    case VerbKind::throw_error:
      throw_now(state, text_of_argument(arguments, "text"));
      return true;
    case VerbKind::throw_value:
      throw_now(state, text_of_argument(arguments, "value"), false);
      return true;
    case VerbKind::unset:
      if (Json* root = changeable(state))
        unset_at_pointer(*root, text_of_argument(arguments, "path"));
      return true;
    case VerbKind::update:
      do_update(state, arguments);
      return true;
    default:
      return false;
  }
}

/// What a running tool reads from its own context (TOOL-08, TOOL-27); null when it has no such
/// part.
std::optional<Json> value_of_context(const ToolContext& context, std::string_view name) {
  if (name == "ctx.model") return context.model();
  if (name == "ctx.cwd") return context.cwd();
  if (name == "ctx.is_idle") return context.is_idle();
  if (name == "ctx.system_prompt") return context.system_prompt();
  if (name == "ctx.entries") return context.session_entries().get();
  if (name == "ctx.has_ui") return context.has_ui();
  return std::nullopt;
}

Json context_value(const ScriptState& state, std::string_view name) {
  if (state.call && state.call->context != nullptr) {
    if (auto value = value_of_context(*state.call->context, name)) return *std::move(value);
  }
  if (name == "flags" && state.extension->api != nullptr) return state.extension->api->flags();
  const ExtensionHost* host = state.extension->world.host;
  if (host == nullptr) return nullptr;
  if (name == "active") return host->active_tools();
  if (name == "ctx.model") return host->model();
  if (name == "ctx.cwd") return host->cwd();
  if (name == "ctx.is_idle") return host->is_idle();
  if (name == "ctx.system_prompt") return host->system_prompt();
  if (name == "ctx.entries") return host->session_entries().get();
  if (name == "ctx.has_ui") return state.extension->world.host->ui().is_attached();
  if (name != "tools") return nullptr;
  Json names = Json::array();
  for (const Json& tool : host->all_tools()) names.push_back(tool.value("name", ""));
  return names;
}

Json input_value(const ScriptState& state) {
  note_input(state, false);
  if (state.call) return *state.call->params;
  if (!state.handler) return nullptr;
  if (state.handler->input) return *state.handler->input;
  // A script may have put anything in the place of its copy.
  const Json* input = find_pointer(state.handler->data, "/input");
  return input == nullptr ? Json() : *input;
}

bool signal_aborted(const ScriptState& state) {
  if (state.call) return state.call->signal.aborted();
  return state.handler && state.handler->signal.aborted();
}

}  // namespace

Json look_up(const ScriptState& state, std::string_view name) {
  if (name == "args" || name == "input") return input_value(state);
  if (name == "event") return state.handler ? state.handler->data : Json(nullptr);
  if (name == "last") return state.last;
  if (name == "signal.aborted") return signal_aborted(state);
  if (name == "call") return state.call || state.handler ? Json(call_of(state)) : Json(nullptr);
  return context_value(state, name);
}

bool run_at_once(ScriptState& state, const Verb& verb) {
  if (registers(state, verb)) return true;
  Json storage;
  if (!verb.is_literal) {
    storage = resolved(state, verb.arguments);
    if (throw_if_failed(state, check_resolved(verb.kind, storage))) return true;
  }
  const Json& arguments = verb.is_literal ? verb.arguments : storage;
  if (verb.kind == VerbKind::latch && arguments.contains("set")) {
    do_latch(state, arguments);
    return true;
  }
  if (acts_on_host(verb.kind)) {
    act_on_host(state, verb, arguments);
    return true;
  }
  return changes_state(state, verb, arguments);
}

std::expected<Json, Thrown> run_prepare(const Program& program, Json raw) {
  const ReferenceLookup lookup = [&](std::string_view name) {
    return name == "args" || name == "input" ? raw : Json(nullptr);
  };
  for (const Verb& verb : program) {
    const Json arguments = resolve_value(verb.arguments, lookup);
    const auto checked = check_resolved(verb.kind, arguments);
    if (!checked) return std::unexpected(Thrown(checked.error().message));
    if (verb.kind == VerbKind::return_value) return arguments["value"];
    if (verb.kind == VerbKind::throw_error) {
      return std::unexpected(Thrown(text_of_argument(arguments, "text")));
    }
    if (verb.kind == VerbKind::throw_value) {
      return std::unexpected(Thrown(text_of_argument(arguments, "value"), false));
    }
    if (verb.kind == VerbKind::unset) {
      unset_at_pointer(raw, arguments["path"].get<std::string>());
      continue;
    }
    const auto set = set_at_pointer(raw, arguments["path"].get<std::string>(), arguments["value"]);
    if (!set) return std::unexpected(Thrown(set.error().message));
  }
  return raw;
}

}  // namespace plumb::engine
