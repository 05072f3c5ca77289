// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace plumb::engine {
namespace {

struct ErrnoRow {
  int number;
  ErrorCode code;
  std::string_view name_and_words;
};

// The first row of a code is the one that file_error uses.
constexpr std::array<ErrnoRow, 15> kErrnoRows = {{
    {ENOENT, ErrorCode::not_found, "ENOENT: no such file or directory"},
    {ENOTDIR, ErrorCode::not_directory, "ENOTDIR: not a directory"},
    {EACCES, ErrorCode::permission, "EACCES: permission denied"},
    {EPERM, ErrorCode::permission, "EPERM: operation not permitted"},
    {EEXIST, ErrorCode::exists, "EEXIST: file already exists"},
    {EISDIR, ErrorCode::is_directory, "EISDIR: illegal operation on a directory"},
    {ELOOP, ErrorCode::loop, "ELOOP: too many symbolic links encountered"},
    {EIO, ErrorCode::io, "EIO: i/o error"},
    {ENOSPC, ErrorCode::io, "ENOSPC: no space left on device"},
    {ENOTEMPTY, ErrorCode::io, "ENOTEMPTY: directory not empty"},
    {EINVAL, ErrorCode::io, "EINVAL: invalid argument"},
    {EXDEV, ErrorCode::io, "EXDEV: cross-device link not permitted"},
    {EROFS, ErrorCode::io, "EROFS: read-only file system"},
    {EMFILE, ErrorCode::io, "EMFILE: too many open files"},
    {ENAMETOOLONG, ErrorCode::io, "ENAMETOOLONG: name too long"},
}};

// The system call that the messages name.
std::string_view call_name(FileOp op) {
  constexpr std::array<std::string_view, 15> kNames = {
      "access", "open",   "open",   "open",    "stat",     "lstat", "realpath", "scandir",
      "mkdir",  "unlink", "rename", "symlink", "readlink", "chmod", "link"};
  return kNames.at(static_cast<std::size_t>(op));
}

Error worded(ErrorCode code, std::string_view name_and_words, const FileRequest& request) {
  std::string message(name_and_words);
  message += ", " + std::string(call_name(request.op)) + " '";
  if (request.op == FileOp::symlink) {
    message += request.other + "' -> '" + request.path + "'";
  } else {
    message += request.path + "'";
    if (!request.other.empty()) message += " -> '" + request.other + "'";
  }
  return Error{code, message, ""};
}

}  // namespace

std::string_view file_op_name(FileOp op) {
  constexpr std::array<std::string_view, 15> kNames = {
      "access", "read",      "write",     "append",         "stat",
      "lstat",  "real_path", "list",      "make_directory", "remove",
      "rename", "symlink",   "read_link", "change_mode",    "hard_link"};
  return kNames.at(static_cast<std::size_t>(op));
}

bool file_op_writes(FileOp op) {
  switch (op) {
    case FileOp::access:
    case FileOp::read:
    case FileOp::stat:
    case FileOp::lstat:
    case FileOp::real_path:
    case FileOp::list:
    case FileOp::read_link:
      return false;
    default:
      return true;
  }
}

Task<Result<void>> Files::perform_plain(FileRequest request) {
  const auto reply = co_await perform(std::move(request));
  if (!reply) co_return std::unexpected(reply.error());
  co_return Result<void>();
}

Task<Result<std::string>> Files::perform_text(FileRequest request) {
  auto reply = co_await perform(std::move(request));
  if (!reply) co_return std::unexpected(std::move(reply).error());
  co_return std::move(reply->text);
}

Task<Result<FileStat>> Files::perform_stat(FileRequest request) {
  const auto reply = co_await perform(std::move(request));
  if (!reply) co_return std::unexpected(reply.error());
  co_return reply->stat;
}

Task<Result<void>> Files::access(std::string path, AccessMode mode) {
  FileRequest request(FileOp::access, std::move(path));
  request.access = mode;
  return perform_plain(std::move(request));
}

Task<Result<std::string>> Files::read(std::string path) {
  return perform_text(FileRequest(FileOp::read, std::move(path)));
}

Task<Result<void>> Files::write(std::string path, std::string content) {
  FileRequest request(FileOp::write, std::move(path));
  request.content = std::move(content);
  return perform_plain(std::move(request));
}

Task<Result<void>> Files::create(std::string path, std::string content, std::int64_t mode) {
  FileRequest request(FileOp::write, std::move(path));
  request.content = std::move(content);
  request.mode = mode;
  request.is_new = true;
  return perform_plain(std::move(request));
}

Task<Result<void>> Files::append(std::string path, std::string content) {
  FileRequest request(FileOp::append, std::move(path));
  request.content = std::move(content);
  return perform_plain(std::move(request));
}

Task<Result<FileStat>> Files::stat(std::string path) {
  return perform_stat(FileRequest(FileOp::stat, std::move(path)));
}

Task<Result<FileStat>> Files::lstat(std::string path) {
  return perform_stat(FileRequest(FileOp::lstat, std::move(path)));
}

Task<Result<std::string>> Files::real_path(std::string path) {
  return perform_text(FileRequest(FileOp::real_path, std::move(path)));
}

Task<Result<std::vector<std::string>>> Files::list(std::string path) {
  FileRequest request(FileOp::list, std::move(path));
  auto reply = co_await perform(std::move(request));
  if (!reply) co_return std::unexpected(std::move(reply).error());
  co_return std::move(reply->names);
}

Task<Result<void>> Files::make_directory(std::string path, bool is_recursive) {
  FileRequest request(FileOp::make_directory, std::move(path));
  request.is_recursive = is_recursive;
  return perform_plain(std::move(request));
}

Task<Result<void>> Files::remove(std::string path) {
  return perform_plain(FileRequest(FileOp::remove, std::move(path)));
}

Task<Result<void>> Files::rename(std::string from, std::string to) {
  FileRequest request(FileOp::rename, std::move(from));
  request.other = std::move(to);
  return perform_plain(std::move(request));
}

Task<Result<void>> Files::symlink(std::string target, std::string path) {
  FileRequest request(FileOp::symlink, std::move(path));
  request.other = std::move(target);
  return perform_plain(std::move(request));
}

Task<Result<std::string>> Files::read_link(std::string path) {
  return perform_text(FileRequest(FileOp::read_link, std::move(path)));
}

Task<Result<void>> Files::change_mode(std::string path, std::int64_t mode) {
  FileRequest request(FileOp::change_mode, std::move(path));
  request.mode = mode;
  return perform_plain(std::move(request));
}

Task<Result<void>> Files::hard_link(std::string existing, std::string path) {
  FileRequest request(FileOp::hard_link, std::move(existing));
  request.other = std::move(path);
  return perform_plain(std::move(request));
}

Error file_error(ErrorCode code, const FileRequest& request) {
  for (const auto& row : kErrnoRows) {
    if (row.code == code) return worded(code, row.name_and_words, request);
  }
  return worded(ErrorCode::io, "EIO: i/o error", request);
}

Error file_io_error(std::string_view name_and_words, const FileRequest& request) {
  return worded(ErrorCode::io, name_and_words, request);
}

Error file_errno_error(int number, const FileRequest& request) {
  for (const auto& row : kErrnoRows) {
    if (row.number == number) return worded(row.code, row.name_and_words, request);
  }
  return worded(ErrorCode::io, "EIO: system error " + std::to_string(number), request);
}

std::string system_error_name(const Error& error) {
  const auto colon = error.message.find(':');
  std::string name = error.message.substr(0, colon);
  const bool is_name = colon != std::string::npos && name.size() > 2 && name[0] == 'E' &&
                       std::ranges::all_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (is_name) return name;
  for (const auto& row : kErrnoRows) {
    if (row.code == error.code) {
      return std::string(row.name_and_words.substr(0, row.name_and_words.find(':')));
    }
  }
  return "";
}

bool has_absolute_paths(const FileRequest& request) {
  return request.path.starts_with('/') &&
         (!has_two_paths(request.op) || request.other.starts_with('/'));
}

bool has_two_paths(FileOp op) {
  return op == FileOp::rename || op == FileOp::hard_link;
}

std::string normal_path(std::string_view path) {
  std::string normal;
  while (!path.empty()) {
    const auto slash = path.find('/');
    const auto part = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (part == "..") {
      normal.resize(normal.empty() ? 0 : normal.rfind('/'));
    } else if (!part.empty() && part != ".") {
      normal.append("/").append(part);
    }
  }
  return normal.empty() ? "/" : normal;
}

std::string parent_path(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : std::string(path.substr(0, slash));
}

Touch file_touch(const FileRequest& request, std::string path, std::string_view other) {
  while (!other.empty() && path != other && path != "/" && !other.starts_with(path + "/")) {
    path = parent_path(path);
  }
  return Touch(TouchKind::file, std::move(path), file_op_writes(request.op));
}

}  // namespace plumb::engine
