// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/registry_policies.h"

namespace plumb::engine {

SourceInfo source_of_extension(const SourceInfo& extension) {
  return extension;
}

Json listed_metadata(const RegisteredTool& tool) {
  return tool_info(tool);
}

bool reports_conflict(const RegisteredTool& /*loser*/, const RegisteredTool& /*owner*/) {
  return true;
}

bool refreshes_at_once() {
  return true;
}

}  // namespace plumb::engine
