// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/script_program.h"

#include <algorithm>
#include <array>
#include <span>

#include "engine/extensions/script_values.h"
#include "engine/extensions/scripted.h"
#include "engine/values/suggest.h"

namespace plumb::engine {

namespace {

enum class Shape : std::uint8_t { any, text, flag, integer, list, object };

struct Member {
  std::string_view name;
  Shape shape = Shape::any;
  bool is_required = false;
};

constexpr unsigned kFactory = 1;
constexpr unsigned kHandler = 2;
constexpr unsigned kTool = 4;
constexpr unsigned kPrepare = 8;
constexpr unsigned kRunning = kHandler | kTool;
constexpr unsigned kAnywhere = kFactory | kHandler | kTool | kPrepare;

/// A verb's name, its places, the member that a short form stands for (empty: none), its members.
/// `members` with one entry of an empty name: the argument is taken as it is, under `value`.
struct VerbForm {
  std::string_view name;
  VerbKind kind;
  unsigned places;
  std::string_view short_member;
  std::array<Member, 9> members;
};

constexpr Member kContent{"content", Shape::any};
constexpr Member kDetails{"details", Shape::any};
constexpr Member kStructured{"structuredContent", Shape::any};
constexpr Member kIsError{"isError", Shape::flag};
constexpr Member kUsage{"usage", Shape::any};
constexpr Member kTerminate{"terminate", Shape::flag};
constexpr Member kRaw{"value", Shape::any};
constexpr Member kPath{"path", Shape::text, true};

constexpr std::array<VerbForm, 33> kForms = {{
    {"abort", VerbKind::abort, kRunning, "", {}},
    {"add_handler",
     VerbKind::add_handler,
     kFactory | kHandler,
     "",
     {Member{"event", Shape::text, true}, Member{"id", Shape::text}, Member{"when", Shape::object},
      Member{"do", Shape::list, true}}},
    {"allow", VerbKind::allow, kHandler, "", {}},
    {"append",
     VerbKind::append,
     kRunning,
     "type",
     {Member{"type", Shape::text, true}, Member{"data", Shape::any}}},
    {"append_file",
     VerbKind::append_file,
     kFactory | kRunning,
     "",
     {kPath, Member{"text", Shape::text, true}}},
    {"ask",
     VerbKind::ask,
     kRunning,
     "",
     {Member{"method", Shape::text, true}, Member{"title", Shape::text},
      Member{"message", Shape::text}, Member{"options", Shape::list},
      Member{"timeout_ms", Shape::integer}, Member{"signal", Shape::flag},
      Member{"yes", Shape::list}, Member{"no", Shape::list}, Member{"answers", Shape::object}}},
    {"block", VerbKind::block, kHandler, "reason", {Member{"reason", Shape::text}, kTerminate}},
    {"call_tool",
     VerbKind::call_tool,
     kTool,
     "tool",
     {Member{"tool", Shape::text, true}, Member{"args", Shape::any}}},
    {"define", VerbKind::define_tool, kFactory | kRunning, "value", {kRaw}},
    {"delay", VerbKind::delay, kFactory | kRunning, "ms", {Member{"ms", Shape::integer, true}}},
    {"if",
     VerbKind::choose,
     kRunning,
     "",
     {Member{"value", Shape::any, true}, Member{"equals", Shape::any, true},
      Member{"then", Shape::list}, Member{"else", Shape::list}}},
    {"in_turn", VerbKind::in_turn, kTool, "", {kPath, Member{"do", Shape::list, true}}},
    {"later", VerbKind::later, kRunning, "do", {Member{"do", Shape::list, true}}},
    {"latch",
     VerbKind::latch,
     kFactory | kRunning,
     "",
     {Member{"set", Shape::text}, Member{"wait", Shape::text}}},
    {"note",
     VerbKind::note,
     kFactory | kRunning,
     "topic",
     {Member{"topic", Shape::text, true}, Member{"data", Shape::any}}},
    {"patch",
     VerbKind::patch,
     kHandler,
     "",
     {kContent, kDetails, kStructured, kIsError, kUsage, kTerminate}},
    {"read_file", VerbKind::read_file, kFactory | kRunning, "path", {kPath}},
    {"register", VerbKind::register_tool, kFactory | kRunning, "value", {kRaw}},
    {"remove_handler",
     VerbKind::remove_handler,
     kFactory | kHandler,
     "id",
     {Member{"id", Shape::text, true}}},
    {"replace", VerbKind::replace, kHandler, "value", {kRaw}},
    {"result",
     VerbKind::result,
     kTool,
     "content",
     {kContent, kDetails, kStructured, kIsError, kUsage, kTerminate,
      Member{"addedToolNames", Shape::list}}},
    {"return", VerbKind::return_value, kHandler | kPrepare, "value", {kRaw}},
    {"send",
     VerbKind::send,
     kRunning,
     "text",
     {Member{"text", Shape::text}, Member{"mode", Shape::text}, kContent,
      Member{"type", Shape::text}, Member{"trigger", Shape::flag}, kDetails}},
    {"set", VerbKind::set, kRunning | kPrepare, "", {kPath, Member{"value", Shape::any, true}}},
    {"set_active",
     VerbKind::set_active,
     kFactory | kRunning,
     "names",
     {Member{"names", Shape::list}, Member{"add", Shape::list}, Member{"remove", Shape::list}}},
    {"sleep", VerbKind::sleep, kFactory | kRunning, "ms", {Member{"ms", Shape::integer, true}}},
    {"throw", VerbKind::throw_error, kAnywhere, "text", {Member{"text", Shape::text, true}}},
    {"throw_value", VerbKind::throw_value, kAnywhere, "value", {kRaw}},
    {"try", VerbKind::attempt, kFactory | kRunning, "do", {Member{"do", Shape::list, true}}},
    {"unset", VerbKind::unset, kRunning | kPrepare, "path", {kPath}},
    {"update", VerbKind::update, kTool, "content", {kContent, kDetails, kStructured}},
    {"wait_abort", VerbKind::wait_abort, kRunning, "", {}},
    {"write_file",
     VerbKind::write_file,
     kFactory | kRunning,
     "",
     {kPath, Member{"text", Shape::text, true}}},
}};

constexpr std::array<std::string_view, 4> kPlaceNames = {"the factory", "a handler", "a tool",
                                                         "prepare"};

std::unexpected<Error> bad(std::string message, const std::string& at) {
  return fail(ErrorCode::invalid, std::move(message), at);
}

std::string with_suggestion(std::string message, std::string_view word,
                            std::span<const std::string_view> known) {
  const std::string near = did_you_mean(word, known);
  if (!near.empty()) message += "; did you mean '" + near + "'?";
  return message;
}

bool has_shape(const Json& value, Shape shape) {
  switch (shape) {
    case Shape::any:
      return true;
    case Shape::text:
      return value.is_string();
    case Shape::flag:
      return value.is_boolean();
    case Shape::integer:
      return value.is_number_integer() && value.get<std::int64_t>() >= 0;
    case Shape::list:
      return value.is_array() || value.is_string();
    case Shape::object:
      return value.is_object();
  }
  return false;
}

std::string_view shape_name(Shape shape) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "a value", "a text", "true or false", "a whole number from 0", "a list", "a mapping"};
  return kNames[static_cast<std::size_t>(shape)];
}

const VerbForm* find_form(std::string_view name) {
  const auto found = std::ranges::find(kForms, name, &VerbForm::name);
  return found == kForms.end() ? nullptr : &*found;
}

std::unexpected<Error> unknown_verb(const std::string& name, const std::string& at) {
  return bad(with_suggestion("unknown verb '" + name + "'", name, verb_names()), at);
}

std::span<const Member> members_of(const VerbForm& form) {
  const auto end = std::ranges::find(form.members, std::string_view(), &Member::name);
  return {form.members.begin(), end};
}

/// Whether a mapping is the argument itself rather than a set of members.
bool takes_raw(const VerbForm& form) {
  return form.short_member == "value";
}

bool is_short_form(const VerbForm& form, const Json& given) {
  return takes_raw(form) || (!given.is_object() && !form.short_member.empty());
}

Result<Json> normal_arguments(const VerbForm& form, const Json& given, const std::string& at) {
  const auto members = members_of(form);
  if (members.empty()) {
    if (given.is_null() || given == true) return Json::object();
    return bad("'" + std::string(form.name) + "' takes no argument", at);
  }
  if (is_short_form(form, given)) {
    Json arguments = Json::object();
    arguments[std::string(form.short_member)] = given;
    return arguments;
  }
  std::vector<std::string_view> known;
  for (const auto& member : members) known.push_back(member.name);
  const auto checked = check_members(given, known, at);
  if (!checked) return std::unexpected(checked.error());
  return given;
}

Result<void> check_shapes(const VerbForm& form, const Json& arguments, const std::string& at) {
  for (const Member& member : members_of(form)) {
    const auto found = arguments.find(std::string(member.name));
    if (found == arguments.end()) {
      if (!member.is_required) continue;
      return bad("'" + std::string(form.name) + "' needs '" + std::string(member.name) + "'", at);
    }
    if (has_shape(*found, member.shape)) continue;
    return bad(
        "'" + std::string(member.name) + "' must be " + std::string(shape_name(member.shape)),
        at + "/" + pointer_escape(member.name));
  }
  return {};
}

Result<void> compile_branch(Verb& verb, std::string answer, const Json& steps, ScriptPlace place,
                            const std::string& at) {
  PLUMB_TRY(Program body, compile_program(steps, place, at));
  verb.branches.push_back(Branch{std::move(answer), std::move(body)});
  return {};
}

/// Answers are texts; a confirmation's are "true" and "false".
Result<void> compile_answers(Verb& verb, ScriptPlace place, const std::string& at) {
  const Json arguments = verb.arguments;
  const Json answers = arguments.value("answers", Json::object());
  for (const auto& [answer, steps] : answers.items()) {
    const auto compiled =
        compile_branch(verb, answer, steps, place, at + "/answers/" + pointer_escape(answer));
    if (!compiled) return compiled;
  }
  for (const auto& [key, answer] : {std::pair("yes", "true"), std::pair("no", "false")}) {
    if (!arguments.contains(key)) continue;
    const auto compiled = compile_branch(verb, answer, arguments[key], place, at + "/" + key);
    if (!compiled) return compiled;
  }
  for (const char* key : {"answers", "yes", "no"}) verb.arguments.erase(key);
  return {};
}

/// later and in_turn: their verbs.
Result<void> compile_body(Verb& verb, ScriptPlace place, const std::string& at) {
  const Json steps = verb.arguments["do"];
  verb.arguments.erase("do");
  return compile_branch(verb, "*", steps, place, at);
}

Result<void> compile_choice(Verb& verb, ScriptPlace place, const std::string& at) {
  const Json arguments = verb.arguments;
  for (const char* key : {"then", "else"}) {
    if (!arguments.contains(key)) continue;
    verb.arguments.erase(key);
    const auto compiled = compile_branch(verb, key, arguments[key], place, at + "/" + key);
    if (!compiled) return compiled;
  }
  return {};
}

Result<void> check_ask(const Verb& verb, const std::string& at) {
  static constexpr std::array<std::string_view, 4> kMethods = {"confirm", "select", "input",
                                                               "editor"};
  const auto method = verb.arguments["method"].get<std::string>();
  if (std::ranges::find(kMethods, method) != kMethods.end()) return {};
  return bad(with_suggestion("unknown dialog '" + method + "'", method, kMethods), at + "/method");
}

Result<void> check_send(const Verb& verb, const std::string& at) {
  static constexpr std::array<std::string_view, 4> kModes = {"prompt", "steer", "follow_up",
                                                             "next_turn"};
  if (verb.arguments.contains("text") == verb.arguments.contains("content")) {
    return bad("'send' needs one of 'text' (of the user) and 'content' (of the extension)", at);
  }
  const auto mode = verb.arguments.value("mode", std::string("steer"));
  if (std::ranges::find(kModes, mode) != kModes.end()) return {};
  return bad(with_suggestion("unknown mode '" + mode + "'", mode, kModes), at + "/mode");
}

/// What the table of shapes cannot say.
Result<void> finish_verb(Verb& verb, ScriptPlace place, const std::string& at) {
  switch (verb.kind) {
    case VerbKind::ask: {
      const auto checked = check_ask(verb, at);
      if (!checked) return checked;
      return compile_answers(verb, place, at);
    }
    case VerbKind::choose:
      return compile_choice(verb, place, at);
    case VerbKind::in_turn:
      return compile_body(verb, place, at + "/do");
    case VerbKind::attempt:
    case VerbKind::later:
      return compile_body(verb, place, at);
    case VerbKind::send:
      return check_send(verb, at);
    case VerbKind::latch:
      if (verb.arguments.size() == 1) return {};
      return bad("'latch' needs one of 'set' and 'wait'", at);
    case VerbKind::add_handler: {
      Json handler = verb.arguments;
      handler.erase("event");
      PLUMB_TRY(HandlerScript script,
                compile_handler(handler, verb.arguments["event"].get<std::string>(), at));
      verb.handler = std::make_shared<const HandlerScript>(std::move(script));
      verb.arguments = Json::object();
      return {};
    }
    case VerbKind::define_tool:
    case VerbKind::register_tool:
      return check_scripted_tool(verb.arguments["value"], at);
    default:
      return {};
  }
}

Result<Verb> compile_verb(const std::string& name, const Json& given, ScriptPlace place,
                          const std::string& at) {
  const VerbForm* form = find_form(name);
  if (form == nullptr) return unknown_verb(name, at);
  if ((form->places & (1U << static_cast<unsigned>(place))) == 0) {
    return bad("'" + name + "' cannot be used in " +
                   std::string(kPlaceNames[static_cast<std::size_t>(place)]),
               at);
  }
  Verb verb;
  verb.kind = form->kind;
  PLUMB_TRY(verb.arguments, normal_arguments(*form, given, at));
  auto checked = check_shapes(*form, verb.arguments, at);
  if (checked) checked = finish_verb(verb, place, at);
  const bool holds_tool =
      verb.kind == VerbKind::register_tool || verb.kind == VerbKind::define_tool;
  if (checked && !holds_tool) checked = check_references(verb.arguments, at);
  if (!checked) return std::unexpected(checked.error());
  verb.is_literal =
      !may_refer(verb.arguments) && check_resolved(verb.kind, verb.arguments).has_value();
  return verb;
}

Shape condition_shape(const std::string& key) {
  if (key == "nth") return Shape::integer;
  if (key == "match") return Shape::object;
  return key == "equals" ? Shape::any : Shape::text;
}

Result<HandlerCondition> compile_condition(const Json& when, const std::string& at) {
  static constexpr std::array<std::string_view, 6> kKeys = {"name", "call",   "nth",
                                                            "path", "equals", "match"};
  const auto checked = check_members(when, kKeys, at);
  if (!checked) return std::unexpected(checked.error());
  HandlerCondition condition;
  for (const auto& [key, value] : when.items()) {
    const Shape shape = condition_shape(key);
    if (!has_shape(value, shape)) {
      return bad("'" + key + "' must be " + std::string(shape_name(shape)), at + "/" + key);
    }
  }
  condition.tool = when.value("name", "");
  condition.call = when.value("call", "");
  condition.nth = when.value("nth", std::int64_t{0});
  condition.match = when.value("match", Json::object());
  if (when.contains("path") != when.contains("equals")) {
    return bad("'path' and 'equals' go together", at);
  }
  if (when.contains("path")) {
    condition.match["/input" + when["path"].get<std::string>()]["equals"] = when["equals"];
  }
  for (const auto& [pointer, wanted] : condition.match.items()) {
    if (!pointer.starts_with('/')) {
      return bad("'" + pointer + "' must be a JSON pointer such as /input/path", at + "/match");
    }
  }
  return condition;
}

}  // namespace

Result<void> check_members(const Json& object, std::span<const std::string_view> known,
                           const std::string& at) {
  if (!object.is_object()) return bad("must be a mapping", at);
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    return bad(with_suggestion("unknown key '" + key + "'", key, known),
               at + "/" + pointer_escape(key));
  }
  return {};
}

std::vector<std::string_view> verb_names() {
  std::vector<std::string_view> names;
  for (const auto& form : kForms) names.push_back(form.name);
  return names;
}

Result<void> check_resolved(VerbKind kind, const Json& arguments) {
  const auto form = std::ranges::find(kForms, kind, &VerbForm::kind);
  PLUMB_ASSERT(form != kForms.end());
  for (const Member& member : members_of(*form)) {
    const auto found = arguments.find(std::string(member.name));
    if (found == arguments.end() || has_shape(*found, member.shape)) continue;
    return fail(ErrorCode::rejected,
                "'" + std::string(member.name) + "' of '" + std::string(form->name) + "' must be " +
                    std::string(shape_name(member.shape)) + ", not " + dump_json(*found));
  }
  return {};
}

Result<Program> compile_program(const Json& steps, ScriptPlace place, const std::string& at) {
  if (!steps.is_array()) return bad("must be a list of verbs", at);
  Program program;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string step_at = at + "/" + std::to_string(i);
    const Json& step = steps[i];
    if (step.is_string()) {
      PLUMB_TRY(Verb verb, compile_verb(step.get<std::string>(), Json(nullptr), place, step_at));
      program.push_back(std::move(verb));
      continue;
    }
    if (!step.is_object() || step.size() != 1) {
      return bad("must be one verb with its argument", step_at);
    }
    const auto only = step.begin();
    PLUMB_TRY(Verb verb, compile_verb(only.key(), only.value(), place,
                                      step_at + "/" + pointer_escape(only.key())));
    program.push_back(std::move(verb));
  }
  return program;
}

Result<HandlerScript> compile_handler(const Json& handler, std::string event,
                                      const std::string& at) {
  static constexpr std::array<std::string_view, 3> kKeys = {"id", "when", "do"};
  const auto checked = check_members(handler, kKeys, at);
  if (!checked) return std::unexpected(checked.error());
  HandlerScript script;
  script.event = std::move(event);
  if (handler.contains("id")) {
    if (!handler["id"].is_string()) return bad("'id' must be a text", at + "/id");
    script.id = handler["id"].get<std::string>();
  }
  if (handler.contains("when")) {
    PLUMB_TRY(script.when, compile_condition(handler["when"], at + "/when"));
  }
  if (!handler.contains("do")) return bad("a handler needs 'do'", at);
  PLUMB_TRY(script.body, compile_program(handler["do"], ScriptPlace::handler, at + "/do"));
  return script;
}

}  // namespace plumb::engine
