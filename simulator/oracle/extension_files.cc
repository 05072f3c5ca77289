// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/extension_files.h"

#include <utility>

#include "engine/tools/registry.h"
#include "engine/values/json_members.h"

namespace plumb::simulator {

using engine::Task;

namespace {

/// What one load works on: nothing of it is kept.
struct FactoryWorld {
  explicit FactoryWorld(engine::Loop& loop) : recorder(trace, [&loop] { return loop.now_ms(); }) {}
  Trace trace;
  Recorder recorder;
  engine::Policies policies;
  engine::ToolRegistry registry{recorder, policies, engine::ToolFilters()};
  engine::ExtensionRunner runner{recorder, registry, policies};
};

Task<engine::ToolResult> execute_nothing(engine::ToolCall /*call*/) {
  co_return engine::text_result("");
}

engine::ToolDefinition tool_named(const std::string& name, Json parameters) {
  engine::ToolDefinition definition;
  definition.name = name;
  definition.description = name;
  definition.parameters = SharedJson(std::move(parameters));
  definition.execute = execute_nothing;
  return definition;
}

/// Whether the engine takes the tool (DISC-18).
Result<void> check_tool(engine::Loop& loop, engine::ToolDefinition definition) {
  FactoryWorld world(loop);
  engine::SourceInfo source = engine::inline_source("check");
  return world.registry.register_tool(source, 0, std::move(definition));
}

std::vector<std::string> names_at(const Json& description, const char* key) {
  return description.value(key, std::vector<std::string>());
}

}  // namespace

std::vector<engine::InlineExtension> OracleExtensions::inlined() const {
  std::vector<engine::InlineExtension> given;
  for (const auto& one : inlined_) {
    engine::InlineExtension extension;
    extension.id = one.value("id", std::string());
    extension.is_builtin = one.value("builtin", false);
    extension.is_replaceable = one.value("replaceable", false);
    given.push_back(std::move(extension));
  }
  return given;
}

Task<Result<Json>> OracleExtensions::description_of(std::string path) {
  int number = 0;
  for (const auto& one : inlined_) {
    const bool is_builtin = one.value("builtin", false);
    number += is_builtin ? 0 : 1;
    const std::string id = one.value("id", std::to_string(number));
    if (path == (is_builtin ? "builtin:" + id : "<inline:" + id + ">")) co_return one;
  }
  const auto text = co_await files_.read(std::move(path));
  if (!text) co_return std::unexpected(text.error());
  auto json = parse_json(*text);
  const bool is_description = json && json->is_object() && json->contains("name");
  if (!is_description) co_return fail(ErrorCode::invalid, "the file is no extension");
  co_return json;
}

Task<Result<engine::RegisteredNames>> OracleExtensions::load(engine::SourceInfo source) {
  auto description = co_await description_of(source.path);
  if (!description) co_return std::unexpected(description.error());
  description_ = *std::move(description);
  names_ = engine::RegisteredNames();
  outcome_ = fail(ErrorCode::protocol, "the factory did not end");
  FactoryWorld world(loop_);
  std::vector<engine::ExtensionSource> sources;
  sources.emplace_back(std::move(source), [this](engine::ExtensionApi& api) {
    return run_factory(api, description_);
  });
  co_await world.runner.load(std::move(sources));
  if (!outcome_) co_return std::unexpected(outcome_.error());
  co_return std::move(names_);
}

Task<Result<void>> OracleExtensions::run_factory(engine::ExtensionApi& api, Json description) {
  const std::string name = text_at(description, "name");
  const std::string failure = text_at(description, "fail");
  const bool fails_before = description.value("fail_before_log", false);
  const bool has_no_factory = failure == "syntax" || failure == "no factory";
  if (description.contains("async_ms")) {
    note("factory:" + name + "-start");
    co_await loop_.sleep_ms(description["async_ms"].get<std::int64_t>());
    note("factory:" + name + "-end");
  } else if (!fails_before && !has_no_factory) {
    note("factory:" + name);
  }
  outcome_ = register_names(api, description);
  if (outcome_ && failure == "action in factory") {
    const auto entry = api.append_entry("x", Json());
    if (!entry) outcome_ = std::unexpected(entry.error());
  } else if (outcome_ && !failure.empty()) {
    const std::string message = text_at(description, "message");
    outcome_ = fail(ErrorCode::rejected, message.empty() ? failure : message);
  }
  co_return outcome_;
}

Result<void> OracleExtensions::register_names(engine::ExtensionApi& api, const Json& description) {
  for (const auto& name : names_at(description, "tools")) {
    const auto done = api.register_tool(tool_named(name, Json{{"type", "object"}}));
    if (!done) return done;
    names_.tools.push_back(name);
  }
  for (const auto& name : names_at(description, "tools_without_schema")) {
    const auto checked = check_tool(loop_, tool_named(name, Json()));
    if (!checked) return checked;
    names_.tools.push_back(name);
  }
  for (const auto& name : names_at(description, "commands")) {
    const auto done = api.register_command(name, name, {});
    if (!done) return done;
    names_.commands.push_back(name);
  }
  names_.flags = names_at(description, "flags");
  return {};
}

}  // namespace plumb::simulator
