// SPDX-License-Identifier: Apache-2.0
// The folders of one live run: a real workspace and a home, laid out as the scenario says, and
// removed with it.
#pragma once

#include <string>
#include <utility>

#include "engine/kernel/result.h"
#include "engine/kernel/workspace.h"
#include "engine/values/shared_json.h"
#include "simulator/script/scenario.h"
#include "simulator/subjects/external/placeholders.h"

namespace plumb::simulator {

/// Thread-compatible.
class Sandbox {
 public:
  /// Errors: io.
  static Result<Sandbox> create(const Scenario& scenario);

  const std::string& workspace() const { return workspace_; }
  const std::string& home() const { return home_; }
  /// "a.txt" -> ".../workspace/a.txt", "~/x" -> ".../home/x".
  std::string absolute_of(std::string_view path) const;
  Result<void> put(const FileScript& file) const;
  /// path below the workspace -> state, as traces show it.
  Result<SharedJson> state() const;
  const LivePlaceholders& placeholders() const { return placeholders_; }

 private:
  explicit Sandbox(engine::Workspace folder);
  Result<void> lay_out(const Scenario& scenario) const;

  engine::Workspace folder_;
  std::string workspace_;
  std::string home_;
  LivePlaceholders placeholders_;
};

}  // namespace plumb::simulator
