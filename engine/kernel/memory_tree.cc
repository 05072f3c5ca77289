// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/memory_tree.h"

#include <algorithm>
#include <utility>

namespace plumb::engine {
namespace {

constexpr std::int64_t kRootInode = 1;
constexpr std::int64_t kRead = 4;
constexpr std::int64_t kWrite = 2;
constexpr std::int64_t kSearch = 1;
constexpr std::int64_t kNewFileMode = 0644;
constexpr std::int64_t kNewDirectoryMode = 0755;
constexpr std::int64_t kModeBits = 07777;

/// The names of a path, last first: the walk takes them from the back.
std::vector<std::string> reversed_names(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const auto slash = path.find('/');
    if (slash != 0) names.emplace_back(path.substr(0, slash));
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  std::ranges::reverse(names);
  return names;
}

std::int64_t access_bits(AccessMode mode) {
  if (mode == AccessMode::read) return kRead;
  return mode == AccessMode::write ? kWrite : kRead | kWrite;
}

Inode new_inode(FileKind kind, std::int64_t mode, std::string content) {
  Inode node;
  node.kind = kind;
  node.mode = mode;
  node.content = std::move(content);
  return node;
}

}  // namespace

/// A resolution under way: where it stands, and what is left of the path.
struct MemoryTree::Walk {
  const FileRequest* request;
  LastLink last;
  std::vector<std::string> left;
  std::vector<std::pair<std::string, std::int64_t>> stack;  // below the root
  std::int64_t links = 0;
  bool is_missing = false;
  std::string missing_name;

  std::int64_t at() const { return stack.empty() ? kRootInode : stack.back().second; }
};

MemoryTree::MemoryTree(std::int64_t uid) : uid_(uid) {
  Inode root = new_inode(FileKind::directory, kNewDirectoryMode, "");
  root.uid = uid;
  inodes_.emplace(kRootInode, std::move(root));
}

bool MemoryTree::allows(const Inode& node, std::int64_t bits) const {
  if (uid_ == 0) return true;
  const std::int64_t granted = node.uid == uid_ ? node.mode >> 6 : node.mode;
  return (granted & bits) == bits;
}

Result<void> MemoryTree::check_directory(const Walk& walk) const {
  const Inode& node = inode(walk.at());
  if (node.kind != FileKind::directory) {
    return std::unexpected(file_error(ErrorCode::not_directory, *walk.request));
  }
  if (!allows(node, kSearch))
    return std::unexpected(file_error(ErrorCode::permission, *walk.request));
  return {};
}

Result<void> MemoryTree::walk_name(Walk& walk, std::string name, bool is_last) const {
  if (auto checked = check_directory(walk); !checked) return checked;
  if (name == ".") return {};
  if (name == "..") {
    if (!walk.stack.empty()) walk.stack.pop_back();
    return {};
  }
  const Inode& folder = inode(walk.at());
  const auto found = folder.entries.find(name);
  if (found == folder.entries.end()) {
    if (!is_last) return std::unexpected(file_error(ErrorCode::not_found, *walk.request));
    walk.is_missing = true;
    walk.missing_name = std::move(name);
    return {};
  }
  const Inode& node = inode(found->second);
  if (node.kind != FileKind::symlink || (is_last && walk.last == LastLink::keep)) {
    walk.stack.emplace_back(std::move(name), found->second);
    return {};
  }
  if (++walk.links > kSymlinksMax)
    return std::unexpected(file_error(ErrorCode::loop, *walk.request));
  if (node.content.starts_with('/')) walk.stack.clear();
  for (auto& part : reversed_names(node.content)) walk.left.push_back(std::move(part));
  return {};
}

Result<Resolved> MemoryTree::resolve(const FileRequest& request, const std::string& path,
                                     LastLink last) const {
  Walk walk{&request, last, reversed_names(path), {}, 0, false, ""};
  // A trailing slash asks for a directory; only a new one may be named so.
  if (path.ends_with('/') && request.op != FileOp::make_directory)
    walk.left.insert(walk.left.begin(), ".");
  while (!walk.left.empty()) {
    std::string name = std::move(walk.left.back());
    walk.left.pop_back();
    const bool is_last = walk.left.empty();
    if (auto walked = walk_name(walk, std::move(name), is_last); !walked) {
      return std::unexpected(std::move(walked).error());
    }
  }
  Resolved resolved;
  for (const auto& [name, id] : walk.stack) resolved.real_path += "/" + name;
  if (walk.is_missing) {
    resolved.parent = walk.at();
    resolved.name = walk.missing_name;
    resolved.real_path += "/" + resolved.name;
    return resolved;
  }
  if (resolved.real_path.empty()) resolved.real_path = "/";
  resolved.inode = walk.at();
  if (walk.stack.empty()) return resolved;
  resolved.name = walk.stack.back().first;
  walk.stack.pop_back();
  resolved.parent = walk.at();
  return resolved;
}

Result<std::int64_t> MemoryTree::existing(const FileRequest& request, LastLink last) const {
  PLUMB_TRY(const Resolved at, resolve(request, request.path, last));
  if (!at.inode) return std::unexpected(file_error(ErrorCode::not_found, request));
  return *at.inode;
}

Result<void> MemoryTree::check_parent(const FileRequest& request, const Resolved& at) const {
  if (!allows(inode(at.parent), kWrite | kSearch)) {
    return std::unexpected(file_error(ErrorCode::permission, request));
  }
  return {};
}

Result<Resolved> MemoryTree::new_entry(const FileRequest& request, const std::string& path) const {
  PLUMB_TRY(Resolved at, resolve(request, path, LastLink::keep));
  if (at.inode) return std::unexpected(file_error(ErrorCode::exists, request));
  if (auto checked = check_parent(request, at); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  return at;
}

Result<FileReply> MemoryTree::access(const FileRequest& request) const {
  PLUMB_TRY(const std::int64_t id, existing(request, LastLink::follow));
  if (!allows(inode(id), access_bits(request.access))) {
    return std::unexpected(file_error(ErrorCode::permission, request));
  }
  return FileReply();
}

Result<std::int64_t> MemoryTree::readable_file(const FileRequest& request) const {
  PLUMB_TRY(const std::int64_t id, existing(request, LastLink::follow));
  const Inode& node = inode(id);
  if (!allows(node, kRead)) return std::unexpected(file_error(ErrorCode::permission, request));
  return id;
}

Result<FileReply> MemoryTree::read(const FileRequest& request) const {
  PLUMB_TRY(const std::int64_t id, readable_file(request));
  const Inode& node = inode(id);
  if (node.kind == FileKind::directory) {
    return std::unexpected(file_error(ErrorCode::is_directory, request));
  }
  return FileReply(node.content);
}

Result<FileReply> MemoryTree::write(const FileRequest& request) {
  const LastLink last = request.is_new ? LastLink::keep : LastLink::follow;
  PLUMB_TRY(const Resolved at, resolve(request, request.path, last));
  if (!at.inode) {
    if (auto checked = check_parent(request, at); !checked) {
      return std::unexpected(std::move(checked).error());
    }
    const std::int64_t mode = request.is_new ? request.mode : kNewFileMode;
    add(at, new_inode(FileKind::file, mode, request.content));
    return FileReply();
  }
  if (request.is_new) return std::unexpected(file_error(ErrorCode::exists, request));
  Inode& node = inode(*at.inode);
  if (node.kind == FileKind::directory) {
    return std::unexpected(file_error(ErrorCode::is_directory, request));
  }
  if (!allows(node, kWrite)) return std::unexpected(file_error(ErrorCode::permission, request));
  if (request.op == FileOp::append) {
    node.content += request.content;
  } else {
    node.content = request.content;
  }
  node.mtime_ms = now_ms_;
  return FileReply();
}

Result<FileReply> MemoryTree::stat(const FileRequest& request, LastLink last) const {
  PLUMB_TRY(const std::int64_t id, existing(request, last));
  const Inode& node = inode(id);
  FileStat stat;
  stat.kind = node.kind;
  stat.size = std::ssize(node.content);
  stat.mode = node.mode;
  stat.mtime_ms = node.mtime_ms;
  stat.inode = id;
  stat.uid = node.uid;
  return FileReply(stat);
}

Result<FileReply> MemoryTree::real_path(const FileRequest& request) const {
  PLUMB_TRY(Resolved at, resolve(request, request.path, LastLink::follow));
  if (!at.inode) return std::unexpected(file_error(ErrorCode::not_found, request));
  return FileReply(std::move(at.real_path));
}

Result<FileReply> MemoryTree::list(const FileRequest& request) const {
  PLUMB_TRY(const std::int64_t id, readable_file(request));
  const Inode& node = inode(id);
  if (node.kind != FileKind::directory) {
    return std::unexpected(file_error(ErrorCode::not_directory, request));
  }
  std::vector<std::string> names;
  for (const auto& [name, entry] : node.entries) names.push_back(name);
  return FileReply(std::move(names));
}

Result<FileReply> MemoryTree::make_directory(const FileRequest& request) {
  if (request.is_recursive) return make_directories(request);
  PLUMB_TRY(const Resolved at, new_entry(request, request.path));
  add(at, new_inode(FileKind::directory, kNewDirectoryMode, ""));
  return FileReply();
}

Result<FileReply> MemoryTree::make_directories(const FileRequest& request) {
  FileRequest single = request;
  single.is_recursive = false;
  auto made = make_directory(single);
  if (made) return made;
  if (made.error().code == ErrorCode::exists) {
    const auto found = existing(request, LastLink::follow);
    const bool is_there = found && inode(*found).kind == FileKind::directory;
    return is_there ? Result<FileReply>() : made;
  }
  if (made.error().code != ErrorCode::not_found) return made;
  FileRequest parent = request;
  parent.path = parent_path(normal_path(request.path));
  if (auto above = make_directories(parent); !above) return above;
  return make_directory(single);
}

Result<FileReply> MemoryTree::remove(const FileRequest& request) {
  PLUMB_TRY(const Resolved at, resolve(request, request.path, LastLink::keep));
  if (!at.inode) return std::unexpected(file_error(ErrorCode::not_found, request));
  if (*at.inode == kRootInode) return std::unexpected(file_error(ErrorCode::permission, request));
  if (auto checked = check_parent(request, at); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  if (!inode(*at.inode).entries.empty()) {
    return std::unexpected(file_io_error("ENOTEMPTY: directory not empty", request));
  }
  unlink(at);
  return FileReply();
}

Result<void> MemoryTree::check_replacement(const FileRequest& request, const Resolved& from,
                                           const Resolved& to) const {
  const bool moves_directory = inode(*from.inode).kind == FileKind::directory;
  if (moves_directory && to.real_path.starts_with(from.real_path + "/")) {
    return std::unexpected(file_io_error("EINVAL: invalid argument", request));
  }
  if (!to.inode) return {};
  const Inode& replaced = inode(*to.inode);
  const bool replaces_directory = replaced.kind == FileKind::directory;
  if (moves_directory && !replaces_directory) {
    return std::unexpected(file_error(ErrorCode::not_directory, request));
  }
  if (!moves_directory && replaces_directory) {
    return std::unexpected(file_error(ErrorCode::is_directory, request));
  }
  if (!replaced.entries.empty()) {
    return std::unexpected(file_io_error("ENOTEMPTY: directory not empty", request));
  }
  return {};
}

Result<FileReply> MemoryTree::rename(const FileRequest& request) {
  PLUMB_TRY(const Resolved from, resolve(request, request.path, LastLink::keep));
  if (!from.inode) return std::unexpected(file_error(ErrorCode::not_found, request));
  PLUMB_TRY(const Resolved to, resolve(request, request.other, LastLink::keep));
  if (from.name.empty() || to.name.empty()) {
    return std::unexpected(file_error(ErrorCode::permission, request));
  }
  for (const Resolved* side : {&from, &to}) {
    if (auto checked = check_parent(request, *side); !checked) {
      return std::unexpected(std::move(checked).error());
    }
  }
  if (auto checked = check_replacement(request, from, to); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  if (to.inode == from.inode) return FileReply();
  const std::int64_t moved = *from.inode;
  if (to.inode) unlink(to);
  inode(from.parent).entries.erase(from.name);
  inode(to.parent).entries[to.name] = moved;
  return FileReply();
}

Result<FileReply> MemoryTree::symlink(const FileRequest& request) {
  PLUMB_TRY(const Resolved at, new_entry(request, request.path));
  add(at, new_inode(FileKind::symlink, 0777, request.other));
  return FileReply();
}

Result<FileReply> MemoryTree::read_link(const FileRequest& request) const {
  PLUMB_TRY(const std::int64_t id, existing(request, LastLink::keep));
  const Inode& node = inode(id);
  if (node.kind != FileKind::symlink) {
    return std::unexpected(file_io_error("EINVAL: invalid argument", request));
  }
  return FileReply(node.content);
}

Result<FileReply> MemoryTree::change_mode(const FileRequest& request) {
  PLUMB_TRY(const std::int64_t id, existing(request, LastLink::follow));
  Inode& node = inode(id);
  if (uid_ != 0 && node.uid != uid_) {
    return std::unexpected(file_error(ErrorCode::permission, request));
  }
  node.mode = request.mode & kModeBits;
  return FileReply();
}

Result<FileReply> MemoryTree::hard_link(const FileRequest& request) {
  PLUMB_TRY(const std::int64_t id, existing(request, LastLink::keep));
  if (inode(id).kind == FileKind::directory) {
    return std::unexpected(file_error(ErrorCode::permission, request));
  }
  PLUMB_TRY(const Resolved at, new_entry(request, request.other));
  inode(at.parent).entries[at.name] = id;
  return FileReply();
}

Result<FileReply> MemoryTree::perform(const FileRequest& request, std::int64_t now_ms) {
  now_ms_ = now_ms;
  if (!has_absolute_paths(request)) {
    return std::unexpected(file_io_error("EINVAL: invalid argument", request));
  }
  switch (request.op) {
    case FileOp::access:
      return access(request);
    case FileOp::read:
      return read(request);
    case FileOp::write:
    case FileOp::append:
      return write(request);
    case FileOp::stat:
      return stat(request, LastLink::follow);
    case FileOp::lstat:
      return stat(request, LastLink::keep);
    case FileOp::real_path:
      return real_path(request);
    case FileOp::list:
      return list(request);
    case FileOp::make_directory:
      return make_directory(request);
    case FileOp::remove:
      return remove(request);
    case FileOp::rename:
      return rename(request);
    case FileOp::symlink:
      return symlink(request);
    case FileOp::read_link:
      return read_link(request);
    case FileOp::change_mode:
      return change_mode(request);
    case FileOp::hard_link:
      return hard_link(request);
  }
  return std::unexpected(file_error(ErrorCode::io, request));
}

std::int64_t MemoryTree::add(const Resolved& at, Inode node) {
  node.uid = uid_;
  node.mtime_ms = now_ms_;
  const std::int64_t id = next_inode_++;
  inodes_.emplace(id, std::move(node));
  inode(at.parent).entries[at.name] = id;
  return id;
}

void MemoryTree::unlink(const Resolved& at) {
  inode(at.parent).entries.erase(at.name);
  if (link_count(*at.inode) == 0) inodes_.erase(*at.inode);
}

std::int64_t MemoryTree::link_count(std::int64_t id) const {
  std::int64_t count = 0;
  for (const auto& [folder, node] : inodes_) {
    count += std::ranges::count(node.entries, id, [](const auto& entry) { return entry.second; });
  }
  return count;
}

FileSnapshot MemoryTree::snapshot() const {
  FileSnapshot taken;
  for (const auto& [name, id] : inode(kRootInode).entries) snapshot_into(taken, "/" + name, id);
  return taken;
}

void MemoryTree::snapshot_into(FileSnapshot& taken, const std::string& path,
                               std::int64_t id) const {
  const Inode& node = inode(id);
  taken.emplace(path, SnapshotEntry{node.kind, node.content, node.mode});
  for (const auto& [name, entry] : node.entries) snapshot_into(taken, path + "/" + name, entry);
}

}  // namespace plumb::engine
