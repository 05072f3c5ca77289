// SPDX-License-Identifier: Apache-2.0
// How resources are read: folders listed in name order with links followed, ignore files applied,
// and limits on what is read (resources.yaml extension_discovery, skills).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/files.h"
#include "engine/tools/builtin/ignore_rules.h"

namespace plumb::engine {

/// A longer file is no resource.
inline constexpr std::int64_t kResourceBytesMax = std::int64_t{4} << 20;
/// A search goes this many folders down.
inline constexpr std::int64_t kResourceDepthMax = 32;
/// Entries of one folder that a search looks at.
inline constexpr std::int64_t kResourceEntriesMax = 20'000;

/// Where a session looks for resources. All absolute.
struct ResourcePlaces {
  std::string cwd;
  std::string user_folder;  ///< The user's configuration, `~/.pi/agent`.
  std::string home;
  bool operator==(const ResourcePlaces&) const = default;
};

/// `.pi` of a working directory.
std::string project_folder(std::string_view cwd);
/// An absolute path: `path` itself, below `home` for `~`, else below `base`. Dots are resolved.
std::string resource_path(std::string_view path, std::string_view base, std::string_view home);
/// The last part of a path.
std::string base_name(std::string_view path);
/// `path` lies in `folder` or is the folder.
bool is_within(std::string_view path, std::string_view folder);
/// Without a byte order mark at its beginning.
std::string without_mark(std::string text);

struct FolderEntry {
  std::string name;
  std::string path;
  bool is_folder = false;  ///< Else a regular file; links count as what they lead to.
};

/// The ignore files on the way from the root of a search to where it is. A value: a copy goes down
/// into each folder.
class IgnoreChain final {
 public:
  void add(std::string folder, IgnoreRules rules);
  /// What the file nearest to `path` says decides.
  bool ignores(const std::string& path, bool is_folder) const;

 private:
  std::vector<std::pair<std::string, IgnoreRules>> files_;
};

/// The real folders that one search has been in: links may lead in circles, or to one folder in
/// many ways.
using SearchedFolders = std::vector<std::string>;

/// One loop. Borrows the file port.
class ResourceFiles final {
 public:
  explicit ResourceFiles(Files& files) : files_(files) {}

  /// What a path leads to; nothing for what is not there, a dangling link included.
  Task<std::optional<FileKind>> kind(std::string path);
  Task<bool> exists(std::string path);
  /// Errors: those of reading; exhausted, beyond kResourceBytesMax.
  Task<Result<std::string>> read(std::string path);
  /// Visible entries in name order, `.` names and node_modules left out, dangling links too
  /// (DISC-06, SKILL-06). Empty for a folder that cannot be listed.
  Task<std::vector<FolderEntry>> entries(std::string folder);
  /// `chain` with the ignore files of one more folder.
  Task<IgnoreChain> enter(IgnoreChain chain, std::string folder);
  /// Whether a search goes into a folder at this depth: each real one is searched once, where it is
  /// met first (RES-11). Notes it in `searched`.
  Task<bool> may_search(SearchedFolders& searched, std::string folder, std::int64_t depth);
  /// entries, less those that the folder's own ignore files name.
  Task<std::vector<FolderEntry>> wanted_entries(std::string folder);
  /// The real path, or the path itself where there is none: one file has one key (RES-11).
  Task<std::string> key(std::string path);

  Files& port() { return files_; }

 private:
  Files& files_;
};

}  // namespace plumb::engine
