// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/wire_request.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/values/json_members.h"
#include "engine/values/json_object.h"
#include "simulator/llm/wire/neutral_request.h"

namespace plumb::simulator {
namespace {

/// {name, description, parameters}, whatever the provider calls the schema.
engine::ToolDeclaration tool_of(const Json& declared) {
  engine::ToolDeclaration tool;
  tool.name = text_at(declared, "name");
  Json json = json_object("name", tool.name, "description", at(declared, "description"));
  const Json& schema = at(declared, "input_schema");
  json["parameters"] = schema.is_null() ? at(declared, "parameters") : schema;
  tool.json = SharedJson(std::move(json));
  return tool;
}

/// A tool that runs at the provider has no schema of its own.
bool is_hosted_tool(const Json& declared) {
  const auto type = view_at(declared, "type");
  return !type.empty() && type != "custom" && type != "function";
}

void add_block(engine::ModelRequest& request, std::vector<Json>& system, RequestBlock block) {
  switch (block.zone) {
    case Zone::system:
      system.push_back(block.body.get());
      break;
    case Zone::tools:
      if (!is_hosted_tool(block.body.get())) request.tools.push_back(tool_of(block.body.get()));
      break;
    case Zone::messages:
      request.messages.push_back(std::move(block.body));
      break;
  }
}

std::int64_t count_answers(const SharedJsonList& messages) {
  std::int64_t count = 0;
  bool follows_answer = false;
  for (const SharedJson& message : messages) {
    const bool is_answer = view_at(message.get(), "role") == "assistant";
    if (is_answer && !follows_answer) ++count;
    follows_answer = is_answer;
  }
  return count;
}

}  // namespace

Result<WireRequest> read_wire_request(Dialect dialect, const Json& body) {
  if (!body.is_object()) return fail(ErrorCode::invalid, "the request body is no JSON object");
  PLUMB_TRY(auto blocks, neutral_blocks(dialect, body));
  WireRequest wire;
  wire.model = text_at(body, "model");
  wire.is_stream = at(body, "stream") == Json(true);
  wire.includes_usage = at(at(body, "stream_options"), "include_usage") == Json(true);
  wire.request.model = wire.model;
  std::vector<Json> system;
  for (RequestBlock& block : blocks) add_block(wire.request, system, std::move(block));
  if (system.size() == 1) wire.request.system = SharedJson(std::move(system.front()));
  if (system.size() > 1) wire.request.system = SharedJson(Json(std::move(system)));
  wire.answers = count_answers(wire.request.messages);
  return wire;
}

std::span<const std::string_view> check_codes() {
  static constexpr auto kCodes = std::to_array<std::string_view>({
      "bad_arguments", "bad_call_id",    "bad_call_name",      "bad_content",    "bad_tool",
      "blank_text",    "duplicate_call", "duplicate_result",   "duplicate_tool", "early_result",
      "empty_calls",   "empty_content",  "empty_message",      "empty_messages", "first_assistant",
      "late_result",   "missing_key",    "missing_max_tokens", "missing_model",  "missing_result",
      "orphan_result", "result_order",   "results_not_first",  "unknown_role",
  });
  return kCodes;
}

bool is_wire_word(std::string_view text, std::int64_t size_max) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !text.empty() && std::ssize(text) <= size_max && std::ranges::all_of(text, is_allowed);
}

}  // namespace plumb::simulator
