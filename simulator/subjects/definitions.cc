// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/definitions.h"

#include <utility>

#include "engine/extensions/scripted.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::simulator {

Result<void> compile_definition(const Json& definition, bool is_tool) {
  if (is_tool) return engine::check_scripted_tool(definition, "");
  // Nothing runs: the world is only what a factory would hold on to.
  engine::SimLoop loop;
  engine::ScriptWorld world(loop);
  auto factory = engine::make_scripted_extension(definition, "", world);
  if (!factory) return std::unexpected(std::move(factory).error());
  return {};
}

}  // namespace plumb::simulator
