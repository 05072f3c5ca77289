// SPDX-License-Identifier: Apache-2.0
// Commands of extensions: /NAME ARGUMENTS in place of a prompt.
#include <algorithm>
#include <utility>

#include "engine/extensions/guarded_call.h"
#include "engine/extensions/runner.h"

namespace plumb::engine {

namespace {

/// {name, arguments} of /NAME ARGUMENTS.
std::pair<std::string, std::string> split_command(const std::string& prompt) {
  const auto end = prompt.find(' ');
  if (end == std::string::npos) return {prompt.substr(1), ""};
  return {prompt.substr(1, end - 1), prompt.substr(end + 1)};
}

}  // namespace

Result<void> ExtensionRunner::add_command(std::int64_t extension, std::string name,
                                          std::string description, CommandHandler handler) {
  const Extension& owner = *extensions_[static_cast<std::size_t>(extension)];
  if (owner.phase == Phase::dead) return dead_error(owner);
  mark_.write();
  record_registration(owner.source.path, "command", name);
  // Again by the same extension: the later one counts.
  std::erase_if(commands_, [&](const Command& command) {
    return command.extension == extension && command.name == name;
  });
  commands_.push_back({extension, std::move(name), std::move(description),
                       std::make_shared<const CommandHandler>(std::move(handler))});
  return {};
}

std::vector<std::pair<std::string, const ExtensionRunner::Command*>>
ExtensionRunner::named_commands() const {
  std::vector<std::pair<std::string, const Command*>> named;
  for (const Command& command : commands_) {
    const Extension& owner = *extensions_[static_cast<std::size_t>(command.extension)];
    if (owner.phase == Phase::live) named.emplace_back(command.name, &command);
  }
  // Registered later is not loaded later.
  std::ranges::stable_sort(named, {}, [](const auto& one) { return one.second->extension; });
  for (auto& [name, command] : named) {
    const auto& all = commands_;
    if (std::ranges::count(all, command->name, &Command::name) < 2) continue;
    std::int64_t number = 0;
    for (const auto& [other_name, other] : named) {
      if (other->name == command->name) ++number;
      if (other == command) break;
    }
    name = command->name + ":" + std::to_string(number);
  }
  return named;
}

Json ExtensionRunner::commands() const {
  mark_.read();
  Json list = Json::array();
  for (const auto& [name, command] : named_commands()) {
    list.push_back(Json{{"name", name}, {"description", command->description}});
  }
  return list;
}

Task<bool> ExtensionRunner::command(std::string prompt) {
  if (!prompt.starts_with('/')) co_return false;
  mark_.read();
  const auto [name, arguments] = split_command(prompt);
  const auto named = named_commands();
  const auto found = std::ranges::find(named, name, &std::pair<std::string, const Command*>::first);
  if (found == named.end()) co_return false;
  const std::string path = path_of(found->second->extension);
  Notify event;
  event.by = path;
  event.topic = "command";
  event.data = SharedJson(Json{{"name", name}, {"arguments", arguments}});
  recorder_.record(Source::engine, std::move(event));
  const HandlerResult result = co_await call_guarded(found->second->handler, arguments);
  if (!result) report(path, "command", result.error().message);
  co_return true;
}

}  // namespace plumb::engine
