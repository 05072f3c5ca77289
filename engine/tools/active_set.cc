// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/active_set.h"

#include <algorithm>
#include <utility>

#include "engine/tools/policies.h"

namespace plumb::engine {
namespace {

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!holds(names, name)) names.push_back(name);
}

/// An allow list declares what it names, whatever the tool's own wish (REG-16); but not what is
/// meant for other callers only.
bool is_declarable(const RegisteredTool& tool) {
  return tool.definition.exposure == Exposure::direct ||
         tool.definition.exposure == Exposure::model_only;
}

bool is_modifier(const std::string& name) {
  return name.starts_with('+') || name.starts_with('-');
}

RegisteredToolPtr find_by_name(const std::vector<RegisteredToolPtr>& tools, std::string_view name) {
  const auto found =
      std::ranges::find(tools, name, [](const auto& one) { return one->definition.name; });
  return found == tools.end() ? nullptr : *found;
}

}  // namespace

bool is_modifier_list(const std::vector<std::string>& names) {
  return !names.empty() && std::ranges::all_of(names, is_modifier);
}

Result<void> check_tool_list(const std::vector<std::string>& names) {
  if (std::ranges::none_of(names, is_modifier)) return {};
  if (!is_modifier_list(names)) {
    return fail(ErrorCode::invalid, "a list of tools mixes names with +name or -name");
  }
  const auto pattern =
      std::ranges::find_if(names, [](const auto& one) { return one.contains('*'); });
  if (pattern == names.end()) return {};
  return fail(ErrorCode::invalid, "'" + *pattern + "' must name one tool");
}

std::vector<std::string> default_active_tools() {
  return {"read", "bash", "edit", "write"};
}

RegisteredToolPtr find_active(const TurnTools& tools, std::string_view name) {
  return find_by_name(tools.active, name);
}

RegisteredToolPtr find_callable(const TurnTools& tools, std::string_view name) {
  auto tool = find_by_name(tools.registered, name);
  if (tool == nullptr) return nullptr;
  switch (tool->definition.exposure) {
    case Exposure::codemode:
    case Exposure::deferred:
      return tool;
    case Exposure::direct:
      return find_active(tools, name);
    case Exposure::model_only:
    case Exposure::hidden:
      break;
  }
  return nullptr;
}

void ActiveSet::start(ActiveOptions options) {
  mark_.write();
  options_ = std::move(options);
  is_started_ = true;
  std::vector<std::string> names;
  for (const auto& name : options_.initial.value_or(default_active_tools())) {
    if (selectable(name)) add_once(names, name);
  }
  for (const auto& tool : registry_.tools()) {
    if (options_.is_complete) break;
    const bool joins = registry_.has_allow_list() ? is_declarable(*tool)
                                                  : tool->level != Level::builtin &&
                                                        policies_.activates_on_registration(*tool);
    if (joins) add_once(names, tool->definition.name);
  }
  for (const auto& modifier : options_.modifiers) {
    const std::string name = modifier.substr(1);
    if (modifier.front() == '-') std::erase(names, name);
    if (modifier.front() == '+' && selectable(name)) add_once(names, name);
  }
  remember_known();
  replace(std::move(names), {}, "start");
}

void ActiveSet::refreshed() {
  if (!is_started_) return;
  mark_.write();
  std::vector<std::string> names;
  for (const auto& name : names_) {
    if (selectable(name)) names.push_back(name);
  }
  for (const auto& tool : registry_.tools()) {
    if (options_.is_complete) break;
    const bool joins = registry_.has_allow_list() ? is_declarable(*tool)
                                                  : policies_.activates_on_registration(*tool) &&
                                                        !holds(known_, tool->definition.name);
    if (joins) add_once(names, tool->definition.name);
  }
  remember_known();
  if (names != names_) replace(std::move(names), {}, "registration");
}

void ActiveSet::set(const std::vector<std::string>& names, std::string by) {
  mark_.write();
  std::vector<std::string> known;
  for (const auto& tool : registry_.tools()) {
    if (tool->definition.exposure != Exposure::hidden) known.push_back(tool->definition.name);
  }
  replace(policies_.arrange_active(names_, names, known), names, std::move(by));
}

TurnTools ActiveSet::snapshot() const {
  mark_.read();
  TurnTools turn;
  turn.registered = registry_.tools();
  for (const auto& name : names_) {
    if (auto tool = registry_.find(name)) turn.active.push_back(std::move(tool));
  }
  return turn;
}

bool ActiveSet::selectable(std::string_view name) const {
  const auto tool = registry_.find(name);
  return tool != nullptr && tool->definition.exposure != Exposure::hidden;
}

void ActiveSet::replace(std::vector<std::string> names, std::vector<std::string> requested,
                        std::string by) {
  plumb::ActiveSet event;
  event.before = names_;
  event.after = names;
  event.requested = std::move(requested);
  event.by = std::move(by);
  const bool has_changed = names != names_;
  names_ = std::move(names);
  recorder_.record(Source::probe, std::move(event));
  if (has_changed && listener_) listener_();
}

void ActiveSet::remember_known() {
  known_.clear();
  for (const auto& tool : registry_.tools()) {
    if (policies_.activates_on_registration(*tool)) known_.push_back(tool->definition.name);
  }
}

}  // namespace plumb::engine
