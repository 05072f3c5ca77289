// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/pi_records.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/suggest.h"

namespace plumb::simulator {
namespace {

/// `name`: a text that is not empty.
enum class MemberType : std::uint8_t { text, name, flag, object, list, time };

struct RecordMember {
  std::string_view name;
  MemberType type = MemberType::text;
  bool is_optional = false;
};

struct RecordType {
  std::string_view name;
  std::array<RecordMember, 5> members{};
};

constexpr RecordMember kCallMember{"toolCallId", MemberType::name};
constexpr RecordMember kToolMember{"toolName"};
constexpr RecordMember kArgsMember{"args", MemberType::object};
constexpr RecordMember kMessageMember{"message", MemberType::object};
constexpr RecordMember kParentMember{"parentToolCallId", MemberType::name, true};

constexpr std::array<RecordType, 23> kRecordTypes = {{
    {"agent_start", {}},
    {"turn_start", {}},
    {"message_start", {kMessageMember}},
    {"message_update", {RecordMember{"assistantMessageEvent", MemberType::object}}},
    {"message_end", {kMessageMember}},
    {"tool_execution_start", {kCallMember, kToolMember, kArgsMember, kParentMember}},
    {"tool_execution_update",
     {kCallMember, kToolMember, kArgsMember, RecordMember{"partialResult", MemberType::object}}},
    {"tool_execution_end",
     {kCallMember, kToolMember, RecordMember{"result", MemberType::object},
      RecordMember{"isError", MemberType::flag}, kParentMember}},
    {"turn_end", {kMessageMember, RecordMember{"toolResults", MemberType::list}}},
    {"agent_end",
     {RecordMember{"messages", MemberType::list}, RecordMember{"willRetry", MemberType::flag}}},
    {"agent_settled", {RecordMember{"aborted", MemberType::flag}}},
    {"extension_error",
     {RecordMember{"extensionPath"}, RecordMember{"event"}, RecordMember{"error"}}},
    {"extension_ui_request",
     {RecordMember{"id", MemberType::name}, RecordMember{"method", MemberType::name}}},
    {"entry_appended", {RecordMember{"entry", MemberType::object}}},
    {"response",
     {RecordMember{"command", MemberType::name}, RecordMember{"success", MemberType::flag}}},
    // Known, and without a rule that reads them.
    {"queue_update", {}},
    {"session_info_changed", {}},
    {"thinking_level_changed", {}},
    {"compaction_start", {}},
    {"compaction_end", {}},
    {"auto_retry_start", {}},
    {"auto_retry_end", {}},
    {"bash_execution_update", {}},
}};

std::unexpected<Error> bad_member(std::string message) {
  return fail(ErrorCode::invalid, std::move(message));
}

bool has_member_type(const Json& value, MemberType type) {
  switch (type) {
    case MemberType::text:
      return value.is_string();
    case MemberType::name:
      return value.is_string() && !value.get_ref<const std::string&>().empty();
    case MemberType::flag:
      return value.is_boolean();
    case MemberType::object:
      return value.is_object();
    case MemberType::list:
      return value.is_array();
    case MemberType::time:
      return value.is_number_integer() && value.get<std::int64_t>() >= 0;
  }
  return false;
}

std::string_view name_of_type(MemberType type) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "a text", "a text with content",  "true or false", "an object",
      "a list", "a whole number from 0"};
  return kNames[static_cast<std::size_t>(type)];
}

/// `of`: what the member belongs to, as messages name it.
Result<void> check_member(const Json& json, const RecordMember& member, const std::string& of) {
  const auto found = json.find(std::string(member.name));
  if (found == json.end()) {
    if (member.is_optional) return {};
    return bad_member(of + " must have '" + std::string(member.name) + "'");
  }
  if (has_member_type(*found, member.type)) return {};
  return bad_member("'" + std::string(member.name) + "' of " + of + " must be " +
                    std::string(name_of_type(member.type)));
}

Result<void> check_entries(const Json& list, const std::string& of) {
  for (const Json& entry : list) {
    if (!entry.is_object()) return bad_member("each entry of " + of + " must be an object");
  }
  return {};
}

/// `is_whole`: the message will not change any more.
Result<void> check_message(const Json& message, bool is_whole) {
  if (auto checked = check_member(message, {"role", MemberType::name}, "a message"); !checked)
    return checked;
  const auto role = message.at("role").get<std::string>();
  const std::string of = "a message of role '" + role + "'";
  std::vector<RecordMember> members;
  if (role == "toolResult") members = {kCallMember, {"isError", MemberType::flag}};
  if (role == "assistant") members.push_back({"content", MemberType::list});
  if (role == "assistant" && is_whole) members.push_back({"stopReason", MemberType::name});
  for (const auto& member : members) {
    if (auto checked = check_member(message, member, of); !checked) return checked;
  }
  if (!message.contains("content") || !message.at("content").is_array()) return {};
  return check_entries(message.at("content"), "'content'");
}

Result<void> check_tool_results(const Json& results) {
  if (auto checked = check_entries(results, "'toolResults'"); !checked) return checked;
  for (const Json& result : results) {
    if (auto checked = check_member(result, kCallMember, "a tool result"); !checked) return checked;
  }
  return {};
}

/// What the table of members cannot say.
Result<void> check_inside(const std::string& type, const Json& record) {
  if (type == "message_start") return check_message(record.at("message"), false);
  if (type == "message_end") return check_message(record.at("message"), true);
  if (type == "turn_end") return check_tool_results(record.at("toolResults"));
  if (type != "entry_appended") return {};
  for (const auto* member : {"id", "type"}) {
    if (auto checked = check_member(record.at("entry"), {member, MemberType::name}, "an entry");
        !checked) {
      return checked;
    }
  }
  return {};
}

std::unexpected<Error> unknown_type(const std::string& type) {
  std::vector<std::string_view> known;
  for (const auto& record : kRecordTypes) known.push_back(record.name);
  const auto hint = did_you_mean(type, known);
  return bad_member("unknown type '" + type + "' of a record of pi's RPC output" +
                    (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
}

}  // namespace

Result<void> check_pi_record(const Json& record) {
  const auto found = record.is_object() ? record.find("type") : record.end();
  if (!record.is_object() || found == record.end() || !found->is_string()) {
    return bad_member("a record of pi's RPC output must be an object with 'type'");
  }
  const auto type = found->get<std::string>();
  if (type.starts_with("summarization_retry_")) return {};
  const auto* known = std::ranges::find(kRecordTypes, type, &RecordType::name);
  if (known == kRecordTypes.end()) return unknown_type(type);
  const std::string of = type + " records";
  if (auto checked = check_member(record, {"t", MemberType::time, true}, of); !checked) {
    return checked;
  }
  for (const auto& member : known->members) {
    if (member.name.empty()) continue;
    if (auto checked = check_member(record, member, of); !checked) return checked;
  }
  return check_inside(type, record);
}

}  // namespace plumb::simulator
