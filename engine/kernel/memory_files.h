// SPDX-License-Identifier: Apache-2.0
// The file port of hermetic runs: everything in memory, the same on every machine.
#pragma once

#include <cstdint>
#include <string>

#include "engine/kernel/faults.h"
#include "engine/kernel/files.h"
#include "engine/kernel/memory_tree.h"

namespace plumb::engine {

struct MemoryFilesOptions {
  std::int64_t uid = 1000;        ///< Who calls. 0 bypasses permissions.
  std::int64_t wall_base_ms = 0;  ///< Added to the loop's time for modification times.
};

/// One loop. The loop and the plan outlive it. The setup functions act at once, past permissions
/// and faults; they make missing parents, and assert that they succeed.
class MemoryFiles final : public Files {
 public:
  explicit MemoryFiles(Loop& loop, MemoryFilesOptions options = MemoryFilesOptions());

  Task<Result<FileReply>> perform(FileRequest request) override;

  void set_faults(FaultPlan* plan) { plan_ = plan; }
  void put_file(const std::string& path, std::string content, std::int64_t mode = 0644);
  void put_directory(const std::string& path, std::int64_t mode = 0755);
  void put_symlink(const std::string& path, std::string target);
  void put_hard_link(const std::string& path, const std::string& existing);
  void set_mode(const std::string& path, std::int64_t mode);
  void set_owner(const std::string& path, std::int64_t uid);
  /// Any operation, at once and as root.
  Result<FileReply> perform_now(const FileRequest& request);
  /// Every path but the root, sorted by bytes.
  FileSnapshot snapshot() const { return tree_.snapshot(); }

 private:
  Touch touch_of(const FileRequest& request) const;
  std::string key_of(const FileRequest& request, const std::string& path) const;
  std::int64_t wall_ms() const { return options_.wall_base_ms + loop_->now_ms(); }
  void set_up(const FileRequest& request);

  Loop* loop_;
  MemoryFilesOptions options_;
  FaultPlan* plan_ = nullptr;
  MemoryTree tree_;
};

}  // namespace plumb::engine
