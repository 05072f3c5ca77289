// SPDX-License-Identifier: Apache-2.0
// The decisions about what a registration leaves behind, as members of Policies::registry: origin,
// listing, report and time.
#pragma once

#include <functional>

#include "engine/tools/definition.h"

namespace plumb::engine {

/// The origin that a tool of an extension is kept with: that of the extension (TOOL-03).
SourceInfo source_of_extension(const SourceInfo& extension);
/// What a listing shows of a tool: metadata, never execute (TOOL-14).
Json listed_metadata(const RegisteredTool& tool);
/// Whether an extension's tool that lost its name to another one's is reported: yes (REG-03).
bool reports_conflict(const RegisteredTool& loser, const RegisteredTool& owner);
/// Whether a registration during a session refreshes the registry before it returns: yes (REG-17).
bool refreshes_at_once();

struct RegistryPolicies {
  std::function<SourceInfo(const SourceInfo&)> source = source_of_extension;
  std::function<Json(const RegisteredTool&)> listed = listed_metadata;
  std::function<bool(const RegisteredTool&, const RegisteredTool&)> reports_conflict =
      engine::reports_conflict;
  std::function<bool()> refreshes_at_once = engine::refreshes_at_once;
};

}  // namespace plumb::engine
