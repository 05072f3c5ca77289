// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/definition.h"

#include <array>
#include <utility>

#include "engine/values/json_members.h"
#include "engine/values/json_object.h"

namespace plumb::engine {
namespace {

constexpr std::array<std::string_view, 5> kExposures{"direct", "model-only", "codemode", "deferred",
                                                     "hidden"};

void add_given(Json& json, const char* key, const SharedJson& value) {
  if (!value.is_null()) add_members(json.get_ref<Json::object_t&>(), key, value.get());
}

SharedJson member(const Json& json, const char* key) {
  const Json& value = at(json, key);
  return value.is_null() ? SharedJson() : SharedJson(value);
}

Result<bool> flag_member(const Json& json, const char* key) {
  const Json& flag = at(json, key);
  if (flag.is_null()) return false;
  if (!flag.is_boolean()) {
    return fail(ErrorCode::invalid, std::string(key) + " of a tool result must be true or false");
  }
  return flag.get<bool>();
}

Result<std::vector<std::string>> names_member(const Json& json, const char* key) {
  std::vector<std::string> names;
  for (const auto& name : at(json, key)) {
    if (!name.is_string()) {
      return fail(ErrorCode::invalid, std::string(key) + " of a tool result must hold names");
    }
    names.push_back(name.get<std::string>());
  }
  return names;
}

SourceInfo make_source(std::string path, std::string source) {
  SourceInfo info;
  info.path = std::move(path);
  info.source = std::move(source);
  return info;
}

}  // namespace

SourceInfo builtin_source(std::string_view name) {
  return make_source("builtin:" + std::string(name), "builtin");
}

SourceInfo sdk_source(std::string_view name) {
  return make_source("<sdk:" + std::string(name) + ">", "sdk");
}

SourceInfo inline_source(std::string_view name) {
  return make_source("<inline:" + std::string(name) + ">", "inline");
}

Json to_json(const SourceInfo& source) {
  Json json{{"path", source.path},
            {"source", source.source},
            {"scope", source.scope},
            {"origin", source.origin}};
  if (!source.base_dir.empty()) json["baseDir"] = source.base_dir;
  return json;
}

std::string_view to_string(Exposure exposure) {
  return kExposures[static_cast<std::size_t>(exposure)];
}

Result<Exposure> parse_exposure(std::string_view text) {
  for (std::size_t i = 0; i < kExposures.size(); ++i) {
    if (kExposures[i] == text) return static_cast<Exposure>(i);
  }
  return fail(ErrorCode::invalid, "unknown exposure '" + std::string(text) + "'");
}

ToolResult text_result(std::string text) {
  ToolResult result;
  result.content.emplace_back(TextBlock{std::move(text)});
  return result;
}

ToolResult error_result(std::string text) {
  ToolResult result = text_result(std::move(text));
  result.details = SharedJson(Json::object());
  result.is_error = true;
  return result;
}

ToolResult failed_result(std::string message, std::string error_class) {
  ToolResult result;
  result.failure = std::move(message);
  result.error_class = std::move(error_class);
  return result;
}

Json to_json(const ToolResult& result) {
  Json json = object_with_room(7);
  auto& object = json.get_ref<Json::object_t&>();
  add_members(object, "content", to_json(result.content));
  add_given(json, "details", result.details);
  add_given(json, "structuredContent", result.structured_content);
  if (result.is_error) add_members(object, "isError", true);
  add_given(json, "usage", result.usage);
  if (result.terminate) add_members(object, "terminate", true);
  if (!result.added_tool_names.empty()) {
    add_members(object, "addedToolNames", result.added_tool_names);
  }
  return json;
}

Result<ToolResult> parse_tool_result(const Json& json) {
  ToolResult result;
  if (json.is_null()) return result;
  if (!json.is_object()) return fail(ErrorCode::invalid, "a tool result must be an object");
  if (const Json& content = at(json, "content"); !content.is_null()) {
    PLUMB_TRY(result.content, parse_content(content));
  }
  result.details = member(json, "details");
  result.structured_content = member(json, "structuredContent");
  result.usage = member(json, "usage");
  PLUMB_TRY(result.is_error, flag_member(json, "isError"));
  PLUMB_TRY(result.terminate, flag_member(json, "terminate"));
  PLUMB_TRY(result.added_tool_names, names_member(json, "addedToolNames"));
  return result;
}

std::string_view to_string(Level level) {
  constexpr std::array<std::string_view, 3> levels{"builtin", "extension", "sdk"};
  return levels[static_cast<std::size_t>(level)];
}

Json tool_info(const RegisteredTool& tool) {
  const ToolDefinition& definition = tool.definition;
  Json json{{"name", definition.name}, {"description", definition.description}};
  json["parameters"] = definition.parameters.get();
  if (!definition.label.empty()) json["label"] = definition.label;
  if (!definition.prompt_guidelines.empty()) {
    json["promptGuidelines"] = definition.prompt_guidelines;
  }
  if (!definition.prompt_snippet.empty()) json["promptSnippet"] = definition.prompt_snippet;
  json["exposure"] = to_string(definition.exposure);
  if (!definition.default_active) json["defaultActive"] = false;
  if (definition.execution_mode == ExecutionMode::sequential) json["executionMode"] = "sequential";
  add_given(json, "outputSchema", definition.output_schema);
  add_given(json, "annotations", definition.annotations);
  add_given(json, "namespace", definition.name_space);
  json["sourceInfo"] = to_json(tool.source);
  json["level"] = to_string(tool.level);
  return json;
}

}  // namespace plumb::engine
