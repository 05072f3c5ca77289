// SPDX-License-Identifier: Apache-2.0
// The file system behind MemoryFiles, without a loop: an inode table with symbolic and hard links,
// owners and permission bits, and path resolution as POSIX has it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/files.h"

namespace plumb::engine {

/// Links followed in one resolution before it is a loop.
inline constexpr std::int64_t kSymlinksMax = 40;

struct Inode {
  FileKind kind = FileKind::file;
  std::int64_t mode = 0;
  std::int64_t uid = 0;
  std::int64_t mtime_ms = 0;
  std::string content;                          ///< A file's bytes, a symbolic link's target.
  std::map<std::string, std::int64_t> entries;  ///< A directory's names.
};

/// Where a path leads. `inode` is empty when only the last name is missing.
struct Resolved {
  std::int64_t parent = 0;
  std::string name;  ///< Empty for the root, and where the path ends in "..".
  std::optional<std::int64_t> inode;
  std::string real_path;
};

enum class LastLink : std::uint8_t { follow, keep };

/// What a snapshot shows of a path: a file's bytes or a link's target.
struct SnapshotEntry {
  FileKind kind = FileKind::file;
  std::string content;
  std::int64_t mode = 0;

  bool operator==(const SnapshotEntry&) const = default;
};
using FileSnapshot = std::map<std::string, SnapshotEntry>;

/// Thread-compatible. Calls are checked as `uid`; 0 may do everything.
class MemoryTree {
 public:
  explicit MemoryTree(std::int64_t uid);

  Result<FileReply> perform(const FileRequest& request, std::int64_t now_ms);
  Result<Resolved> resolve(const FileRequest& request, const std::string& path,
                           LastLink last) const;

  Inode& inode(std::int64_t id) { return inodes_.at(id); }
  const Inode& inode(std::int64_t id) const { return inodes_.at(id); }
  FileSnapshot snapshot() const;
  std::int64_t uid() const { return uid_; }
  void set_uid(std::int64_t uid) { uid_ = uid; }

 private:
  struct Walk;
  Result<void> walk_name(Walk& walk, std::string name, bool is_last) const;
  Result<void> check_directory(const Walk& walk) const;
  Result<std::int64_t> existing(const FileRequest& request, LastLink last) const;
  Result<std::int64_t> readable_file(const FileRequest& request) const;
  Result<Resolved> new_entry(const FileRequest& request, const std::string& path) const;
  Result<void> check_parent(const FileRequest& request, const Resolved& at) const;
  bool allows(const Inode& node, std::int64_t bits) const;

  Result<FileReply> access(const FileRequest& request) const;
  Result<FileReply> read(const FileRequest& request) const;
  Result<FileReply> write(const FileRequest& request);
  Result<FileReply> stat(const FileRequest& request, LastLink last) const;
  Result<FileReply> real_path(const FileRequest& request) const;
  Result<FileReply> list(const FileRequest& request) const;
  Result<FileReply> make_directory(const FileRequest& request);
  Result<FileReply> make_directories(const FileRequest& request);
  Result<FileReply> remove(const FileRequest& request);
  Result<FileReply> rename(const FileRequest& request);
  Result<void> check_replacement(const FileRequest& request, const Resolved& from,
                                 const Resolved& to) const;
  Result<FileReply> symlink(const FileRequest& request);
  Result<FileReply> read_link(const FileRequest& request) const;
  Result<FileReply> change_mode(const FileRequest& request);
  Result<FileReply> hard_link(const FileRequest& request);

  std::int64_t add(const Resolved& at, Inode node);
  void unlink(const Resolved& at);
  std::int64_t link_count(std::int64_t id) const;
  void snapshot_into(FileSnapshot& taken, const std::string& path, std::int64_t id) const;

  std::map<std::int64_t, Inode> inodes_;
  std::int64_t next_inode_ = 2;
  std::int64_t uid_;
  std::int64_t now_ms_ = 0;
};

}  // namespace plumb::engine
