// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "simulator/script/base64.h"
#include "simulator/script/parse.h"

namespace plumb::simulator {
namespace {

std::int64_t parse_octal(std::string_view digits) {
  std::int64_t mode = 0;
  for (const char digit : digits) mode = mode * 8 + (digit - '0');
  return mode;
}

std::vector<std::pair<std::string, std::string>> parse_texts(std::optional<YamlView> map) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [key, view] : members_of(map)) {
    texts.emplace_back(key, view.value->get<std::string>());
  }
  return texts;
}

ShellSettings parse_shell(const Fields& fields) {
  ShellSettings shell;
  shell.prefix = fields.text("prefix");
  shell.exposes_session = fields.flag("session_variables", true);
  shell.is_remote = fields.flag("remote");
  shell.late_output = fields.text("late_output");
  if (!fields.has("hook")) return shell;
  const Fields hook(fields.find("hook"));
  shell.hook.emplace();
  shell.hook->command = hook.maybe_text("command");
  shell.hook->cwd = hook.maybe_text("cwd");
  shell.hook->environment = parse_texts(hook.find("environment"));
  shell.hook->throws = hook.text("throw");
  return shell;
}

OperationSettings parse_operations(const Fields& fields) {
  OperationSettings operations;
  operations.streams = fields.flag("streams");
  operations.writes = fields.flag("write");
  if (!fields.has("read")) return operations;
  operations.read.emplace();
  for (const auto& [path, view] : members_of(fields.find("read"))) {
    operations.read->push_back(parse_file(path, view));
  }
  return operations;
}

std::optional<PictureLimitsScript> parse_limits(const Fields& fields) {
  if (!fields.has("pictures")) return std::nullopt;
  const Fields given(fields.find("pictures"));
  return PictureLimitsScript{given.maybe_number("width"), given.maybe_number("height")};
}

ModelScript parse_known_model(const Fields& fields) {
  return ModelScript{fields.flag("takes_pictures", true), parse_limits(fields)};
}

Settings parse_settings(const Fields& fields) {
  Settings settings;
  settings.execution = fields.text("execution", settings.execution);
  settings.steering = fields.text("steering", settings.steering);
  settings.follow_up = fields.text("follow_up", settings.follow_up);
  settings.has_ui = fields.flag("ui", settings.has_ui);
  settings.is_trusted = fields.flag("trust", settings.is_trusted);
  settings.model = fields.text("model", settings.model);
  settings.thinking = fields.text("thinking", settings.thinking);
  settings.system = fields.maybe_text("system");
  settings.append_system = fields.text("append_system");
  settings.cwd = fields.text("cwd", settings.cwd);
  settings.retries = fields.number("retries", settings.retries);
  settings.retry_delay_ms = fields.number("retry_delay_ms", settings.retry_delay_ms);
  settings.turns_max = fields.maybe_number("turns_max");
  settings.has_session = fields.maybe_flag("session").value_or(true);
  settings.failing_after_hook = fields.maybe_text("failing_after_hook");
  settings.secrets = fields.texts("secrets");
  settings.shell = parse_shell(Fields(fields.find("shell")));
  settings.operations = parse_operations(Fields(fields.find("operations")));
  settings.pictures = parse_limits(fields);
  for (const auto& [name, view] : members_of(fields.find("models"))) {
    settings.models[name] = parse_known_model(Fields(view));
  }
  return settings;
}

ToolSettings parse_tools(const Fields& fields) {
  ToolSettings tools;
  tools.active = fields.maybe_texts("active");
  tools.allow = fields.maybe_texts("allow");
  tools.exclude = fields.texts("exclude");
  for (const YamlView& tool : fields.list("sdk")) {
    tools.sdk.push_back(*tool.value);
    tools.sdk_places.push_back(tool.place());
  }
  return tools;
}

void set_error(FaultScript& fault, const std::string& word) {
  static constexpr std::array<std::pair<std::string_view, ErrorCode>, 7> kCodes = {{
      {"not_found", ErrorCode::not_found},
      {"permission", ErrorCode::permission},
      {"exists", ErrorCode::exists},
      {"io", ErrorCode::io},
      {"is_directory", ErrorCode::is_directory},
      {"not_directory", ErrorCode::not_directory},
      {"loop", ErrorCode::loop},
  }};
  for (const auto& [name, code] : kCodes) {
    if (name == word) fault.error = code;
  }
  if (word == "no_space") {
    fault.error = ErrorCode::io;
    fault.io_error = "ENOSPC: no space left on device";
  }
}

FaultScript parse_fault(YamlView view) {
  const Fields fields(view);
  FaultScript fault;
  fault.op = fields.text("op");
  fault.path = fields.text("path");
  fault.nth = fields.number("nth", 1);
  fault.delay_ms = fields.number("delay_ms");
  fault.until = fields.trigger("until");
  fault.place = view.place();
  set_error(fault, fields.text("error"));
  return fault;
}

/// The text so often, then lines with the numbers from 1 on.
std::string parse_piece(const Fields& piece) {
  std::string text;
  const std::string unit = piece.text("text");
  for (std::int64_t i = piece.number("repeat", 1); i > 0; --i) text += unit;
  const std::int64_t count = piece.number("numbers");
  for (std::int64_t i = 1; i <= count; ++i) text += std::to_string(i) + "\n";
  return text;
}

std::vector<OutputScript> parse_output(std::optional<YamlView> view) {
  std::vector<OutputScript> output;
  if (!view) return output;
  if (view->value->is_string()) {
    output.push_back({"stdout", view->value->get<std::string>(), 0});
    return output;
  }
  for (std::int64_t i = 0; i < view->size(); ++i) {
    const Fields piece(view->element(i));
    output.push_back(
        {piece.text("stream", "stdout"), parse_piece(piece), piece.number("after_ms")});
  }
  return output;
}

ChildScript parse_child(YamlView view) {
  const Fields fields(view);
  ChildScript child;
  child.output = parse_output(fields.find("output"));
  child.lives_ms = fields.number("lives_ms");
  child.writes = parse_texts(fields.find("writes"));
  child.hangs = fields.flag("hangs");
  child.leaves_group = fields.flag("leaves_group");
  return child;
}

ProcessScript parse_process(YamlView view) {
  const Fields fields(view);
  ProcessScript process;
  process.command = fields.text("command");
  process.output = parse_output(fields.find("output"));
  for (const YamlView& child : fields.list("children")) {
    process.children.push_back(parse_child(child));
  }
  process.writes = parse_texts(fields.find("writes"));
  process.error = fields.text("error");
  process.exit = fields.number("exit");
  process.signal = fields.text("signal");
  process.delay_ms = fields.number("delay_ms");
  process.hangs = fields.flag("hangs");
  process.is_unused = fields.flag("unused");
  process.place = view.place();
  return process;
}

UiScript parse_answer(YamlView view) {
  const Fields fields(view);
  const Fields match(fields.find("match"));
  UiScript answer;
  answer.method = match.text("method");
  answer.title = match.text("title");
  answer.answer = fields.json("answer");
  answer.delay_ms = fields.number("delay_ms");
  answer.never = fields.flag("never");
  answer.place = view.place();
  return answer;
}

}  // namespace

std::string repeated(std::string_view text, std::int64_t count) {
  std::string all;
  for (std::int64_t i = 0; i < count; ++i) all += text;
  return all;
}

FileScript parse_file(const std::string& path, YamlView view) {
  FileScript file;
  file.path = path;
  file.place = view.key_place();
  if (view.value->is_string()) {
    file.bytes = view.value->get<std::string>();
    return file;
  }
  const Fields fields(view);
  const auto base64 = fields.maybe_text("base64");
  const auto mode = fields.maybe_text("mode");
  file.bytes = base64 ? decode_base64(*base64).value_or("") : fields.text("text");
  file.bytes =
      fields.text("head") + repeated(file.bytes, fields.number("repeat", 1)) + fields.text("tail");
  file.target = fields.text("link", fields.text("hard_link"));
  if (fields.has("link")) file.kind = FileKind::link;
  if (fields.has("hard_link")) file.kind = FileKind::hard_link;
  if (fields.has("dir")) file.kind = FileKind::directory;
  if (mode) file.mode = parse_octal(*mode);
  return file;
}

std::string hosted_file(const std::string& scenario_file, const std::string& hosted) {
  const auto end = scenario_file.rfind('/');
  if (hosted.starts_with('/') || end == std::string::npos) return hosted;
  return scenario_file.substr(0, end + 1) + hosted;
}

ExtensionScript parse_extension(YamlView view) {
  const Fields fields(view);
  ExtensionScript extension;
  extension.hosted = fields.text("hosted");
  extension.fails = fields.text("fails");
  extension.name = fields.text("name", extension.hosted);
  const bool is_hosted = !extension.hosted.empty();
  extension.path =
      fields.text("path", is_hosted ? extension.hosted : "<inline:" + extension.name + ">");
  extension.definition = *view.value;
  extension.place = view.place();
  return extension;
}

void parse_world(const Fields& root, Scenario& scenario) {
  for (const auto& [path, view] : members_of(root.find("files"))) {
    scenario.files.push_back(parse_file(path, view));
  }
  scenario.settings = parse_settings(Fields(root.find("settings")));
  scenario.tools = parse_tools(Fields(root.find("tools")));
  for (const YamlView& view : root.list("faults")) scenario.faults.push_back(parse_fault(view));
  for (const YamlView& view : root.list("processes")) {
    scenario.processes.push_back(parse_process(view));
  }
  for (const YamlView& view : root.list("ui")) scenario.ui.push_back(parse_answer(view));
  for (const YamlView& view : root.list("extensions")) {
    scenario.extensions.push_back(parse_extension(view));
  }
}

}  // namespace plumb::simulator
