// SPDX-License-Identifier: Apache-2.0
// Context files: AGENTS.md and its kind, of the user's folder and from the root of the file system
// down to the working directory (RES-20, RES-21). They need no trust (RES-17).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/session/resources/resource.h"
#include "engine/session/resources/resource_files.h"

namespace plumb::engine {

struct ContextFile {
  std::string path;
  std::string content;  ///< Without a byte order mark (RES-23).
  bool operator==(const ContextFile&) const = default;
};

struct ContextList {
  std::vector<ContextFile> files;
  std::vector<ResourceDiagnostic> diagnostics;
};

/// One loop.
class ContextFinder final {
 public:
  explicit ContextFinder(ResourceFiles& files) : files_(files) {}

  Task<ContextList> load(ResourcePlaces places);

 private:
  Task<std::optional<ContextFile>> of_folder(std::string folder);
  Task<std::optional<std::string>> shadowed_file(std::string cwd);

  ResourceFiles& files_;
  std::vector<ResourceDiagnostic> diagnostics_;
};

/// The section of the prompt: each file tagged with its path; "" without files.
std::string context_section(std::span<const ContextFile> files);

}  // namespace plumb::engine
