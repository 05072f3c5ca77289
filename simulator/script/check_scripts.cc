// SPDX-License-Identifier: Apache-2.0
// Scripts: what waits in them, what could have no effect, and what their compiler refuses.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/kernel/installed.h"
#include "simulator/script/parse.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// Providers take no longer ones.
constexpr std::int64_t kToolNameMax = 128;

/// One verb where it stands. `event`: of the handler around it, or empty within a tool or a
/// factory.
struct VerbUse {
  std::string name;
  YamlView argument;
  Place place;
  std::string event;
};

/// A list of verbs, and the event of the handler around it.
struct VerbList {
  std::optional<YamlView> verbs;
  std::string event;
};

std::vector<VerbList> lists_of_question(const VerbUse& ask) {
  std::vector<VerbList> lists;
  for (const char* branch : {"yes", "no"}) lists.push_back({ask.argument.find(branch), ask.event});
  for (const auto& [answer, verbs] : members_of(ask.argument.find("answers"))) {
    lists.push_back({verbs, ask.event});
  }
  return lists;
}

/// The lists that stand within a verb.
std::vector<VerbList> lists_within(const VerbUse& verb) {
  const YamlView argument = verb.argument;
  if (verb.name == "later") return {{argument, verb.event}};
  if (verb.name == "in_turn") return {{argument.find("do"), verb.event}};
  if (verb.name == "add_handler") return {{argument.find("do"), Fields(argument).text("event")}};
  if (verb.name == "if") {
    return {{argument.find("then"), verb.event}, {argument.find("else"), verb.event}};
  }
  return verb.name == "ask" ? lists_of_question(verb) : std::vector<VerbList>();
}

/// Calls `visit` for each verb of a list, and for those within its verbs.
template <class Visit>
void walk_verbs(std::optional<YamlView> list, const std::string& event, const Visit& visit) {
  if (!list || !list->value->is_array()) return;
  for (std::int64_t i = 0; i < list->size(); ++i) {
    const YamlView step = list->element(i);
    if (step.value->is_string()) {
      visit(VerbUse{step.value->get<std::string>(), step, step.place(), event});
      continue;
    }
    for (const auto& [name, argument] : members_of(step)) {
      const VerbUse verb{name, argument, argument.key_place(), event};
      visit(verb);
      for (const VerbList& inner : lists_within(verb)) walk_verbs(inner.verbs, inner.event, visit);
    }
  }
}

template <class Visit>
void walk_tool(YamlView tool, const Visit& visit) {
  walk_verbs(tool.find("prepare"), "", visit);
  walk_verbs(tool.find("do"), "", visit);
}

template <class Visit>
void walk_extension(YamlView extension, const Visit& visit) {
  walk_verbs(extension.find("load"), "", visit);
  for (const YamlView& tool : Fields(extension).list("tools")) walk_tool(tool, visit);
  for (const YamlView& command : Fields(extension).list("commands")) {
    walk_verbs(command.find("do"), "", visit);
  }
  for (const auto& [event, handlers] : members_of(extension.find("on"))) {
    for (std::int64_t i = 0; i < handlers.size(); ++i) {
      walk_verbs(handlers.element(i).find("do"), event, visit);
    }
  }
}

/// Extensions of the scenario, those that steps install included.
std::vector<YamlView> extensions_of(const Fields& root) {
  auto extensions = root.list("extensions");
  for (const YamlView& step : root.list("steps")) {
    for (const char* name : {"install", "replace"}) {
      if (const auto installed = step.find(name)) extensions.push_back(*installed);
    }
  }
  return extensions;
}

std::vector<YamlView> host_tools_of(const Fields& root) {
  return Fields(root.find("tools")).list("sdk");
}

/// Handlers of an extension: (event, handler), those that its verbs add included.
std::vector<std::pair<std::string, YamlView>> handlers_of(YamlView extension) {
  std::vector<std::pair<std::string, YamlView>> handlers;
  for (const auto& [event, list] : members_of(extension.find("on"))) {
    for (std::int64_t i = 0; i < list.size(); ++i) handlers.emplace_back(event, list.element(i));
  }
  walk_extension(extension, [&handlers](const VerbUse& verb) {
    if (verb.name != "add_handler") return;
    handlers.emplace_back(Fields(verb.argument).text("event"), verb.argument);
  });
  return handlers;
}

void check_handlers(const std::vector<std::pair<std::string, YamlView>>& handlers,
                    const NamedPlaces& calls, ErrorList& errors) {
  for (const auto& [event, handler] : handlers) {
    const auto when = handler.find("when");
    const auto call = when ? when->find("call") : std::nullopt;
    if (!call) continue;
    const auto& id = call->value->get_ref<const std::string&>();
    if (calls.contains(outermost(id))) continue;
    errors.add(call->place(),
               "handler of unknown call " + in_quotes(id) + advice(id, names_of(calls)));
  }
}

std::string shown(const Json& value) {
  if (value.is_array()) return "a list";
  return value.is_string() ? "a text" : dump_json(value);
}

/// Tools that no registry looks at, or that are meant to be right: the host's own, and definitions
/// alone. What an extension registers may be wrong on purpose.
void check_sound_tool(YamlView tool, const std::string& noun, ErrorList& errors) {
  const auto name = tool.find("name");
  const std::int64_t length = std::ssize(name->value->get_ref<const std::string&>());
  if (length == 0 || length > kToolNameMax) {
    errors.add(name->place(), "name of " + noun + " has " + std::to_string(length) +
                                  " bytes, expected 1 to " + std::to_string(kToolNameMax));
  }
  const auto parameters = tool.find("parameters");
  if (!parameters || parameters->value->is_object() || parameters->value->is_boolean()) return;
  errors.add(parameters->place(), "'parameters' of " + noun + " is " + shown(*parameters->value) +
                                      ", expected a JSON Schema");
}

bool has_verbs(YamlView verb, std::string_view branch) {
  const auto verbs = verb.find(branch);
  return verbs && verbs->size() > 0;
}

void check_choice(const VerbUse& verb, ErrorList& errors) {
  if (verb.name == "later" && verb.argument.size() == 0) {
    errors.add(verb.place, "'later' has no effect, expected verbs");
  }
  if (verb.name != "if") return;
  if (has_verbs(verb.argument, "then") || has_verbs(verb.argument, "else")) return;
  errors.add(verb.place, "'if' has no effect, expected verbs in 'then' or 'else'");
}

/// A verb whose effect the event of its handler does not have.
void check_effect(const VerbUse& verb, ErrorList& errors) {
  if (verb.event.empty()) return;
  // Observers may try either, to show that it has no effect.
  const bool is_swapped = (verb.name == "block" && verb.event == "tool_result") ||
                          (verb.name == "patch" && verb.event == "tool_call");
  if (is_swapped) {
    errors.add(verb.place, in_quotes(verb.name) + " has no effect in a handler of " +
                               in_quotes(verb.event) + ", expected in one of " +
                               in_quotes(verb.name == "block" ? "tool_call" : "tool_result"));
  }
  const Json& value = *verb.argument.value;
  if (verb.name != "return" || value.is_object() || value.is_null()) return;
  errors.add(verb.argument.place(),
             "'return' of a handler is " + shown(value) + ", expected a map or null");
}

void check_extension_script(YamlView extension, const NamedPlaces& calls, ErrorList& errors) {
  const auto handlers = handlers_of(extension);
  check_handlers(handlers, calls, errors);
  NamedPlaces ids;
  for (const auto& [event, handler] : handlers) {
    if (const auto id = handler.find("id")) ids[id->value->get<std::string>()] = id->place();
  }
  walk_extension(extension, [&](const VerbUse& verb) {
    check_effect(verb, errors);
    check_choice(verb, errors);
    if (verb.name == "define") check_sound_tool(verb.argument, "a defined tool", errors);
    if (verb.name != "remove_handler") return;
    const auto& id = verb.argument.value->get_ref<const std::string&>();
    if (ids.contains(id)) return;
    errors.add(verb.argument.place(),
               "unknown handler " + in_quotes(id) + advice(id, names_of(ids)));
  });
}

/// The element or member that a token of a JSON Pointer names.
std::optional<YamlView> find_token(YamlView view, std::string token) {
  if (view.value->is_array()) {
    std::int64_t index = -1;
    std::from_chars(token.data(), token.data() + token.size(), index);
    if (index < 0 || index >= view.size()) return std::nullopt;
    return view.element(index);
  }
  for (std::size_t at = token.find("~1"); at != std::string::npos; at = token.find("~1")) {
    token.replace(at, 2, "/");
  }
  return view.find(token);
}

/// A file, or the closed set of verbs: what belongs to one has no effect on the other.
void check_kind(YamlView extension, ErrorList& errors) {
  const bool is_hosted = extension.find("hosted").has_value();
  if (!is_hosted && !extension.find("name")) {
    errors.add(extension.place(), "missing key 'name' or 'hosted' in an extension");
  }
  for (const char* key : {"load", "tools", "on", "commands", "flags", "builtin"}) {
    const auto found = is_hosted ? extension.find(key) : std::nullopt;
    if (!found) continue;
    errors.add(found->key_place(), "'" + std::string(key) + "' has no effect beside 'hosted'");
  }
  const auto fails = is_hosted ? std::nullopt : extension.find("fails");
  if (fails) errors.add(fails->key_place(), "'fails' has no effect without 'hosted'");
}

void check_hosted_file(YamlView extension, const std::string& scenario_file, ErrorList& errors) {
  const auto hosted = extension.find("hosted");
  const std::string file = hosted_file(scenario_file, hosted->value->get<std::string>());
  if (engine::is_there(file)) return;
  errors.add(hosted->place(), "hosted extension is not there: " + file);
}

/// Where a JSON Pointer leads, or as far as it leads; verbs are blamed at their name.
Place place_at(YamlView view, std::string_view pointer) {
  Place place = view.place();
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const auto end = pointer.find('/');
    const auto next = find_token(view, std::string(pointer.substr(0, end)));
    pointer = end == std::string_view::npos ? "" : pointer.substr(end);
    if (!next) return place;
    view = *next;
    place = view.key_place();
  }
  return place;
}

void compile_one(YamlView definition, bool is_tool, const DefinitionCheck& compiles,
                 ErrorList& errors) {
  const auto compiled = compiles(*definition.value, is_tool);
  if (compiled) return;
  errors.add(place_at(definition, compiled.error().where), compiled.error().message);
}

void add_waits_of_replies(const Fields& root, std::vector<WaitScript>& waits) {
  for (const char* part : {"steps", "faults"}) {
    for (const YamlView& entry : root.list(part)) {
      const auto model = entry.find("model");
      const auto until = (model ? *model : entry).find("until");
      if (until) waits.push_back({"event", until->value->get<std::string>(), until->place()});
    }
  }
}

}  // namespace

std::vector<WaitScript> parse_waits(const Fields& root) {
  std::vector<WaitScript> waits;
  const auto visit = [&waits](const VerbUse& verb) {
    if (verb.name == "ask") {
      waits.push_back({"ask", Fields(verb.argument).text("title"), verb.place});
    }
    if (verb.name == "wait_abort") waits.push_back({"abort", "", verb.place});
    const auto latch = verb.name == "latch" ? verb.argument.find("wait") : std::nullopt;
    if (latch) waits.push_back({"latch", latch->value->get<std::string>(), latch->place()});
  };
  for (const YamlView& tool : host_tools_of(root)) walk_tool(tool, visit);
  for (const YamlView& extension : extensions_of(root)) walk_extension(extension, visit);
  add_waits_of_replies(root, waits);
  for (const YamlView& answer : root.list("ui")) {
    if (const auto never = answer.find("never")) waits.push_back({"abort", "", never->key_place()});
  }
  return waits;
}

void check_scripts(const Fields& root, const NamedPlaces& calls, ErrorList& errors) {
  for (const YamlView& tool : host_tools_of(root)) {
    check_sound_tool(tool, "a tool of the host", errors);
    walk_tool(tool, [&errors](const VerbUse& verb) { check_choice(verb, errors); });
  }
  for (const YamlView& extension : extensions_of(root)) {
    check_kind(extension, errors);
    check_extension_script(extension, calls, errors);
  }
}

std::vector<Error> check_definitions(const YamlDocument& document,
                                     const DefinitionCheck& compiles) {
  const Fields root(document.view());
  ErrorList errors(document.file);
  for (const YamlView& tool : host_tools_of(root)) compile_one(tool, true, compiles, errors);
  for (const YamlView& extension : extensions_of(root)) {
    if (extension.find("hosted")) {
      check_hosted_file(extension, document.file, errors);
    } else if (extension.find("name")) {
      compile_one(extension, false, compiles, errors);
    }
  }
  return errors.take();
}

}  // namespace plumb::simulator
