// SPDX-License-Identifier: Apache-2.0
// The files that a user names on the command line, read from the real disk. The only file of this
// room that touches it; listings are sorted by bytes, so that a run never depends on a folder's own
// order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/script/place.h"

namespace plumb::simulator {

inline constexpr std::int64_t kFoldersDepthMax = 32;

/// The whole file. Errors: not_found, permission, is_directory, io; exhausted beyond `bytes_max`.
Result<std::string> read_source(const std::string& path, std::int64_t bytes_max);

/// The *.yaml and *.yml files directly in `directory`, sorted. Errors: not_found, not_directory.
Result<std::vector<std::string>> list_yaml_files(const std::string& directory);

/// The scenario files that `paths` name: a file stands for itself, a folder for the scenarios in it
/// and below it, hidden folders and the rule catalogue (folders named `rules`) left out. Sorted by
/// bytes, each once. Errors: a path that is not there, a folder without a scenario, no path at all.
Checked<std::vector<std::string>> find_scenarios(const std::vector<std::string>& paths);

/// The same, with what could be found beside the errors.
struct FoundFiles {
  std::vector<std::string> files;
  std::vector<Error> errors;
};
FoundFiles look_for_scenarios(const std::vector<std::string>& paths);

}  // namespace plumb::simulator
