// SPDX-License-Identifier: Apache-2.0
// What lies below a folder, one entry at a time, in the order of bytes, a folder before what is in
// it; without what ignore files leave out (GREP-03, FIND-03). Symbolic links are entries, not
// folders: nothing is seen twice. Memory is bounded by the folders on the way to the entry.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernel/files.h"
#include "engine/tools/builtin/ignore_rules.h"

namespace plumb::engine {

struct WalkEntry {
  WalkEntry() = default;
  std::string path;  ///< Relative to the searched folder.
  FileStat stat;
};

/// Whether to look at an entry, before the ignore files are asked.
enum class WalkChoice : std::uint8_t { take, leave, ask_ignore_files };

struct WalkOptions {
  WalkOptions() = default;
  /// The searched folder, absolute.
  std::string root;
  /// Ignore files above `root` count from here on, or from the repository's folder, whichever is
  /// further up.
  std::string outermost;
  /// The tool's own ignore file, the strongest: .rgignore, .fdignore.
  std::string own_file;
  /// .gitignore counts inside a git repository only.
  bool needs_repository = false;
  /// May be empty: the ignore files are always asked.
  std::function<WalkChoice(const std::string& path, bool is_folder)> choose = {};
};

/// One loop.
class FolderWalk final {
 public:
  FolderWalk(Files& files, WalkOptions options);
  FolderWalk(const FolderWalk&) = delete;
  FolderWalk& operator=(const FolderWalk&) = delete;
  ~FolderWalk();

  /// Errors: those of listing the searched folder itself.
  Task<Result<void>> begin();
  /// The next entry; nothing at the end.
  Task<std::optional<WalkEntry>> next();
  /// Notes an entry that its user could not read.
  void add_unreadable(const std::string& path);
  /// What could not be read, as a notice; "" for nothing.
  std::string unreadable_notice() const;

 private:
  struct Level;
  struct Folder;

  std::string absolute(const std::string& path) const;
  Task<Result<void>> enter(std::string path);
  Task<void> enter_parents();
  Task<std::shared_ptr<const Level>> read_level(std::shared_ptr<const Level> parent,
                                                std::string folder, std::vector<std::string> names);
  Task<IgnoreRules> read_rules(std::string path);
  bool is_left_out(const Folder& folder, const std::string& path, bool is_folder) const;

  Files& files_;
  WalkOptions options_;
  // Shared: a folder and those in it have the ones above in common.
  std::shared_ptr<const Level> level_;
  std::vector<Folder> folders_;
  std::optional<std::string> to_enter_;
  std::string unreadable_;
  std::int64_t unreadable_count_ = 0;
};

}  // namespace plumb::engine
