// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/event_fields.h"

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace plumb::engine {

namespace {

const Json* member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string text_member(const Json& object, const char* name) {
  const Json* found = member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

bool flag_member(const Json& object, const char* name) {
  const Json* found = member(object, name);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

void set_parent(Json& fields, const std::string& parent) {
  if (!parent.empty()) fields["parentToolCallId"] = parent;
}

Json start_fields(Json fields, const ToolExecutionStart& event) {
  fields["toolName"] = event.name;
  fields["args"] = event.args.get();
  set_parent(fields, event.parent);
  return fields;
}

Json update_fields(Json fields, const ToolExecutionUpdate& event) {
  fields["toolName"] = event.name;
  fields["args"] = event.args.get();
  fields["partialResult"] = event.partial.get();
  return fields;
}

Json end_fields(Json fields, const ToolExecutionEnd& event) {
  fields["toolName"] = event.name;
  fields["result"] = event.result.get();
  fields["isError"] = event.is_error;
  set_parent(fields, event.parent);
  return fields;
}

Result<void> replace_content(std::vector<ContentBlock>& content, const Json& replacement) {
  const Json* given = member(replacement, "content");
  if (given == nullptr) return {};
  PLUMB_TRY(content, parse_content(*given));
  return {};
}

}  // namespace

Json call_fields(const CallView& call) {
  Json fields = Json::object();
  fields["toolCallId"] = call.id;
  fields["toolName"] = call.name;
  set_parent(fields, call.parent);
  return fields;
}

Json result_fields(const CallView& call, const ToolResult& result) {
  Json fields = call_fields(call);
  fields["input"] = call.input ? *call.input : Json(nullptr);
  fields["content"] = to_json(result.content);
  if (!result.details.is_null()) fields["details"] = result.details.get();
  if (!result.structured_content.is_null()) {
    fields["structuredContent"] = result.structured_content.get();
  }
  fields["isError"] = result.is_error;
  if (!result.usage.is_null()) fields["usage"] = result.usage.get();
  return fields;
}

Json execution_fields(const std::string& call_id, const Payload& event) {
  Json fields = Json::object();
  fields["toolCallId"] = call_id;
  if (const auto* start = event.as<ToolExecutionStart>()) {
    return start_fields(std::move(fields), *start);
  }
  if (const auto* update = event.as<ToolExecutionUpdate>()) {
    return update_fields(std::move(fields), *update);
  }
  if (const auto* end = event.as<ToolExecutionEnd>()) {
    return end_fields(std::move(fields), *end);
  }
  return fields;
}

BeforeOutcome parse_block(const Json& returned) {
  BeforeOutcome outcome;
  outcome.verdict = BeforeVerdict::block;
  outcome.message = text_member(returned, "reason");
  outcome.terminate = flag_member(returned, "terminate");
  return outcome;
}

Result<ResultPatch> parse_patch(const Json& returned) {
  if (!returned.is_object()) return fail(ErrorCode::invalid, "a result patch must be an object");
  ResultPatch patch;
  if (const Json* content = member(returned, "content")) {
    PLUMB_TRY(patch.content, parse_content(*content));
  }
  if (const Json* details = member(returned, "details")) patch.details = SharedJson(*details);
  if (const Json* structured = member(returned, "structuredContent")) {
    patch.structured_content = SharedJson(*structured);
  }
  if (const Json* is_error = member(returned, "isError")) {
    if (!is_error->is_boolean()) return fail(ErrorCode::invalid, "isError must be a boolean");
    patch.is_error = is_error->get<bool>();
  }
  if (const Json* usage = member(returned, "usage")) patch.usage = SharedJson(*usage);
  return patch;
}

Result<CustomMessage> parse_custom_message(const Json& json) {
  CustomMessage message;
  message.custom_type = text_member(json, "customType");
  const Json* content = member(json, "content");
  if (content == nullptr) return fail(ErrorCode::invalid, "a custom message needs content");
  PLUMB_TRY(message.content, parse_content(*content));
  if (const Json* details = member(json, "details")) message.details = SharedJson(*details);
  return message;
}

Result<MessagePtr> replace_message(const Message& message, const Json& replacement) {
  const std::string role = text_member(replacement, "role");
  if (role != role_of(message)) {
    return fail(ErrorCode::rejected, "a replacement of a message must keep the role '" +
                                         std::string(role_of(message)) + "'");
  }
  Message replaced = message;
  const auto content_replaced = std::visit(
      [&](auto& kind) -> Result<void> {
        if constexpr (requires { kind.content; }) return replace_content(kind.content, replacement);
        return {};
      },
      replaced);
  if (!content_replaced) return std::unexpected(content_replaced.error());
  if (auto* result = std::get_if<ToolResultMessage>(&replaced)) {
    if (const Json* details = member(replacement, "details"))
      result->details = SharedJson(*details);
    if (member(replacement, "isError") != nullptr) {
      result->is_error = flag_member(replacement, "isError");
    }
  }
  return std::make_shared<const Message>(std::move(replaced));
}

Result<void> check_drafts(const Json& entries) {
  if (!entries.is_array()) return fail(ErrorCode::invalid, "entries must be a list");
  for (const Json& draft : entries) {
    const std::string type = text_member(draft, "type");
    if (type != "custom" && type != "custom_message") {
      return fail(ErrorCode::invalid, "unknown entry type '" + type + "'");
    }
    if (text_member(draft, "customType").empty()) {
      return fail(ErrorCode::invalid, "an entry needs a customType");
    }
    if (type == "custom") continue;
    const auto parsed = parse_custom_message(draft);
    if (!parsed) return std::unexpected(parsed.error());
  }
  return {};
}

}  // namespace plumb::engine
