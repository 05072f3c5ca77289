// SPDX-License-Identifier: Apache-2.0
#include "engine/session/transcript.h"

#include <utility>

#include "engine/values/json_members.h"

namespace plumb::engine {

std::string Transcript::add_message(MessagePtr message, SharedJson shown, std::string call) {
  const auto* answer = std::get_if<AssistantMessage>(message.get());
  if (answer == nullptr || policies_.answer_is_sent_again(answer->stop_reason)) {
    request_.push_back(SharedJson::lazy([message] { return to_request_json(*message); }));
  }
  messages_.push_back(std::move(message));
  return add("message", std::move(shown), std::move(call));
}

std::string Transcript::add_entry(std::string type, Json data) {
  return add(std::move(type), SharedJson(std::move(data)), "");
}

std::string Transcript::add(std::string type, SharedJson data, std::string call) {
  mark_.write();
  SessionEntry entry{"e" + std::to_string(entries_.size() + 1), std::move(type), std::move(data)};
  std::string id = entry.id;
  entries_.emplace_back(std::move(entry));
  recorder_.record(Source::probe, entries_.back(), std::move(call));
  return id;
}

bool Transcript::can_continue() const {
  mark_.read();
  return !request_.empty() && text_at(request_.back().get(), "role") != "assistant";
}

SharedJson Transcript::entries() const {
  mark_.read();
  Json list = Json::array();
  for (const auto& payload : entries_) {
    const auto& entry = *payload.as<SessionEntry>();
    Json shown = Json::object();
    shown["id"] = entry.id;
    shown["type"] = entry.type;
    shown[entry.type == "message" ? "message" : "data"] = entry.data.get();
    list.push_back(std::move(shown));
  }
  return SharedJson(std::move(list));
}

}  // namespace plumb::engine
