// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/event_log.h"

#include <algorithm>
#include <utility>

namespace plumb::simulator {
namespace {

std::string_view kind_of_event(std::string_view event) {
  event.remove_prefix(event.find(':') + 1);
  return event.substr(0, event.find(':'));
}

}  // namespace

void EventLog::add(const std::string& event) {
  events_.push_back(event);
  if (const auto found = waited_.find(event); found != waited_.end()) found->second->set();
  const auto found = listeners_.find(event);
  if (found == listeners_.end()) return;
  const auto acts = std::move(found->second);
  listeners_.erase(found);
  for (const auto& act : acts) act();
}

void EventLog::on(const std::string& event, std::function<void()> act) {
  listeners_[event].push_back(std::move(act));
}

engine::Event& EventLog::happened(const std::string& event) {
  auto& slot = waited_[event];
  if (slot == nullptr) {
    slot = std::make_unique<engine::Event>(loop_, event);
    if (first(event) >= 0) slot->set();
  }
  return *slot;
}

std::vector<std::string> EventLog::of_kinds(const std::vector<std::string>& kinds) const {
  std::vector<std::string> found;
  std::ranges::copy_if(events_, std::back_inserter(found), [&](const std::string& event) {
    return std::ranges::find(kinds, kind_of_event(event)) != kinds.end();
  });
  return found;
}

std::int64_t EventLog::first(std::string_view event) const {
  const auto found = std::ranges::find(events_, event);
  return found == events_.end() ? -1 : found - events_.begin();
}

}  // namespace plumb::simulator
