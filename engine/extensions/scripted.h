// SPDX-License-Identifier: Apache-2.0
// Extensions and tools written as data: a closed set of verbs (scenarios/README.md),
// interpreted here in C++. The same definitions run in other engines through an interpreter of
// their own, so nothing in them names this engine's inside.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/extensions/extension_api.h"
#include "engine/extensions/latch_board.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/result.h"
#include "engine/tools/definition.h"
#include "engine/values/json.h"

namespace plumb::engine {

class MutationQueue;

/// What all scripts of one run share. Belongs to whoever runs the session and outlives it; `host`
/// is set once the session exists (`Session::host`), before it starts. The loop's fibers must be
/// gone before it goes: some may wait for its latches.
struct ScriptWorld {
  explicit ScriptWorld(Loop& script_loop) : loop(script_loop), latches(script_loop) {}
  Loop& loop;
  LatchBoard latches;
  ExtensionHost* host = nullptr;
  /// What orders changes of files, for scripts that take part (QUEUE-16); null: nothing does.
  MutationQueue* queue = nullptr;
};

/// The factory of a scripted extension: {name?, path?, scope?, builtin?, load?: [verbs], tools?:
/// [...], on?: {EVENT: [{id?, when?, do}]}, commands?: [{name, description?, do}], flags?: {NAME:
/// DEFAULT}}, done in this order. `path` names it in notes. Errors: invalid,
/// with the JSON pointer of the bad place as `where`.
Result<ExtensionFactory> make_scripted_extension(const Json& definition, std::string path,
                                                 ScriptWorld& world);

/// A scripted tool: {name, description, parameters, mode?, prepare?: [verbs], do?: [verbs], ...}.
/// `owner` names it in notes. Errors: as above.
Result<ToolDefinition> make_scripted_tool(const Json& definition, std::string owner,
                                          ScriptWorld& world);

/// The check of make_scripted_tool without the tool; `at` is the pointer of `definition`.
Result<void> check_scripted_tool(const Json& definition, const std::string& at);

/// `<inline:NAME>`, or the definition's own `path` (EXT-31).
SourceInfo scripted_source(const Json& definition);

}  // namespace plumb::engine
