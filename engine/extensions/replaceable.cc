// SPDX-License-Identifier: Apache-2.0
// What several extensions register under one name: flags, and built-in extensions that another one
// replaces as a whole.
#include <algorithm>
#include <utility>

#include "engine/extensions/runner.h"

namespace plumb::engine {

Result<void> ExtensionRunner::add_flag(std::int64_t extension, std::string name, Json value) {
  const Extension& owner = *extensions_[static_cast<std::size_t>(extension)];
  if (owner.phase == Phase::dead) return dead_error(owner);
  mark_.write();
  record_registration(owner.source.path, "flag", name);
  const auto first = std::ranges::find(flags_, name, &Flag::name);
  if (first != flags_.end()) {
    diagnose("flag_clash", owner.source.path, {first->extension, "flag", name});
  }
  flags_.push_back({extension, std::move(name), std::move(value)});
  return {};
}

Json ExtensionRunner::flags() const {
  mark_.read();
  Json values = Json::object();
  for (const Flag& flag : flags_) {
    if (!values.contains(flag.name)) values[flag.name] = flag.value;
  }
  return values;
}

void ExtensionRunner::diagnose(std::string code, const std::string& blamed,
                               const NamedPart& clash) {
  plumb::Diagnostic event;
  event.code = std::move(code);
  event.path = blamed;
  event.owner = path_of(clash.extension);
  if (clash.what == "tool") event.tool = clash.name;
  event.message = "'" + blamed + "' is passed over: '" + event.owner + "' registers the " +
                  std::string(clash.what) + " '" + clash.name + "', too";
  recorder_.record(Source::probe, std::move(event));
}

std::vector<ExtensionRunner::NamedPart> ExtensionRunner::named_parts(std::int64_t extension) const {
  std::vector<NamedPart> parts;
  for (const NamedPart& tool : tools_) {
    if (tool.extension == extension) parts.push_back(tool);
  }
  for (const Command& command : commands_) {
    if (command.extension == extension) parts.push_back({extension, "command", command.name});
  }
  for (const Flag& flag : flags_) {
    if (flag.extension == extension) parts.push_back({extension, "flag", flag.name});
  }
  return parts;
}

bool ExtensionRunner::is_replaced(std::int64_t builtin, std::int64_t first) {
  const auto own = named_parts(builtin);
  for (std::int64_t other = first; other < std::ssize(extensions_); ++other) {
    const Extension& rival = *extensions_[static_cast<std::size_t>(other)];
    if (other == builtin || rival.is_replaceable || rival.phase != Phase::live) continue;
    for (const NamedPart& part : named_parts(other)) {
      const bool clashes = std::ranges::any_of(own, [&](const NamedPart& one) {
        return policies_.session.parts_clash(one.what, part.what) && one.name == part.name;
      });
      if (!clashes) continue;
      if (policies_.session.replacement_is_told()) {
        diagnose("builtin_replaced", path_of(builtin), part);
      }
      return true;
    }
  }
  return false;
}

void ExtensionRunner::settle_replaceable(std::int64_t first) {
  for (std::int64_t number = first; number < std::ssize(extensions_); ++number) {
    Extension& extension = *extensions_[static_cast<std::size_t>(number)];
    if (!extension.is_replaceable || extension.phase != Phase::live) continue;
    if (is_replaced(number, first) && policies_.session.replaced_builtin_is_left_out()) {
      extension.phase = Phase::dead;
      extension.pending_tools.clear();
      take_back(number);
    } else {
      register_pending(extension);
    }
  }
}

void ExtensionRunner::take_back(std::int64_t extension) {
  const auto is_own = [extension](const auto& one) { return one.extension == extension; };
  const bool had_ended = extensions_[static_cast<std::size_t>(extension)]->is_replaceable;
  for (const Registration& registration : registrations_) {
    if (!is_own(registration) || !had_ended) continue;
    Notify event;
    event.by = path_of(extension);
    event.topic = "registration_removed";
    recorder_.record(Source::probe, std::move(event), "", registration.seq);
  }
  std::erase_if(registrations_, is_own);
  std::erase_if(commands_, is_own);
  std::erase_if(flags_, is_own);
  std::erase_if(tools_, is_own);
}

}  // namespace plumb::engine
