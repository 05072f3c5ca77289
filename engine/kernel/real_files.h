// SPDX-License-Identifier: Apache-2.0
// The file port of live runs: system calls, held inside the folders that a run may touch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/kernel/files.h"

namespace plumb::engine {

struct RealFilesOptions {
  /// Folders that calls may lead into, symbolic links followed; others are refused (permission).
  /// Empty: all.
  std::vector<std::string> roots = {};
  /// A longer file is not read (EFBIG).
  std::int64_t read_bytes_max = std::int64_t{256} << 20;
};

/// One loop. A call blocks for as long as the system takes. Only regular files are read and
/// written: a device or a pipe may have no end (EINVAL).
class RealFiles final : public Files {
 public:
  explicit RealFiles(Loop& loop, RealFilesOptions options = RealFilesOptions());
  Task<Result<FileReply>> perform(FileRequest request) override;

 private:
  Result<void> check_roots(const FileRequest& request) const;
  bool is_inside(const std::string& path) const;

  Loop* loop_;
  std::vector<std::string> roots_;
  std::int64_t read_bytes_max_;
};

}  // namespace plumb::engine
