// SPDX-License-Identifier: Apache-2.0
// What a tool is: its definition, where it came from, what it is given when it runs and what it
// gives back. Field names on the wire are those of ToolDefinition, ToolInfo and ToolResult
// (camelCase there, snake_case here).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/task.h"
#include "engine/model/message.h"
#include "engine/values/shared_json.h"

namespace plumb::engine {

/// Where a tool or an extension came from (TOOL-03, TOOL-04). `source`: local, auto, cli, a package
/// id, builtin, sdk, inline. `scope`: user, project, temporary. `origin`: package, top-level.
struct SourceInfo {
  std::string path;
  std::string source;
  std::string scope = "temporary";
  std::string origin = "top-level";
  std::string base_dir;
  bool operator==(const SourceInfo&) const = default;
};

/// `builtin:NAME` (TOOL-04).
SourceInfo builtin_source(std::string_view name);
/// `<sdk:NAME>` (TOOL-04).
SourceInfo sdk_source(std::string_view name);
/// `<inline:NAME>` (TOOL-04).
SourceInfo inline_source(std::string_view name);
Json to_json(const SourceInfo& source);

enum class ExecutionMode : std::uint8_t { parallel, sequential };

/// Who may see and call a tool (TOOL-22).
enum class Exposure : std::uint8_t { direct, model_only, codemode, deferred, hidden };
/// direct, model-only, codemode, deferred, hidden.
std::string_view to_string(Exposure exposure);
Result<Exposure> parse_exposure(std::string_view text);

/// What execute gives back. A null SharedJson is an absent field. `structured_content` and
/// `terminate` never reach the message (RESULT-03); `details` and `usage` never reach the model.
struct ToolResult {
  std::vector<ContentBlock> content;
  SharedJson details;
  SharedJson structured_content;
  bool is_error = false;
  SharedJson usage;
  bool terminate = false;
  std::vector<std::string> added_tool_names;
  /// Given: execute failed with this message, exactly as if it had thrown it; the rest is ignored.
  std::optional<std::string> failure;
  /// Of a failure: which one of the tool's error classes it is (builtins.yaml error_classes), or
  /// the name of a system error such as ENOENT; empty for others. For programs; never on the wire.
  std::string error_class;
  bool operator==(const ToolResult&) const = default;
};

/// A success with one text block.
ToolResult text_result(std::string text);
/// An error made by the engine: one text block, details {} (RESULT-17).
ToolResult error_result(std::string text);
/// What a tool returns in place of throwing `message` (cause execute_failed, RESULT-13).
ToolResult failed_result(std::string message, std::string error_class = {});
/// {content, details?, structuredContent?, isError?, usage?, terminate?, addedToolNames?}.
Json to_json(const ToolResult& result);
/// Missing content is an empty list (RESULT-18); content that is a string is one text block.
Result<ToolResult> parse_tool_result(const Json& json);

/// A call that a tool makes through its context (HOOK-29). `id` of the call is PARENT/N.
struct NestedCall {
  NestedCall(std::string tool_name, SharedJson arguments)
      : name(std::move(tool_name)), args(std::move(arguments)) {}
  std::string name;
  SharedJson args;
  std::optional<AbortSignal> signal;          ///< The outer call's signal when absent.
  std::function<void(ToolResult)> on_update;  ///< May be empty.
};

/// Never a failure of executeTool itself: failures have `result.is_error` (HOOK-30).
struct NestedOutcome {
  std::string id;
  std::string name;
  ToolResult result;
  std::string cause;
};

/// What a running tool may ask about and of its session. Values are those of the moment of the
/// call (TOOL-08); the session view is for reading only (TOOL-27). The session room implements it.
class ToolContext {
 public:
  virtual ~ToolContext() = default;
  virtual std::string cwd() const = 0;
  virtual std::string model() const = 0;
  virtual bool has_ui() const = 0;
  virtual bool is_idle() const = 0;
  virtual std::string system_prompt() const = 0;
  /// Entries of the current branch, oldest first.
  virtual SharedJson session_entries() const = 0;
  virtual void abort() = 0;
  virtual void compact() = 0;
};

/// The five arguments of execute (TOOL-06) plus executeTool. `params` is the validated object that
/// the tool_call handlers shared (TOOL-07, PIPE-06): never null. `context` outlives the execution.
/// `on_update` is dropped once execute has settled (EVENT-07).
struct ToolCall {
  ToolCall(std::string call_id, std::string tool_name, std::shared_ptr<Json> parameters)
      : id(std::move(call_id)), name(std::move(tool_name)), params(std::move(parameters)) {}
  std::string id;
  std::string name;
  // Shared: handlers that ran before, the tool and its late callbacks see one object (PIPE-06).
  std::shared_ptr<Json> params;
  AbortSignal signal;
  std::function<void(ToolResult)> on_update;
  std::function<Task<NestedOutcome>(NestedCall)> execute_tool;
  ToolContext* context = nullptr;
};

/// A tool as built-ins, extensions and hosts write it. `execute` and `prepare_arguments` may throw;
/// what they throw is caught at the engine's boundary. The first four parts are required (TOOL-01).
struct ToolDefinition {
  std::string name;
  std::string description;
  SharedJson parameters;
  std::function<Task<ToolResult>(ToolCall)> execute;

  std::string label;
  std::string prompt_snippet;
  std::vector<std::string> prompt_guidelines;
  std::function<Json(Json)> prepare_arguments;  ///< Gets the raw arguments on a copy (PIPE-02).
  SharedJson output_schema;
  ExecutionMode execution_mode = ExecutionMode::parallel;
  Exposure exposure = Exposure::direct;
  bool default_active = true;
  SharedJson annotations;
  SharedJson name_space;  ///< `namespace`: {name, aliases?, description?, instructions?}.
  std::function<Json(const Json&)> reaches_tools;
};

/// Identity (TOOL-02): no registration, no check.
inline ToolDefinition define_tool(ToolDefinition definition) {
  return definition;
}

/// Where a definition stands among the registrations of its name (REG-01).
enum class Level : std::uint8_t { builtin, extension, sdk };
std::string_view to_string(Level level);

class ParameterSchema;

/// A definition with its origin, as the registry keeps it. `load_order`: the extension's place in
/// the load order; `ticket`: the order of first registration of this name by this owner.
struct RegisteredTool {
  ToolDefinition definition;
  SourceInfo source;
  Level level = Level::builtin;
  std::int64_t load_order = 0;
  std::int64_t ticket = 0;
  std::shared_ptr<const ParameterSchema> schema;         ///< Of `parameters`; never null.
  std::shared_ptr<const ParameterSchema> output_schema;  ///< Null when none is declared.
};

/// Shared: a turn's snapshot keeps the definition that it took, whatever is registered meanwhile
/// (TOOL-17).
using RegisteredToolPtr = std::shared_ptr<const RegisteredTool>;

/// Metadata only, never execute (TOOL-14). `level` is added for traces.
Json tool_info(const RegisteredTool& tool);

}  // namespace plumb::engine
