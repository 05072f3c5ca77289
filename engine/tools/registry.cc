// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/registry.h"

#include <algorithm>
#include <utility>

#include "engine/tools/parameter_schema.h"
#include "engine/tools/policies.h"

namespace plumb::engine {
namespace {

/// `show` is held by value: the listing may be read when the registry is gone.
SharedJson listing(std::vector<RegisteredToolPtr> tools,
                   std::function<Json(const RegisteredTool&)> show) {
  return SharedJson::lazy([held = std::move(tools), show = std::move(show)] {
    Json json = Json::array();
    for (const auto& tool : held) json.push_back(show(*tool));
    return json;
  });
}

std::string who(const RegisteredTool& tool) {
  return "tool '" + tool.definition.name + "' of " + tool.source.path;
}

Result<std::shared_ptr<const ParameterSchema>> compile_schema(const SharedJson& schema,
                                                              const std::string& name) {
  if (!schema.get().is_object()) return fail(ErrorCode::invalid, name + " must be an object");
  auto compiled = ParameterSchema::compile(schema);
  if (!compiled) return fail(ErrorCode::invalid, name + ": " + compiled.error().message);
  return *std::move(compiled);
}

Result<void> compile_schemas(RegisteredTool& entry) {
  const ToolDefinition& definition = entry.definition;
  if (definition.name.empty()) return fail(ErrorCode::invalid, "the name is missing");
  if (!definition.execute) return fail(ErrorCode::invalid, "execute is missing");
  PLUMB_TRY(entry.schema, compile_schema(definition.parameters, "parameters"));
  if (definition.output_schema.is_null()) return {};
  PLUMB_TRY(entry.output_schema, compile_schema(definition.output_schema, "outputSchema"));
  return {};
}

bool same_owner(const RegisteredTool& a, const RegisteredTool& b) {
  return a.level == b.level && a.definition.name == b.definition.name &&
         a.source.path == b.source.path;
}

}  // namespace

Result<void> ToolRegistry::add_builtin(ToolDefinition definition) {
  const SourceInfo source = builtin_source(definition.name);
  PLUMB_TRY(auto entry, make_entry(std::move(definition), source, Level::builtin));
  add(std::move(entry));
  return {};
}

Result<void> ToolRegistry::add_sdk(ToolDefinition definition) {
  const SourceInfo source = sdk_source(definition.name);
  PLUMB_TRY(auto entry, make_entry(std::move(definition), source, Level::sdk));
  add(std::move(entry));
  return {};
}

Result<void> ToolRegistry::register_tool(const SourceInfo& extension, std::int64_t load_order,
                                         ToolDefinition definition) {
  PLUMB_TRY(auto entry, make_entry(std::move(definition), policies_.registry.source(extension),
                                   Level::extension));
  entry.load_order = load_order;
  add(std::move(entry));
  return {};
}

void ToolRegistry::clear_extensions() {
  mark_.write();
  std::erase_if(candidates_, [](const auto& one) { return one->level == Level::extension; });
  reported_.clear();
  owners_.clear();
  is_bound_ = false;
}

void ToolRegistry::bind() {
  is_bound_ = true;
  refresh();
}

void ToolRegistry::refresh() {
  mark_.write();
  effective_ = merged();
  record_refresh();
  if (listener_) listener_();
}

RegisteredToolPtr ToolRegistry::find(std::string_view name) const {
  mark_.read();
  const auto found =
      std::ranges::find(effective_, name, [](const auto& one) { return one->definition.name; });
  return found == effective_.end() ? nullptr : *found;
}

Json ToolRegistry::list() const {
  mark_.read();
  return listing(effective_, policies_.registry.listed).get();
}

Result<RegisteredTool> ToolRegistry::make_entry(ToolDefinition definition, SourceInfo source,
                                                Level level) {
  RegisteredTool entry;
  entry.definition = std::move(definition);
  entry.source = std::move(source);
  entry.level = level;
  auto checked = compile_schemas(entry);
  if (checked) return entry;
  std::string message = who(entry) + " is refused: " + checked.error().message;
  diagnose("invalid_tool", entry, message, "");
  return fail(ErrorCode::invalid, std::move(message));
}

/// Replaces the owner's earlier entry of the name, which keeps its place and ticket (REG-06).
void ToolRegistry::add(RegisteredTool entry) {
  mark_.write();
  const auto found =
      std::ranges::find_if(candidates_, [&](const auto& one) { return same_owner(*one, entry); });
  const bool is_new = found == candidates_.end();
  entry.ticket = is_new ? next_ticket_++ : (*found)->ticket;
  auto shared = std::make_shared<const RegisteredTool>(std::move(entry));
  if (is_new) {
    candidates_.push_back(std::move(shared));
  } else {
    *found = std::move(shared);
  }
  if (is_bound_ && policies_.registry.refreshes_at_once()) refresh();
}

/// One tool a name, in load order, then registration order.
std::vector<RegisteredToolPtr> ToolRegistry::extension_winners() {
  std::vector<RegisteredToolPtr> entries;
  std::ranges::copy_if(candidates_, std::back_inserter(entries),
                       [](const auto& one) { return one->level == Level::extension; });
  std::ranges::sort(entries, {},
                    [](const auto& one) { return std::pair(one->load_order, one->ticket); });
  std::vector<RegisteredToolPtr> winners;
  std::set<std::string_view> seen;
  for (const auto& entry : entries) {
    const std::string_view name = entry->definition.name;
    if (!seen.insert(name).second) continue;
    std::vector<RegisteredToolPtr> rivals;
    std::ranges::copy_if(entries, std::back_inserter(rivals),
                         [&](const auto& one) { return one->definition.name == name; });
    winners.push_back(settle_rivals(rivals));
  }
  return winners;
}

RegisteredToolPtr ToolRegistry::settle_rivals(const std::vector<RegisteredToolPtr>& rivals) {
  const RegisteredToolPtr& winner = rivals[policies_.extension_winner(rivals)];
  const std::string& owner = winner->source.path;
  std::string& known_owner = owners_[winner->definition.name];
  if (!known_owner.empty() && known_owner != owner) {
    diagnose("tool_takeover", *winner, who(*winner) + " replaces that of " + known_owner,
             known_owner);
  }
  known_owner = owner;
  for (const auto& rival : rivals) {
    if (rival == winner || !policies_.registry.reports_conflict(*rival, *winner)) continue;
    if (!reported_.emplace(rival->source.path, rival->definition.name).second) continue;
    diagnose("tool_conflict", *rival, who(*rival) + " is not used: " + owner + " owns the name",
             owner);
  }
  return winner;
}

/// Built-ins, extensions, SDK; a later level takes over the slot of the name (REG-01, REG-18).
std::vector<RegisteredToolPtr> ToolRegistry::merged() {
  std::vector<RegisteredToolPtr> layers;
  const auto add_level = [&](Level level) {
    std::ranges::copy_if(candidates_, std::back_inserter(layers),
                         [&](const auto& one) { return one->level == level; });
  };
  add_level(Level::builtin);
  std::ranges::move(extension_winners(), std::back_inserter(layers));
  add_level(Level::sdk);

  std::map<std::string_view, RegisteredToolPtr> by_name;
  for (const auto& tool : layers) {
    if (!policies_.keeps_tool(filters_, *tool)) continue;
    const std::string& name = tool->definition.name;
    RegisteredToolPtr& owner = by_name[name];
    if (owner == nullptr || policies_.level_replaces(*owner, *tool)) owner = tool;
    if (std::ranges::find(slots_, name) == slots_.end()) slots_.push_back(name);
  }
  std::vector<RegisteredToolPtr> effective;
  for (const auto& name : slots_) {
    const auto found = by_name.find(name);
    if (found != by_name.end()) effective.push_back(found->second);
  }
  return effective;
}

void ToolRegistry::diagnose(std::string code, const RegisteredTool& blamed, std::string message,
                            std::string owner) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.path = blamed.source.path;
  diagnostic.message = std::move(message);
  diagnostic.tool = blamed.definition.name;
  diagnostic.owner = std::move(owner);
  recorder_.record(Source::probe, std::move(diagnostic));
}

void ToolRegistry::record_refresh() {
  RegistryRefresh refresh;
  refresh.tools = listing(effective_, policies_.registry.listed);
  refresh.candidates = listing(candidates_, policies_.registry.listed);
  recorder_.record(Source::probe, std::move(refresh));
}

}  // namespace plumb::engine
