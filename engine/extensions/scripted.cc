// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/scripted.h"

#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include "engine/extensions/runner.h"
#include "engine/extensions/script_program.h"
#include "engine/extensions/script_run.h"
#include "engine/extensions/script_values.h"

namespace plumb::engine {

namespace {

std::unexpected<Error> wrong(std::string message, const std::string& at) {
  return fail(ErrorCode::invalid, std::move(message), at);
}

bool equals(const Json* found, const Json& wanted) {
  return found != nullptr && equal_json(*found, wanted);
}

bool contains_text(const Json* found, const Json& part) {
  if (found == nullptr || !found->is_string() || !part.is_string()) return false;
  return found->get_ref<const std::string&>().contains(part.get_ref<const std::string&>());
}

/// What an operator says of a value; nothing when the key is not an operator.
std::optional<bool> holds(const std::string& key, const Json* found, const Json& operand) {
  if (key == "missing") return (found == nullptr) == (operand == true);
  if (key == "equals") return equals(found, operand);
  if (key == "contains") return contains_text(found, operand);
  return std::nullopt;
}

/// An object whose keys are operators asks for each of them; every other value is compared whole.
bool matches_value(const Json* found, const Json& wanted) {
  if (!wanted.is_object()) return equals(found, wanted);
  for (const auto& [key, operand] : wanted.items()) {
    const std::optional<bool> held = holds(key, found, operand);
    if (!held) return equals(found, wanted);
    if (!*held) return false;
  }
  return true;
}

bool fits(const HandlerCondition& when, const HandlerContext& context) {
  if (!when.tool.empty() && context.data.value("toolName", "") != when.tool) return false;
  if (!when.call.empty() && context.call != when.call) return false;
  if (when.match.empty()) return true;
  Json view = context.data;
  if (context.input) view["input"] = *context.input;
  for (const auto& [pointer, wanted] : when.match.items()) {
    if (!matches_value(find_pointer(view, pointer), wanted)) return false;
  }
  return true;
}

/// A registered handler script. Lives in the std::function that the runner holds.
class ScriptedHandler final {
 public:
  ScriptedHandler(ScriptedExtensionPtr extension, std::shared_ptr<const HandlerScript> script)
      : extension_(std::move(extension)),
        script_(std::move(script)),
        fitting_(std::make_shared<std::int64_t>(0)) {}

  Task<HandlerResult> operator()(HandlerContext context) const {
    return run(extension_, script_, fitting_, std::move(context));
  }

 private:
  static Task<HandlerResult> run(ScriptedExtensionPtr extension,
                                 std::shared_ptr<const HandlerScript> script,
                                 std::shared_ptr<std::int64_t> fitting, HandlerContext context) {
    if (!fits(script->when, context)) co_return std::optional<Json>();
    extension->world.loop.note(TouchKind::signal, script->event, script->when.nth != 0);
    const std::int64_t number = ++*fitting;
    if (script->when.nth != 0 && script->when.nth != number) co_return std::optional<Json>();
    auto state = std::make_shared<ScriptState>(std::move(extension));
    state->handler.emplace(std::move(context));
    state->program_owner = script;
    co_await run_program(state, &script->body);
    if (state->thrown) co_return std::unexpected(*state->thrown);
    co_return state->returned;
  }

  ScriptedExtensionPtr extension_;
  std::shared_ptr<const HandlerScript> script_;
  // Shared by the copies of this function object: dispatches that fitted so far.
  std::shared_ptr<std::int64_t> fitting_;
};

/// A command's script: a handler's, whose event is {arguments}.
class ScriptedCommand final {
 public:
  ScriptedCommand(ScriptedExtensionPtr extension, std::shared_ptr<const HandlerScript> script)
      : handler_(extension, std::move(script)), extension_(std::move(extension)) {}

  Task<HandlerResult> operator()(std::string arguments) const {
    HandlerContext context("command", "", Json{{"arguments", std::move(arguments)}});
    context.host = extension_->world.host;
    return handler_(std::move(context));
  }

 private:
  ScriptedHandler handler_;
  ScriptedExtensionPtr extension_;
};

/// What a tool's script threw leaves execute as an exception: that is how a tool fails (RESULT-13).
[[noreturn]] void raise(const Thrown& thrown) {
  if (thrown.is_error_object) throw std::runtime_error(thrown.message);
  throw std::string(thrown.message);
}

class ScriptedExecute final {
 public:
  ScriptedExecute(ScriptedExtensionPtr extension, std::shared_ptr<const Program> program,
                  ToolResult initial)
      : extension_(std::move(extension)),
        program_(std::move(program)),
        initial_(std::move(initial)) {}

  Task<ToolResult> operator()(ToolCall call) const {
    return run(extension_, program_, initial_, std::move(call));
  }

 private:
  static Task<ToolResult> run(ScriptedExtensionPtr extension,
                              std::shared_ptr<const Program> program, ToolResult initial,
                              ToolCall call) {
    auto state = std::make_shared<ScriptState>(std::move(extension));
    state->tool_result = std::move(initial);
    state->call.emplace(std::move(call));
    state->program_owner = program;
    co_await run_program(state, program.get());
    if (state->thrown) raise(*state->thrown);
    co_return state->tool_result;
  }

  ScriptedExtensionPtr extension_;
  std::shared_ptr<const Program> program_;
  ToolResult initial_;  ///< What a script that gives no result leaves.
};

constexpr std::array<std::string_view, 18> kToolKeys = {
    "name",           "description",      "parameters",  "label",     "promptSnippet",
    "snippet",        "promptGuidelines", "guidelines",  "mode",      "exposure",
    "defaultActive",  "outputSchema",     "annotations", "namespace", "reachesTools",
    "addedToolNames", "prepare",          "do"};

Result<std::string> text_key(const Json& definition, const char* key, const std::string& at) {
  const auto found = definition.find(key);
  if (found == definition.end()) return std::string();
  if (!found->is_string()) return wrong("must be a text", at + "/" + key);
  return found->get<std::string>();
}

Result<std::vector<std::string>> list_key(const Json& definition, const char* key,
                                          const std::string& at) {
  std::vector<std::string> texts;
  const auto found = definition.find(key);
  if (found == definition.end()) return texts;
  if (!found->is_array()) return wrong("must be a list of texts", at + "/" + key);
  for (const Json& text : *found) {
    if (!text.is_string()) return wrong("must be a list of texts", at + "/" + key);
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

SharedJson value_key(const Json& definition, const char* key) {
  const auto found = definition.find(key);
  return found == definition.end() ? SharedJson() : SharedJson(*found);
}

Result<void> read_prompt_metadata(ToolDefinition& tool, const Json& definition,
                                  const std::string& at) {
  const bool is_short = definition.contains("snippet");
  PLUMB_TRY(tool.prompt_snippet, text_key(definition, is_short ? "snippet" : "promptSnippet", at));
  const bool is_short_list = definition.contains("guidelines");
  PLUMB_TRY(tool.prompt_guidelines,
            list_key(definition, is_short_list ? "guidelines" : "promptGuidelines", at));
  return {};
}

Result<void> read_mode(ToolDefinition& tool, const Json& definition, const std::string& at) {
  PLUMB_TRY(const std::string mode, text_key(definition, "mode", at));
  if (!mode.empty() && mode != "parallel" && mode != "sequential") {
    return wrong("must be parallel or sequential", at + "/mode");
  }
  if (mode == "sequential") tool.execution_mode = ExecutionMode::sequential;
  PLUMB_TRY(const std::string exposure, text_key(definition, "exposure", at));
  if (!exposure.empty()) {
    const auto parsed = parse_exposure(exposure);
    if (!parsed) return wrong(parsed.error().message, at + "/exposure");
    tool.exposure = *parsed;
  }
  if (!definition.contains("defaultActive")) return {};
  if (!definition["defaultActive"].is_boolean()) {
    return wrong("must be true or false", at + "/defaultActive");
  }
  tool.default_active = definition["defaultActive"].get<bool>();
  return {};
}

Result<ToolDefinition> read_metadata(const Json& definition, const std::string& at) {
  const auto checked = check_members(definition, kToolKeys, at);
  if (!checked) return std::unexpected(checked.error());
  ToolDefinition tool;
  PLUMB_TRY(tool.name, text_key(definition, "name", at));
  if (tool.name.empty()) return wrong("a tool needs a name", at);
  PLUMB_TRY(tool.description, text_key(definition, "description", at));
  PLUMB_TRY(tool.label, text_key(definition, "label", at));
  Json parameters = Json::object();
  parameters["type"] = "object";
  tool.parameters = definition.contains("parameters") ? value_key(definition, "parameters")
                                                      : SharedJson(std::move(parameters));
  tool.output_schema = value_key(definition, "outputSchema");
  tool.annotations = value_key(definition, "annotations");
  tool.name_space = value_key(definition, "namespace");
  if (definition.contains("reachesTools")) {
    tool.reaches_tools = [reach = definition["reachesTools"]](const Json&) { return reach; };
  }
  auto read = read_prompt_metadata(tool, definition, at);
  if (read) read = read_mode(tool, definition, at);
  if (!read) return std::unexpected(read.error());
  return tool;
}

Result<Program> program_key(const Json& definition, const char* key, ScriptPlace place,
                            const std::string& at) {
  if (!definition.contains(key)) return Program();
  return compile_program(definition[key], place, at + "/" + key);
}

Result<ToolDefinition> make_tool(const Json& definition, ScriptedExtensionPtr extension,
                                 const std::string& at) {
  PLUMB_TRY(ToolDefinition tool, read_metadata(definition, at));
  PLUMB_TRY(Program body, program_key(definition, "do", ScriptPlace::tool, at));
  PLUMB_TRY(Program prepare, program_key(definition, "prepare", ScriptPlace::prepare, at));
  ToolResult initial = definition.contains("do") ? ToolResult() : text_result("ok");
  PLUMB_TRY(initial.added_tool_names, list_key(definition, "addedToolNames", at));
  tool.execute = ScriptedExecute(
      std::move(extension), std::make_shared<const Program>(std::move(body)), std::move(initial));
  if (definition.contains("prepare")) {
    tool.prepare_arguments = [program =
                                  std::make_shared<const Program>(std::move(prepare))](Json raw) {
      auto prepared = run_prepare(*program, std::move(raw));
      if (!prepared) raise(prepared.error());
      return *std::move(prepared);
    };
  }
  return tool;
}

struct CommandScript {
  std::string name;
  std::string description;
  // Shared by the commands of every load.
  std::shared_ptr<const HandlerScript> script;
};

/// Everything of a definition, compiled before the run begins.
struct ExtensionProgram {
  std::vector<Json> tools;
  std::vector<std::shared_ptr<const HandlerScript>> handlers;
  std::vector<CommandScript> commands;
  Json flags = Json::object();
  Program load;
};

Result<void> compile_tools(const Json& definition, ExtensionProgram& program) {
  if (!definition.contains("tools")) return {};
  const Json& tools = definition["tools"];
  if (!tools.is_array()) return wrong("must be a list of tools", "/tools");
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const auto checked = check_scripted_tool(tools[i], "/tools/" + std::to_string(i));
    if (!checked) return checked;
    program.tools.push_back(tools[i]);
  }
  return {};
}

Result<void> compile_handlers(const Json& definition, ExtensionProgram& program) {
  if (!definition.contains("on")) return {};
  const Json& events = definition["on"];
  if (!events.is_object()) return wrong("must be a mapping of events to handlers", "/on");
  for (const auto& [event, handlers] : events.items()) {
    const std::string at = "/on/" + pointer_escape(event);
    if (!handlers.is_array()) return wrong("must be a list of handlers", at);
    for (std::size_t i = 0; i < handlers.size(); ++i) {
      PLUMB_TRY(HandlerScript script,
                compile_handler(handlers[i], event, at + "/" + std::to_string(i)));
      program.handlers.push_back(std::make_shared<const HandlerScript>(std::move(script)));
    }
  }
  return {};
}

Result<void> compile_commands(const Json& definition, ExtensionProgram& program) {
  static constexpr std::array<std::string_view, 3> kKeys = {"name", "description", "do"};
  if (definition.contains("flags")) {
    program.flags = definition["flags"];
    if (!program.flags.is_object()) return wrong("must be a mapping of names to values", "/flags");
  }
  if (!definition.contains("commands")) return {};
  const Json& commands = definition["commands"];
  if (!commands.is_array()) return wrong("must be a list of commands", "/commands");
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::string at = "/commands/" + std::to_string(i);
    const auto checked = check_members(commands[i], kKeys, at);
    if (!checked) return checked;
    CommandScript command;
    PLUMB_TRY(command.name, text_key(commands[i], "name", at));
    if (command.name.empty()) return wrong("a command needs a name", at);
    PLUMB_TRY(command.description, text_key(commands[i], "description", at));
    const Json body{{"do", commands[i].value("do", Json::array())}};
    PLUMB_TRY(HandlerScript script, compile_handler(body, "command", at));
    command.script = std::make_shared<const HandlerScript>(std::move(script));
    program.commands.push_back(std::move(command));
  }
  return {};
}

/// The factory itself: runs once per load.
class ScriptedFactory final {
 public:
  ScriptedFactory(std::shared_ptr<const ExtensionProgram> program, std::string path,
                  ScriptWorld& world)
      : program_(std::move(program)), path_(std::move(path)), world_(&world) {}

  Task<Result<void>> operator()(ExtensionApi& api) const {
    return run(program_, std::make_shared<ScriptedExtension>(path_, *world_, &api));
  }

 private:
  static Task<Result<void>> run(std::shared_ptr<const ExtensionProgram> program,
                                ScriptedExtensionPtr extension) {
    auto state = std::make_shared<ScriptState>(extension);
    state->program_owner = program;
    co_await run_program(state, &program->load);
    if (state->thrown) co_return fail(ErrorCode::rejected, state->thrown->message);
    for (const Json& tool : program->tools) {
      const auto added = extension->register_tool(tool);
      if (!added) co_return std::unexpected(added.error());
    }
    for (const auto& handler : program->handlers) {
      const auto added = extension->add_handler(handler);
      if (!added) co_return std::unexpected(added.error());
    }
    co_return add_named(*program, extension);
  }

  static Result<void> add_named(const ExtensionProgram& program,
                                const ScriptedExtensionPtr& extension) {
    for (const auto& command : program.commands) {
      const auto added = extension->api->register_command(
          command.name, command.description, ScriptedCommand(extension, command.script));
      if (!added) return added;
    }
    for (const auto& [name, value] : program.flags.items()) {
      const auto added = extension->api->register_flag(name, value);
      if (!added) return added;
    }
    return {};
  }

  std::shared_ptr<const ExtensionProgram> program_;
  std::string path_;
  ScriptWorld* world_;
};

}  // namespace

Result<void> ScriptedExtension::add_handler(std::shared_ptr<const HandlerScript> script) {
  const std::string id = script->id;
  const std::string event = script->event;
  PLUMB_TRY(Unsubscribe unsubscribe,
            api->on(event, ScriptedHandler(shared_from_this(), std::move(script))));
  if (!id.empty()) handlers_[id] = std::move(unsubscribe);
  return {};
}

void ScriptedExtension::remove_handler(const std::string& id) {
  world.loop.note(TouchKind::signal, std::string(kHandlersKey), false);
  const auto found = handlers_.find(id);
  if (found != handlers_.end()) found->second();
}

Result<void> ScriptedExtension::define_scripted_tool(const Json& definition) {
  PLUMB_TRY(ToolDefinition tool, make_tool(definition, shared_from_this(), ""));
  static_cast<void>(define_tool(std::move(tool)));
  return {};
}

Result<void> ScriptedExtension::register_tool(const Json& definition) {
  PLUMB_TRY(ToolDefinition tool, make_tool(definition, shared_from_this(), ""));
  if (api == nullptr) return fail(ErrorCode::rejected, "only an extension can register a tool");
  return api->register_tool(std::move(tool));
}

Result<void> check_scripted_tool(const Json& definition, const std::string& at) {
  const auto tool = make_tool(definition, nullptr, at);
  if (!tool) return std::unexpected(tool.error());
  return {};
}

Result<ToolDefinition> make_scripted_tool(const Json& definition, std::string owner,
                                          ScriptWorld& world) {
  auto extension = std::make_shared<ScriptedExtension>(std::move(owner), world, nullptr);
  return make_tool(definition, std::move(extension), "");
}

Result<ExtensionFactory> make_scripted_extension(const Json& definition, std::string path,
                                                 ScriptWorld& world) {
  static constexpr std::array<std::string_view, 9> kKeys = {
      "name", "path", "scope", "tools", "on", "load", "commands", "flags", "builtin"};
  auto program = std::make_shared<ExtensionProgram>();
  auto checked = check_members(definition, kKeys, "");
  if (checked) checked = compile_tools(definition, *program);
  if (checked) checked = compile_handlers(definition, *program);
  if (checked) checked = compile_commands(definition, *program);
  if (!checked) return std::unexpected(checked.error());
  PLUMB_TRY(program->load, program_key(definition, "load", ScriptPlace::factory, ""));
  return ScriptedFactory(std::move(program), std::move(path), world);
}

SourceInfo scripted_source(const Json& definition) {
  const auto path = definition.value("path", std::string());
  SourceInfo source = inline_source(definition.value("name", "extension"));
  if (!path.empty()) {
    source.path = path;
    source.source = "local";
  }
  source.scope = definition.value("scope", source.scope);
  return source;
}

}  // namespace plumb::engine
