// SPDX-License-Identifier: Apache-2.0
// Makes the built-in tools as the calls of a row want them: with the row's queue, with every file
// operation noted and disturbed, and with what a call's options replace.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/kernel/env.h"
#include "engine/tools/builtin/file_operations.h"
#include "engine/tools/builtin/mutation_queue.h"
#include "engine/tools/definition.h"
#include "engine/tools/policies.h"
#include "simulator/oracle/event_log.h"
#include "simulator/oracle/world.h"

namespace plumb::simulator {

/// What is to happen to an operation of a call (an inject step).
struct Injection {
  std::optional<Error> error;
  std::int64_t delay_ms = 0;
  std::string until;
};

/// By call name and operation: access, read, write.
using Injections = std::map<std::pair<std::string, std::string>, Injection>;

/// The error that a row spells as {code?, message}: of a system error's class when it has a code.
Error oracle_error(const Json& json);

/// Borrows everything; what it borrows outlives the tools. One loop.
struct ToolKit {
  ToolKit(engine::Env& kit_env, OracleWorld& kit_world, EventLog& kit_log,
          const Injections& kit_injections, engine::MutationQueue& kit_queue,
          const engine::Policies& kit_policies)
      : env(kit_env),
        world(kit_world),
        log(kit_log),
        injections(kit_injections),
        queue(kit_queue),
        policies(kit_policies) {}

  engine::Env& env;
  OracleWorld& world;
  EventLog& log;
  const Injections& injections;
  engine::MutationQueue& queue;
  const engine::Policies& policies;
};

/// Why calls of `tool` cannot be made at all: "the tool grep is not built yet"; "" when they can.
std::string why_no_tool(std::string_view tool);
/// The same for the options and the context of a call.
std::string why_no_options(const Json& args);

/// The tool for the call named `call`. Errors: rejected, with the reason why a row that wants this
/// must be skipped.
Result<engine::ToolDefinition> make_tool(const ToolKit& kit, const std::string& call,
                                         const Json& args);

}  // namespace plumb::simulator
