// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/trace/event.h"
#include "engine/values/json_members.h"
#include "engine/values/json_schema.h"
#include "engine/values/suggest.h"
#include "simulator/script/words.h"
#include "simulator/subjects/external/adapter_schema.h"

namespace plumb::simulator {
namespace {

constexpr std::string_view kAdapterPrefix = "from_";
constexpr std::string_view kEventPrefix = "from_event_";

constexpr std::array<std::string_view, 6> kTypes{"hello", "event", "ui", "done", "error", "log"};

using Schemas = std::map<std::string, JsonSchema, std::less<>>;

/// What messages are made of: definitions that are no message.
bool is_part(std::string_view name) {
  return !name.starts_with("to_") && !name.starts_with(kAdapterPrefix);
}

/// Each message by itself, so that what is wrong is said of the message that was meant.
Schemas compile_messages() {
  Json parts = Json::object();
  for (const auto& [name, part] : adapter_schema().at("$defs").items()) {
    if (is_part(name)) parts[name] = part;
  }
  Schemas schemas;
  for (const auto& [name, message] : adapter_schema().at("$defs").items()) {
    if (!name.starts_with(kAdapterPrefix) || name == "from_adapter") continue;
    Json whole = message;
    whole["$defs"] = parts;
    auto compiled = compile_schema(whole);
    PLUMB_ASSERT(compiled.has_value());
    schemas.emplace(name, *std::move(compiled));
  }
  return schemas;
}

const Schemas& message_schemas() {
  static const Schemas schemas = compile_messages();
  return schemas;
}

std::vector<std::string_view> adapter_kinds() {
  std::vector<std::string_view> kinds;
  for (const auto& [name, schema] : message_schemas()) {
    const std::string_view whole = name;
    if (whole.starts_with(kEventPrefix)) kinds.push_back(whole.substr(kEventPrefix.size()));
  }
  return kinds;
}

std::unexpected<Error> broken(std::string message) {
  return fail(ErrorCode::protocol, std::move(message));
}

Result<std::string> definition_of_event(const Json& message) {
  const auto kind = text_at(message, "kind");
  std::string name = std::string(kEventPrefix) + kind;
  if (message_schemas().contains(name)) return name;
  if (std::ranges::find(kEventKinds, kind) != kEventKinds.end()) {
    return broken("only the harness itself reports '" + kind + "'");
  }
  const auto kinds = adapter_kinds();
  return broken("unknown kind of event " + in_quotes(kind) + suggestion_for(kind, kinds));
}

/// "data.turn", or the message itself.
std::string member_of(const SchemaError& error) {
  std::string path = error.path.empty() ? "" : error.path.substr(1);
  std::ranges::replace(path, '/', '.');
  return path.empty() ? "the message" : in_quotes(path);
}

}  // namespace

Result<std::string> definition_of(const Json& message) {
  if (!message.is_object()) return broken("a message must be a JSON object");
  const auto type = text_at(message, "type");
  if (std::ranges::find(kTypes, type) == kTypes.end()) {
    return broken("unknown type of message " + in_quotes(type) + suggestion_for(type, kTypes));
  }
  if (type == "event") return definition_of_event(message);
  if (type == "ui")
    return std::string(message.contains("closed") ? "from_ui_closed" : "from_ui_open");
  return std::string(kAdapterPrefix) + type;
}

Result<void> check_adapter_message(const Json& message) {
  PLUMB_TRY(const auto name, definition_of(message));
  const auto errors = message_schemas().find(name)->second.validate(message);
  if (errors.empty()) return {};
  return broken("in '" + text_at(message, "type") + "': " + member_of(errors.front()) + " " +
                errors.front().message);
}

}  // namespace plumb::simulator
