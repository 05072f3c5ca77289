// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/real_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/kernel/owned_fd.h"

namespace plumb::engine {
namespace {

constexpr std::int64_t kLinksMax = 40;
constexpr std::int64_t kReadBlock = 65'536;
constexpr mode_t kFileMode = 0644;
constexpr mode_t kDirectoryMode = 0755;

using Reply = Result<FileReply>;

std::unexpected<Error> failed(const FileRequest& request) {
  return std::unexpected(file_errno_error(errno, request));
}

Reply done_if(bool is_done, const FileRequest& request) {
  if (!is_done) return failed(request);
  return FileReply();
}

Reply real_access(const FileRequest& request) {
  int mode = 0;
  if (request.access != AccessMode::write) mode |= R_OK;
  if (request.access != AccessMode::read) mode |= W_OK;
  return done_if(::access(request.path.c_str(), mode) == 0, request);
}

std::unexpected<Error> no_regular_file(const FileRequest& request) {
  return std::unexpected(file_io_error("EINVAL: not a regular file", request));
}

std::unexpected<Error> too_large(const FileRequest& request) {
  return std::unexpected(file_io_error("EFBIG: file too large", request));
}

/// Up to `room` bytes more, straight into the text: growing piece by piece would copy a long file
/// many times. Returns how many came, 0 at the end, -1 with errno set.
std::int64_t append_from(int file, std::int64_t room, std::string& bytes) {
  const auto old_size = bytes.size();
  ssize_t count = 0;
  bytes.resize_and_overwrite(old_size + static_cast<std::size_t>(room), [&](char* data, auto) {
    do {
      count = ::read(file, data + old_size, static_cast<std::size_t>(room));
    } while (count < 0 && errno == EINTR);
    return old_size + static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  });
  return count;
}

Reply real_read(const FileRequest& request, std::int64_t bytes_max) {
  // A named pipe without a writer must not hold the loop.
  const OwnedFd file(::open(request.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return failed(request);
  struct stat found = {};
  if (::fstat(file.get(), &found) != 0) return failed(request);
  // A directory gives its own error when it is read.
  if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) return no_regular_file(request);
  std::string bytes;
  // One more than its size: a file that does not grow is read, and seen to end, in one piece.
  std::int64_t room = std::min<std::int64_t>(found.st_size, bytes_max) + 1;
  while (true) {
    const auto count = append_from(file.get(), room, bytes);
    if (count < 0) return failed(request);
    if (count == 0) return FileReply(std::move(bytes));
    // Also of files that grow, and of those that have no size of their own.
    if (std::ssize(bytes) > bytes_max) return too_large(request);
    room -= count;
    if (room == 0) room = kReadBlock;
  }
}

bool write_all(int file, std::string_view left) {
  while (!left.empty()) {
    const ssize_t count = ::write(file, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

Reply real_append(const FileRequest& request) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_APPEND;
  const OwnedFd file(::open(request.path.c_str(), kFlags, kFileMode));
  struct stat found = {};
  if (!file.is_open() || ::fstat(file.get(), &found) != 0) return failed(request);
  if (!S_ISREG(found.st_mode)) return no_regular_file(request);
  if (!write_all(file.get(), request.content)) return failed(request);
  return FileReply();
}

/// Room for `size` bytes, or errno. A file system that cannot reserve has to be trusted.
int reserve(int file, off_t old_size, off_t size) {
  if (size <= old_size) return 0;
  const int error = ::posix_fallocate(file, old_size, size - old_size);
  return error == EOPNOTSUPP || error == EINVAL ? 0 : error;
}

/// In place, so that mode, owner and links stay. The room is taken before the first byte changes: a
/// full disk leaves the old content.
Reply real_write(const FileRequest& request) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (request.is_new ? O_EXCL : 0);
  const auto mode = request.is_new ? static_cast<mode_t>(request.mode) : kFileMode;
  const OwnedFd file(::open(request.path.c_str(), flags, mode));
  struct stat found = {};
  if (!file.is_open() || ::fstat(file.get(), &found) != 0) return failed(request);
  if (!S_ISREG(found.st_mode)) return no_regular_file(request);
  // The umask may have taken bits away.
  if (request.is_new && ::fchmod(file.get(), mode) != 0) return failed(request);
  const auto size = static_cast<off_t>(request.content.size());
  if (const int error = reserve(file.get(), found.st_size, size); error != 0) {
    // What was reserved before it failed goes back; the first error counts.
    const bool is_restored = ::ftruncate(file.get(), found.st_size) == 0;
    errno = is_restored ? error : EIO;
    return failed(request);
  }
  if (!write_all(file.get(), request.content)) return failed(request);
  if (::ftruncate(file.get(), size) != 0) return failed(request);
  return FileReply();
}

FileKind kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return FileKind::directory;
  return S_ISLNK(mode) ? FileKind::symlink : FileKind::file;
}

Reply real_stat(const FileRequest& request) {
  struct stat found = {};
  const bool follows = request.op == FileOp::stat;
  const int failure =
      follows ? ::stat(request.path.c_str(), &found) : ::lstat(request.path.c_str(), &found);
  if (failure != 0) return failed(request);
  FileStat stat;
  stat.kind = kind_of(found.st_mode);
  stat.size = found.st_size;
  stat.mode = found.st_mode & 07777;
  stat.mtime_ms = found.st_mtim.tv_sec * 1000 + found.st_mtim.tv_nsec / 1'000'000;
  stat.inode = static_cast<std::int64_t>(found.st_ino);
  stat.uid = found.st_uid;
  return FileReply(stat);
}

std::string canonical(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? real.get() : "";
}

Reply real_real_path(const FileRequest& request) {
  std::string real = canonical(request.path);
  if (real.empty()) return failed(request);
  return FileReply(std::move(real));
}

struct CloseDirectory {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

Reply real_list(const FileRequest& request) {
  const std::unique_ptr<DIR, CloseDirectory> folder(::opendir(request.path.c_str()));
  if (!folder) return failed(request);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::ranges::sort(names);
  return FileReply(std::move(names));
}

bool is_directory(const std::string& path) {
  struct stat found = {};
  return ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

Reply real_make_directory(const FileRequest& request) {
  if (::mkdir(request.path.c_str(), kDirectoryMode) == 0) return FileReply();
  if (!request.is_recursive) return failed(request);
  if (errno == EEXIST && is_directory(request.path)) return FileReply();
  if (errno != ENOENT) return failed(request);
  FileRequest parent = request;
  parent.path = parent_path(normal_path(request.path));
  if (auto made = real_make_directory(parent); !made) return made;
  return done_if(::mkdir(request.path.c_str(), kDirectoryMode) == 0, request);
}

Reply real_remove(const FileRequest& request) {
  struct stat found = {};
  if (::lstat(request.path.c_str(), &found) != 0) return failed(request);
  const char* const path = request.path.c_str();
  return done_if((S_ISDIR(found.st_mode) ? ::rmdir(path) : ::unlink(path)) == 0, request);
}

std::string link_target(const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t count = ::readlink(path.c_str(), target.data(), target.size());
  return count < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(count));
}

Reply real_read_link(const FileRequest& request) {
  std::string target = link_target(request.path);
  if (target.empty()) return failed(request);
  return FileReply(std::move(target));
}

Reply real_perform(const FileRequest& request, std::int64_t read_bytes_max) {
  const char* const path = request.path.c_str();
  const char* const other = request.other.c_str();
  switch (request.op) {
    case FileOp::access:
      return real_access(request);
    case FileOp::read:
      return real_read(request, read_bytes_max);
    case FileOp::write:
      return real_write(request);
    case FileOp::append:
      return real_append(request);
    case FileOp::stat:
    case FileOp::lstat:
      return real_stat(request);
    case FileOp::real_path:
      return real_real_path(request);
    case FileOp::list:
      return real_list(request);
    case FileOp::make_directory:
      return real_make_directory(request);
    case FileOp::remove:
      return real_remove(request);
    case FileOp::rename:
      return done_if(::rename(path, other) == 0, request);
    case FileOp::symlink:
      return done_if(::symlink(other, path) == 0, request);
    case FileOp::read_link:
      return real_read_link(request);
    case FileOp::change_mode:
      return done_if(::chmod(path, static_cast<mode_t>(request.mode)) == 0, request);
    case FileOp::hard_link:
      return done_if(::link(path, other) == 0, request);
  }
  return std::unexpected(file_error(ErrorCode::io, request));
}

bool keeps_link(FileOp op) {
  switch (op) {
    case FileOp::lstat:
    case FileOp::read_link:
    case FileOp::remove:
    case FileOp::rename:
    case FileOp::symlink:
    case FileOp::hard_link:
      return true;
    default:
      return false;
  }
}

/// Where a call on `path` would end up: symbolic links followed, also those that lead to nothing
/// yet.
std::string destination(const std::string& path, bool keeps_last, std::int64_t links) {
  if (path == "/" || links > kLinksMax) return path;
  if (!keeps_last) {
    if (std::string real = canonical(path); !real.empty()) return real;
    if (const std::string target = link_target(path); !target.empty()) {
      const bool is_absolute = target.starts_with('/');
      return destination(is_absolute ? target : parent_path(path) + "/" + target, false, links + 1);
    }
  }
  const auto name_begin = path.rfind('/');
  return destination(parent_path(path), false, links) + path.substr(name_begin);
}

}  // namespace

RealFiles::RealFiles(Loop& loop, RealFilesOptions options)
    : loop_(&loop), read_bytes_max_(options.read_bytes_max) {
  for (const auto& root : options.roots) roots_.push_back(canonical(root));
}

bool RealFiles::is_inside(const std::string& path) const {
  const std::string normal = normal_path(path);
  return std::ranges::any_of(roots_, [&normal](const std::string& root) {
    if (root == "/") return true;
    return !root.empty() && (normal == root || normal.starts_with(root + "/"));
  });
}

Result<void> RealFiles::check_roots(const FileRequest& request) const {
  if (roots_.empty()) return {};
  const bool keeps_last = keeps_link(request.op);
  if (is_inside(destination(request.path, keeps_last, 0)) &&
      (!has_two_paths(request.op) || is_inside(destination(request.other, true, 0)))) {
    return {};
  }
  Error error = file_error(ErrorCode::permission, request);
  error.message += " (outside the workspace)";
  return std::unexpected(std::move(error));
}

Task<Result<FileReply>> RealFiles::perform(FileRequest request) {
  const std::string other = has_two_paths(request.op) ? normal_path(request.other) : "";
  co_await loop_->point(file_touch(request, normal_path(request.path), other));
  if (!has_absolute_paths(request)) {
    co_return std::unexpected(file_io_error("EINVAL: invalid argument", request));
  }
  if (auto checked = check_roots(request); !checked) {
    co_return std::unexpected(std::move(checked).error());
  }
  co_return real_perform(request, read_bytes_max_);
}

}  // namespace plumb::engine
