// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/folder_tree.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace plumb::engine {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannot(const std::string& what, const std::string& path,
                              const std::error_code& error) {
  return fail(ErrorCode::io, "cannot " + what + " " + path + ": " + error.message());
}

/// The place is free and its folder is there.
Result<void> make_room(const std::string& path) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) return cannot("make the folder of", path, error);
  const auto found = fs::symlink_status(path, error);
  if (fs::exists(found) && !fs::is_directory(found)) fs::remove(path, error);
  return {};
}

std::int64_t mode_of(fs::file_status status) {
  return static_cast<std::int64_t>(status.permissions() & fs::perms::mask);
}

std::string content_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// One walk through a folder, within its limits.
struct FolderWalk {
  FileSnapshot snapshot;
  std::int64_t bytes = 0;

  Result<void> add(const fs::directory_entry& entry, const std::string& name);
};

Result<void> FolderWalk::add(const fs::directory_entry& entry, const std::string& name) {
  std::error_code error;
  const auto status = entry.symlink_status(error);
  SnapshotEntry& seen = snapshot[name];
  seen.mode = mode_of(status);
  if (fs::is_symlink(status)) {
    seen.kind = FileKind::symlink;
    seen.content = fs::read_symlink(entry.path(), error).string();
  } else if (fs::is_directory(status)) {
    seen.kind = FileKind::directory;
  } else if (fs::is_regular_file(status)) {
    seen.kind = FileKind::file;
    bytes += static_cast<std::int64_t>(entry.file_size(error));
    if (bytes <= kFolderBytesMax) seen.content = content_of(entry.path());
  }
  if (bytes > kFolderBytesMax || std::ssize(snapshot) > kFolderEntriesMax) {
    return fail(ErrorCode::exhausted, "the folder holds more than " +
                                          std::to_string(kFolderEntriesMax) + " files or " +
                                          std::to_string(kFolderBytesMax) + " bytes");
  }
  return {};
}

}  // namespace

Result<void> put_file(const std::string& path, const std::string& content) {
  if (auto made = make_room(path); !made) return made;
  std::ofstream stream(path, std::ios::binary);
  stream.write(content.data(), std::ssize(content));
  stream.close();
  if (!stream) return fail(ErrorCode::io, "cannot write " + path);
  return {};
}

Result<void> put_directory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return cannot("make the folder", path, error);
  return {};
}

Result<void> put_symlink(const std::string& path, const std::string& target) {
  if (auto made = make_room(path); !made) return made;
  std::error_code error;
  fs::create_symlink(target, path, error);
  if (error) return cannot("make the link", path, error);
  return {};
}

Result<void> put_hard_link(const std::string& path, const std::string& existing) {
  if (auto made = make_room(path); !made) return made;
  std::error_code error;
  fs::create_hard_link(existing, path, error);
  if (error) return cannot("make the hard link", path, error);
  return {};
}

Result<void> remove_entry(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) return cannot("remove", path, error);
  return {};
}

Result<void> set_mode(const std::string& path, std::int64_t mode) {
  std::error_code error;
  fs::permissions(path, static_cast<fs::perms>(mode), error);
  if (error) return cannot("set the mode of", path, error);
  return {};
}

Result<FileSnapshot> look_at_folder(const std::string& folder) {
  std::error_code error;
  FolderWalk walk;
  constexpr auto kOptions = fs::directory_options::skip_permission_denied;
  fs::recursive_directory_iterator entry(folder, kOptions, error);
  if (error) return cannot("look into", folder, error);
  const auto cut = folder.size() + 1;
  for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (auto added = walk.add(*entry, entry->path().string().substr(cut)); !added) {
      return std::unexpected(std::move(added).error());
    }
    if (error) break;
  }
  return std::move(walk.snapshot);
}

}  // namespace plumb::engine
