// SPDX-License-Identifier: Apache-2.0
// A workspace in memory, mirrored on disk for a process that knows only real files. One of both
// sides runs at a time, so what has changed since the last turn is all that has to be copied.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/extensions/hosted/host_message.h"
#include "engine/kernel/memory_files.h"
#include "engine/trace/trace.h"

namespace plumb::simulator {

/// One loop. What the other side changed is recorded as operations of the file port that belong to
/// no call; what cannot be copied stays as it was, with a diagnostic.
class DiskMirror final {
 public:
  DiskMirror(engine::MemoryFiles& memory, Recorder& recorder,
             std::vector<engine::FolderPair> folders)
      : memory_(memory), recorder_(recorder), folders_(std::move(folders)) {}

  /// Memory to disk, before the other side's turn.
  void write_out();
  /// Disk to memory, after it.
  void read_back();

 private:
  engine::FileSnapshot in_memory() const;
  engine::FileSnapshot on_disk();
  std::string real_path(const std::string& path) const;
  Result<void> copy_out(const std::string& path, const engine::SnapshotEntry& entry) const;
  void copy_back(const std::string& path, const engine::SnapshotEntry& entry);
  void remove_from_memory(const std::string& path);
  void record(const std::string& op, const std::string& path, const std::string& content);
  void complain(const Error& error);

  engine::MemoryFiles& memory_;
  Recorder& recorder_;
  std::vector<engine::FolderPair> folders_;
  engine::FileSnapshot known_;  ///< What both sides have, by the paths of memory.
};

}  // namespace plumb::simulator
