// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/host_choices.h"

#include <utility>

#include "simulator/subjects/session_world.h"

namespace plumb::simulator {
namespace {

Json shell_choices(const ShellSettings& shell) {
  return Json{{"prefix", shell.prefix},
              {"session_variables", shell.exposes_session},
              {"remote", shell.is_remote},
              {"has_hook", shell.hook.has_value()}};
}

Json limits_json(const PictureLimitsScript& limits) {
  Json json = Json::object();
  if (limits.width) json["width"] = *limits.width;
  if (limits.height) json["height"] = *limits.height;
  return json;
}

/// What the host knows of models, and the read tool's own limits.
void add_picture_choices(const Settings& settings, Json& chosen) {
  if (settings.pictures) chosen["pictures"] = limits_json(*settings.pictures);
  for (const auto& [name, model] : settings.models) {
    Json& told = chosen["models"][name];
    told["takes_pictures"] = model.takes_pictures;
    if (model.pictures) told["pictures"] = limits_json(*model.pictures);
  }
}

/// Names of what the engine's own extensions register, by path: these give way to others.
Json replaceable_names(const Scenario& scenario) {
  Json all = Json::object();
  for (const auto& script : scenario.extensions) {
    if (!script.definition.is_object() || !script.definition.value("builtin", false)) continue;
    Json& names = all[script.path];
    names = Json{{"tool", Json::array()}, {"command", Json::array()}, {"flag", Json::array()}};
    for (const Json& tool : script.definition.value("tools", Json::array())) {
      names["tool"].push_back(tool["name"]);
    }
    for (const Json& command : script.definition.value("commands", Json::array())) {
      names["command"].push_back(command["name"]);
    }
    const Json flags = script.definition.value("flags", Json::object());
    for (const auto& flag : flags.items()) {
      names["flag"].push_back(flag.key());
    }
  }
  return all;
}

}  // namespace

Json host_choices(const Scenario& scenario) {
  const ToolSettings& tools = scenario.tools;
  Json chosen = Json::object();
  if (tools.active) chosen["active"] = *tools.active;
  if (tools.allow) chosen["allow"] = *tools.allow;
  if (!tools.exclude.empty()) chosen["exclude"] = tools.exclude;
  Json given = Json::array();
  for (const auto& script : scenario.extensions) given.push_back(script.path);
  Json subscribed = Json::object();
  for (const auto& script : scenario.extensions) {
    // What a hosted extension listens to shows when it registers.
    if (!script.hosted.empty()) continue;
    Json& events = subscribed[script.path];
    events = Json::object();
    const Json handlers = script.definition.value("on", Json::object());
    for (const auto& [event, list] : handlers.items()) events[event] = list.size();
  }
  Json settings{{"execution", scenario.settings.execution},
                {"steering", scenario.settings.steering},
                {"follow_up", scenario.settings.follow_up},
                {"has_ui", scenario.settings.has_ui},
                {"model", scenario.settings.model}};
  if (scenario.settings.cwd != ".") settings["cwd"] = scenario.settings.cwd;
  if (scenario.settings.turns_max) settings["turns_max"] = *scenario.settings.turns_max;
  if (!scenario.settings.secrets.empty()) settings["secrets"] = scenario.settings.secrets;
  if (scenario.settings.shell != ShellSettings())
    settings["shell"] = shell_choices(scenario.settings.shell);
  if (const auto& host = scenario.settings.operations; host != OperationSettings()) {
    settings["operations"] = Json{{"read", host.read.has_value()}, {"write", host.writes}};
  }
  add_picture_choices(scenario.settings, settings);
  Json prompt = Json::object();
  if (scenario.settings.system) prompt["custom"] = *scenario.settings.system;
  if (!scenario.settings.append_system.empty()) {
    prompt["appended"] = scenario.settings.append_system;
  }
  Json told{{"workspace", kWorkspace},        {"settings", std::move(settings)},
            {"tools", std::move(chosen)},     {"prompt", std::move(prompt)},
            {"extensions", std::move(given)}, {"subscriptions", std::move(subscribed)}};
  Json replaceable = replaceable_names(scenario);
  if (!replaceable.empty()) told["replaceable"] = std::move(replaceable);
  for (const auto& answer : scenario.ui) told["answers"].push_back(answer.answer);
  return told;
}

}  // namespace plumb::simulator
