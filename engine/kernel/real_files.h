// SPDX-License-Identifier: Apache-2.0
// The file port of live runs: system calls, held inside the folders that a run may touch.
#pragma once

#include <string>
#include <vector>

#include "engine/kernel/files.h"

namespace plumb::engine {

struct RealFilesOptions {
  /// Folders that calls may lead into, symbolic links followed; others are refused (permission).
  /// Empty: all.
  std::vector<std::string> roots = {};
};

/// One loop. A call blocks for as long as the system takes.
class RealFiles final : public Files {
 public:
  explicit RealFiles(Loop& loop, RealFilesOptions options = RealFilesOptions());
  Task<Result<FileReply>> perform(FileRequest request) override;

 private:
  Result<void> check_roots(const FileRequest& request) const;
  bool is_inside(const std::string& path) const;

  Loop* loop_;
  std::vector<std::string> roots_;
};

}  // namespace plumb::engine
