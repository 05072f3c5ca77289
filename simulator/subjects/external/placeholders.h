// SPDX-License-Identifier: Apache-2.0
// Paths of one machine and one run, and what stands for them in traces and scenarios: a live run
// shows "/workspace" as a hermetic one does.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/values/json.h"

namespace plumb::simulator {

/// Thread-compatible.
class LivePlaceholders {
 public:
  /// `real` and `shown` are absolute paths without a slash at their end.
  void add(std::string real, std::string shown) {
    pairs_.emplace_back(std::move(real), std::move(shown));
  }

  /// Real paths become placeholders, wherever they stand in the text.
  std::string shown(std::string_view text) const;
  /// In every text of the value, names of members included.
  Json shown_json(const Json& value) const;
  /// Placeholders become real paths, where they stand as paths of their own:
  /// "/workspace/a.txt", not "my/workspace" nor "/workspaces".
  std::string real(std::string_view text) const;
  Json real_json(const Json& value) const;

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

}  // namespace plumb::simulator
