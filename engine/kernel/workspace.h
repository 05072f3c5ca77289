// SPDX-License-Identifier: Apache-2.0
// A temporary directory of live runs, removed with everything in it when it goes.
#pragma once

#include <string>
#include <string_view>

#include "engine/kernel/result.h"

namespace plumb::engine {

/// Thread-compatible.
class Workspace {
 public:
  /// Below TMPDIR, or /tmp.
  static Result<Workspace> create();
  Workspace(Workspace&& other) noexcept;
  Workspace& operator=(Workspace&& other) noexcept;
  ~Workspace() { remove(); }

  /// Absolute, without symbolic links.
  const std::string& path() const { return path_; }
  std::string path_of(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Copies what a directory holds into the workspace.
  Result<void> copy_in(const std::string& directory) const;

 private:
  explicit Workspace(std::string path) : path_(std::move(path)) {}
  void remove();

  std::string path_;
};

}  // namespace plumb::engine
