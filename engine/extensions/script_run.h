// SPDX-License-Identifier: Apache-2.0
// One run of a compiled script: a handler's, a tool's or a factory's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/extensions/extension_api.h"
#include "engine/extensions/script_program.h"
#include "engine/extensions/scripted.h"
#include "engine/kernel/task.h"
#include "engine/tools/definition.h"
#include "engine/values/json.h"

namespace plumb::engine {

/// A scripted extension once its factory ran: what its scripts share. Lives as long as any of its
/// handlers or tools. `api`: null for the tools of a host.
class ScriptedExtension final : public std::enable_shared_from_this<ScriptedExtension> {
 public:
  ScriptedExtension(std::string path, ScriptWorld& script_world, ExtensionApi* extension_api)
      : owner(std::move(path)), world(script_world), api(extension_api) {}

  Result<void> add_handler(std::shared_ptr<const HandlerScript> script);
  void remove_handler(const std::string& id);
  Result<void> register_tool(const Json& definition);
  /// defineTool alone (TOOL-02): makes the definition and drops it.
  Result<void> define_scripted_tool(const Json& definition);

  std::string owner;
  ScriptWorld& world;
  ExtensionApi* api;

 private:
  std::map<std::string, Unsubscribe> handlers_;
};

// Shared by every handler and tool of an extension, which end in no fixed order.
using ScriptedExtensionPtr = std::shared_ptr<ScriptedExtension>;

/// The state of one script. Either `handler` or `call` is set, or none in a factory. Shared with
/// the fibers of `later`, which may outlive the script.
struct ScriptState {
  explicit ScriptState(ScriptedExtensionPtr owner) : extension(std::move(owner)) {}
  ScriptedExtensionPtr extension;
  // Keeps the program alive for fibers that outlive its tool or handler.
  std::shared_ptr<const void> program_owner;
  std::optional<HandlerContext> handler;
  std::optional<ToolCall> call;
  Json last;  ///< What the last ask, call_tool or read_file gave.
  std::optional<Json> returned;
  ToolResult tool_result;
  std::optional<Thrown> thrown;
  bool has_ended = false;
};
using ScriptStatePtr = std::shared_ptr<ScriptState>;

/// Runs `program` to its end or to the first verb that ends it (allow, block, return, throw).
/// `program` outlives the run.
Task<void> run_program(ScriptStatePtr state, const Program* program);

/// The value of a reference in `state`.
Json look_up(const ScriptState& state, std::string_view name);

/// The verbs that need no wait, and every verb whose resolved arguments are of a wrong shape: it
/// throws. False for the others.
bool run_at_once(ScriptState& state, const Verb& verb);

/// prepareArguments of a script: synchronous verbs only. Errors: what was thrown.
std::expected<Json, Thrown> run_prepare(const Program& program, Json raw);

}  // namespace plumb::engine
