// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/start_message.h"

#include <algorithm>
#include <utility>

#include "engine/kernel/user_process.h"
#include "simulator/subjects/external/live_kinds.h"
#include "simulator/subjects/step_driver.h"

namespace plumb::simulator {
namespace {

/// What would really pass on a live subject's clock.
constexpr std::int64_t kLiveDelayMsMax = 5'000;
constexpr std::int64_t kOwnerMayReadAndWrite = 0600;

template <class T>
void set_changed(Json& json, const char* name, const T& value, const T& unchanged) {
  if (value != unchanged) json[name] = value;
}

Json limits_of(const PictureLimitsScript& limits) {
  Json json = Json::object();
  if (limits.width) json["width"] = *limits.width;
  if (limits.height) json["height"] = *limits.height;
  return json;
}

Json hook_json(const ShellHookScript& hook) {
  Json json = Json::object();
  if (hook.command) json["command"] = *hook.command;
  if (hook.cwd) json["cwd"] = *hook.cwd;
  for (const auto& [name, value] : hook.environment) json["environment"][name] = value;
  if (!hook.throws.empty()) json["throw"] = hook.throws;
  return json;
}

Json shell_json(const ShellSettings& shell) {
  const ShellSettings plain;
  Json json = Json::object();
  set_changed(json, "prefix", shell.prefix, plain.prefix);
  set_changed(json, "session_variables", shell.exposes_session, plain.exposes_session);
  set_changed(json, "remote", shell.is_remote, plain.is_remote);
  set_changed(json, "late_output", shell.late_output, plain.late_output);
  if (shell.hook) json["hook"] = hook_json(*shell.hook);
  return json;
}

Json operations_json(const OperationSettings& operations) {
  Json json = Json::object();
  if (operations.read) json["read"] = Json::object();
  for (const auto& file : operations.read.value_or(std::vector<FileScript>())) {
    json["read"][file.path] = file.bytes;
  }
  if (operations.streams) json["streams"] = true;
  if (operations.writes) json["write"] = true;
  return json;
}

Json models_json(const Settings& settings) {
  Json json = Json::object();
  for (const auto& [name, model] : settings.models) {
    Json& told = json[name];
    told["takes_pictures"] = model.takes_pictures;
    if (model.pictures) told["pictures"] = limits_of(*model.pictures);
  }
  return json;
}

Json configure_json(const ConfigureStep& change) {
  Json json = Json::object();
  if (change.active) json["active"] = *change.active;
  if (change.model) json["model"] = *change.model;
  if (change.thinking) json["thinking"] = *change.thinking;
  if (change.execution) json["execution"] = *change.execution;
  if (change.steering) json["steering"] = *change.steering;
  if (change.follow_up) json["follow_up"] = *change.follow_up;
  if (change.has_ui) json["ui"] = *change.has_ui;
  return json;
}

struct StepMembers {
  Json operator()(const InputStep& step) const { return Json{{"text", step.text}}; }
  Json operator()(const NavigateStep& step) const { return Json{{"to", step.to}}; }
  Json operator()(const ForkStep& step) const { return Json{{"at", step.at}}; }
  Json operator()(const ConfigureStep& step) const { return configure_json(step); }
  Json operator()(const InstallStep& step) const {
    return Json{{"extension", step.extension.definition}};
  }
  Json operator()(const UninstallStep& step) const { return Json{{"name", step.name}}; }
  Json operator()(const AbortStep&) const { return Json::object(); }
  Json operator()(const ReloadStep&) const { return Json::object(); }
  Json operator()(const NewSessionStep&) const { return Json::object(); }
  Json operator()(const auto&) const { return Json(); }
};

bool is_in(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// The longest `delay` or `sleep` that a definition's verbs ask for.
std::int64_t longest_delay(const Json& value) {
  std::int64_t longest = 0;
  if (!value.is_structured()) return longest;
  for (const auto& [name, member] : value.items()) {
    const bool is_delay = value.is_object() && (name == "delay" || name == "sleep");
    if (is_delay && member.is_number_integer()) {
      longest = std::max(longest, member.get<std::int64_t>());
    }
    longest = std::max(longest, longest_delay(member));
  }
  return longest;
}

std::int64_t delay_of(const Step& step) {
  if (const auto* wait = std::get_if<WaitStep>(&step.action)) return wait->ms;
  const auto* reply = std::get_if<ModelStep>(&step.action);
  return reply == nullptr ? 0 : std::max(reply->delay_ms, reply->delta_delay_ms);
}

std::int64_t longest_delay(const Scenario& scenario) {
  std::int64_t longest = scenario.settings.retries > 0 ? scenario.settings.retry_delay_ms : 0;
  for (const auto& step : scenario.steps) longest = std::max(longest, delay_of(step));
  for (const auto& answer : scenario.ui) longest = std::max(longest, answer.delay_ms);
  for (const auto& one : scenario.extensions) {
    longest = std::max(longest, longest_delay(one.definition));
  }
  for (const auto& tool : scenario.tools.sdk) longest = std::max(longest, longest_delay(tool));
  return longest;
}

bool closes_files(const Scenario& scenario) {
  return std::ranges::any_of(scenario.files, [](const FileScript& file) {
    return file.mode && (*file.mode & kOwnerMayReadAndWrite) != kOwnerMayReadAndWrite;
  });
}

bool is_root() {
  constexpr std::int64_t kSomebodyElse = 65'534;
  return engine::may_run_as(kSomebodyElse);
}

/// Names of steps that the subject must know: those that are not the harness's own.
std::string missing_step(const Scenario& scenario, const AdapterHello& hello) {
  for (const auto& step : scenario.steps) {
    const std::string name(name_of(step));
    const bool is_resume = std::holds_alternative<ResumeStep>(step.action);
    if (step_json(step).is_null() && !is_resume) continue;
    if (!is_in(hello.steps, name)) return name;
  }
  return "";
}

/// A kind that something in the script waits for and the subject does not show.
std::string missing_kind(const Scenario& scenario, const AdapterHello& hello) {
  for (const auto& step : scenario.steps) {
    const auto* reply = std::get_if<ModelStep>(&step.action);
    const Trigger& trigger = reply != nullptr ? reply->until : trigger_of(step);
    if (trigger.text.empty() || is_harness_kind(trigger.pattern.kind)) continue;
    if (!is_in(hello.emits, trigger.pattern.kind)) return trigger.text;
  }
  return "";
}

}  // namespace

Json settings_json(const Settings& settings) {
  const Settings plain;
  Json json = Json::object();
  set_changed(json, "execution", settings.execution, plain.execution);
  set_changed(json, "steering", settings.steering, plain.steering);
  set_changed(json, "follow_up", settings.follow_up, plain.follow_up);
  set_changed(json, "ui", settings.has_ui, plain.has_ui);
  set_changed(json, "session", settings.has_session, plain.has_session);
  set_changed(json, "trust", settings.is_trusted, plain.is_trusted);
  set_changed(json, "thinking", settings.thinking, plain.thinking);
  if (settings.system) json["system"] = *settings.system;
  set_changed(json, "append_system", settings.append_system, plain.append_system);
  set_changed(json, "cwd", settings.cwd, plain.cwd);
  set_changed(json, "retries", settings.retries, plain.retries);
  set_changed(json, "retry_delay_ms", settings.retry_delay_ms, plain.retry_delay_ms);
  if (settings.turns_max) json["turns_max"] = *settings.turns_max;
  if (settings.failing_after_hook) json["failing_after_hook"] = *settings.failing_after_hook;
  set_changed(json, "secrets", settings.secrets, plain.secrets);
  if (settings.shell != plain.shell) json["shell"] = shell_json(settings.shell);
  if (settings.operations != plain.operations) {
    json["operations"] = operations_json(settings.operations);
  }
  if (settings.pictures) json["pictures"] = limits_of(*settings.pictures);
  if (!settings.models.empty()) json["models"] = models_json(settings);
  return json;
}

Json tools_json(const ToolSettings& tools) {
  Json json = Json::object();
  if (tools.active) json["active"] = *tools.active;
  if (tools.allow) json["allow"] = *tools.allow;
  if (!tools.exclude.empty()) json["exclude"] = tools.exclude;
  if (!tools.sdk.empty()) json["sdk"] = tools.sdk;
  return json;
}

Json step_json(const Step& step) {
  Json members = std::visit(StepMembers(), step.action);
  if (members.is_null()) return members;
  Json message{{"type", "step"}, {"id", 0}, {"step", name_of(step)}};
  for (const auto& [name, value] : members.items()) message[name] = value;
  return message;
}

std::vector<std::string> parts_of(const Scenario& scenario) {
  std::vector<std::string> parts;
  const Json settings = settings_json(scenario.settings);
  const Json tools = tools_json(scenario.tools);
  for (const auto& [name, value] : settings.items()) {
    parts.push_back("settings." + name);
  }
  for (const auto& [name, value] : tools.items()) {
    parts.push_back("tools." + name);
  }
  if (!scenario.extensions.empty()) parts.emplace_back("extensions");
  return parts;
}

std::string reason_against_live(const Scenario& scenario) {
  if (!scenario.faults.empty()) return "faults of the file port need a simulated world";
  if (!scenario.processes.empty()) return "scripted processes need a simulated world";
  const auto is_hosted = [](const ExtensionScript& one) { return !one.hosted.empty(); };
  if (std::ranges::any_of(scenario.extensions, is_hosted)) {
    return "its TypeScript extensions are hosted by the reference session";
  }
  if (closes_files(scenario) && is_root()) return "file modes do not bind the superuser";
  const auto delay = longest_delay(scenario);
  if (delay <= kLiveDelayMsMax) return "";
  return "a delay of " + std::to_string(delay) + " ms would really pass";
}

std::string reason_against_subject(const Scenario& scenario, const AdapterHello& hello) {
  if (auto reason = reason_against_live(scenario); !reason.empty()) return reason;
  for (const auto& part : parts_of(scenario)) {
    if (!is_in(hello.supports, part)) return "the subject does not support '" + part + "'";
  }
  if (const auto step = missing_step(scenario, hello); !step.empty()) {
    return "the subject has no step '" + step + "'";
  }
  const auto pattern = missing_kind(scenario, hello);
  if (pattern.empty()) return "";
  return "the script waits for '" + pattern + "', which the subject does not emit";
}

}  // namespace plumb::simulator
