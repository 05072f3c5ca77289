// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/folder_walk.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/tools/builtin/text_decoding.h"

namespace plumb::engine {
namespace {

std::string joined(const std::string& folder, const std::string& name) {
  if (folder.empty()) return name;
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether `path` is `folder` or below it.
bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

/// The folders from `first` down to the one above `last`.
std::vector<std::string> folders_between(const std::string& first, const std::string& last) {
  std::vector<std::string> folders;
  for (std::string at = last; at != first && at != "/";) {
    at = parent_path(at);
    folders.push_back(at);
  }
  std::ranges::reverse(folders);
  return folders;
}

}  // namespace

/// The ignore files of a folder, and those above it.
struct FolderWalk::Level {
  std::string folder;  ///< Absolute.
  bool is_repository = false;
  bool is_in_repository = false;
  IgnoreRules own;
  IgnoreRules plain;
  IgnoreRules git;
  IgnoreRules exclude;
  std::shared_ptr<const Level> parent;
};

/// A folder on the way to the entry.
struct FolderWalk::Folder {
  std::string path;  ///< Relative to the searched folder.
  std::vector<std::string> names;
  std::size_t next = 0;
  std::shared_ptr<const Level> level;
};

FolderWalk::FolderWalk(Files& files, WalkOptions options)
    : files_(files), options_(std::move(options)) {}

FolderWalk::~FolderWalk() = default;

std::string FolderWalk::absolute(const std::string& path) const {
  return path.empty() ? options_.root : joined(options_.root, path);
}

Task<Result<void>> FolderWalk::begin() {
  co_await enter_parents();
  auto entered = co_await enter("");
  co_return entered;
}

Task<IgnoreRules> FolderWalk::read_rules(std::string path) {
  const auto text = co_await files_.read(std::move(path));
  co_return text ? IgnoreRules::parse(*text) : IgnoreRules();
}

Task<std::shared_ptr<const FolderWalk::Level>> FolderWalk::read_level(
    std::shared_ptr<const Level> parent, std::string folder, std::vector<std::string> names) {
  auto level = std::make_shared<Level>();
  level->folder = folder;
  level->is_repository = has_name(names, ".git");
  level->is_in_repository = level->is_repository || (parent != nullptr && parent->is_in_repository);
  level->parent = std::move(parent);
  if (has_name(names, options_.own_file)) {
    level->own = co_await read_rules(joined(folder, options_.own_file));
  }
  if (has_name(names, ".ignore")) level->plain = co_await read_rules(joined(folder, ".ignore"));
  const bool reads_git = level->is_in_repository || !options_.needs_repository;
  if (reads_git && has_name(names, ".gitignore")) {
    level->git = co_await read_rules(joined(folder, ".gitignore"));
  }
  if (level->is_repository) {
    level->exclude = co_await read_rules(joined(folder, ".git/info/exclude"));
  }
  co_return level;
}

/// The ignore files above the searched folder, from its repository's folder on.
Task<void> FolderWalk::enter_parents() {
  std::string first =
      is_within(options_.root, options_.outermost) ? options_.outermost : options_.root;
  for (std::string at = options_.root;; at = parent_path(at)) {
    const auto git = co_await files_.stat(joined(at, ".git"));
    if (git && is_within(first, at)) first = at;
    if (git || at == "/") break;
  }
  for (const auto& folder : folders_between(first, options_.root)) {
    const auto names = co_await files_.list(folder);
    const auto found = names.value_or(std::vector<std::string>());
    auto level = co_await read_level(level_, folder, found);
    level_ = std::move(level);
  }
}

Task<Result<void>> FolderWalk::enter(std::string path) {
  auto names = co_await files_.list(absolute(path));
  if (!names) co_return std::unexpected(names.error());
  Folder folder;
  folder.path = std::move(path);
  folder.names = *std::move(names);
  const auto parent = folders_.empty() ? level_ : folders_.back().level;
  folder.level = co_await read_level(parent, absolute(folder.path), folder.names);
  folders_.push_back(std::move(folder));
  co_return Result<void>();
}

Task<std::optional<WalkEntry>> FolderWalk::next() {
  if (to_enter_) {
    std::string path = *std::exchange(to_enter_, std::nullopt);
    const auto entered = co_await enter(path);
    if (!entered) add_unreadable(path);
  }
  while (!folders_.empty()) {
    Folder& folder = folders_.back();
    if (folder.next == folder.names.size()) {
      folders_.pop_back();
      continue;
    }
    WalkEntry entry;
    entry.path = joined(folder.path, folder.names[folder.next++]);
    const auto stat = co_await files_.lstat(absolute(entry.path));
    if (!stat) continue;
    entry.stat = *stat;
    const bool is_folder = stat->kind == FileKind::directory;
    if (is_left_out(folders_.back(), entry.path, is_folder)) continue;
    if (is_folder) to_enter_ = entry.path;
    co_return entry;
  }
  co_return std::nullopt;
}

/// The nearest file that says something decides; the program's own file before .ignore, that before
/// .gitignore, that before .git/info/exclude. A repository hides the .gitignore files above it.
bool FolderWalk::is_left_out(const Folder& folder, const std::string& path, bool is_folder) const {
  if (options_.choose) {
    const WalkChoice choice = options_.choose(path, is_folder);
    if (choice != WalkChoice::ask_ignore_files) return choice == WalkChoice::leave;
  }
  const std::string whole = absolute(path);
  std::array<std::optional<IgnoreVerdict>, 4> verdicts;
  bool asks_git = folder.level->is_in_repository || !options_.needs_repository;
  for (const Level* level = folder.level.get(); level != nullptr; level = level->parent.get()) {
    const auto begin = level->folder.size() + (level->folder.ends_with('/') ? 0 : 1);
    const auto below = std::string_view(whole).substr(begin);
    const auto ask = [&](std::size_t rank, const IgnoreRules& rules) {
      if (!verdicts[rank]) verdicts[rank] = rules.judge(below, is_folder);
    };
    ask(0, level->own);
    ask(1, level->plain);
    if (!asks_git) continue;
    ask(2, level->git);
    ask(3, level->exclude);
    asks_git = !level->is_repository;
  }
  const auto* const first =
      std::ranges::find_if(verdicts, [](const auto& verdict) { return verdict.has_value(); });
  return first != verdicts.end() && *first == IgnoreVerdict::ignored;
}

void FolderWalk::add_unreadable(const std::string& path) {
  if (unreadable_count_++ == 0) unreadable_ = decode_text(path);
}

std::string FolderWalk::unreadable_notice() const {
  if (unreadable_count_ == 0) return "";
  if (unreadable_count_ == 1) return unreadable_ + " could not be read";
  return std::to_string(unreadable_count_) + " files or folders could not be read, among them " +
         unreadable_;
}

}  // namespace plumb::engine
