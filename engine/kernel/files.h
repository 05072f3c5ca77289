// SPDX-License-Identifier: Apache-2.0
// The file port. Implementations and decorators (fault injection, severing, recording, mutants)
// override one function, `perform`; callers use the typed operations. Paths are absolute.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/kernel/task.h"
#include "engine/kernel/touch.h"

namespace plumb::engine {

enum class FileOp : std::uint8_t {
  access,
  read,
  write,
  append,
  stat,
  lstat,
  real_path,
  list,
  make_directory,
  remove,
  rename,
  symlink,
  read_link,
  change_mode,
  hard_link,
};

/// The operation as traces spell it.
std::string_view file_op_name(FileOp op);
bool file_op_writes(FileOp op);

enum class AccessMode : std::uint8_t { read, write, read_write };
enum class FileKind : std::uint8_t { file, directory, symlink };

struct FileStat {
  FileKind kind = FileKind::file;
  std::int64_t size = 0;
  std::int64_t mode = 0;  ///< Permission bits only.
  std::int64_t mtime_ms = 0;
  std::int64_t inode = 0;
  std::int64_t uid = 0;

  bool operator==(const FileStat&) const = default;
};

/// One call of the port. What an operation does not need stays at its default.
struct FileRequest {
  FileRequest(FileOp operation, std::string where) : op(operation), path(std::move(where)) {}

  FileOp op;
  std::string path;
  std::string other;    ///< rename, hard_link: the new path. symlink: the target, stored as it is.
  std::string content;  ///< write, append.
  AccessMode access = AccessMode::read;
  std::int64_t mode = 0;  ///< change_mode; write, when `is_new`.
  bool is_new = false;    ///< write: the file must not be there yet.
  bool is_recursive =
      false;  ///< make_directory: missing parents too, and an existing one is no error.
};

/// Everything a call can give back.
struct FileReply {
  FileReply() = default;
  explicit FileReply(std::string given) : text(std::move(given)) {}
  explicit FileReply(FileStat given) : stat(given) {}
  explicit FileReply(std::vector<std::string> given) : names(std::move(given)) {}

  std::string text;  ///< read: bytes. real_path, read_link: a path.
  FileStat stat;
  std::vector<std::string> names;  ///< list: sorted by bytes.
};

/// One loop. Each operation passes a schedule point, then takes effect at once. Errors: not_found,
/// permission, exists, is_directory, not_directory, loop, io; the message says what and which path.
class Files {
 public:
  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  virtual ~Files() = default;

  virtual Task<Result<FileReply>> perform(FileRequest request) = 0;

  Task<Result<void>> access(std::string path, AccessMode mode);
  Task<Result<std::string>> read(std::string path);
  /// In place: inode, mode and links stay. Creates the file when it is missing.
  Task<Result<void>> write(std::string path, std::string content);
  /// A new file with these permission bits, whatever the umask. Errors: exists.
  Task<Result<void>> create(std::string path, std::string content, std::int64_t mode);
  Task<Result<void>> append(std::string path, std::string content);
  Task<Result<FileStat>> stat(std::string path);
  Task<Result<FileStat>> lstat(std::string path);
  Task<Result<std::string>> real_path(std::string path);
  Task<Result<std::vector<std::string>>> list(std::string path);
  Task<Result<void>> make_directory(std::string path, bool is_recursive);
  /// A file, a symbolic link or an empty directory.
  Task<Result<void>> remove(std::string path);
  Task<Result<void>> rename(std::string from, std::string to);
  Task<Result<void>> symlink(std::string target, std::string path);
  Task<Result<std::string>> read_link(std::string path);
  Task<Result<void>> change_mode(std::string path, std::int64_t mode);
  Task<Result<void>> hard_link(std::string existing, std::string path);

 private:
  Task<Result<void>> perform_plain(FileRequest request);
  Task<Result<std::string>> perform_text(FileRequest request);
  Task<Result<FileStat>> perform_stat(FileRequest request);
};

/// "ENOENT: no such file or directory, open '/x'": the error of a call, worded as Node words it.
/// `code` says which; io errors give their own name and words.
Error file_error(ErrorCode code, const FileRequest& request);
Error file_io_error(std::string_view name_and_words, const FileRequest& request);
/// The same from an errno value.
Error file_errno_error(int number, const FileRequest& request);
/// "ENOENT" of a port's message, or of the code where the message names none.
std::string system_error_name(const Error& error);

/// Whether every path of the call begins at the root; ports refuse others (EINVAL).
bool has_absolute_paths(const FileRequest& request);
/// True for the calls whose `other` is a second path: rename and hard_link.
bool has_two_paths(FileOp op);
/// Absolute, without ".", ".." and doubled slashes; symbolic links are not looked at.
std::string normal_path(std::string_view path);
/// "/a/b" of "/a/b/c"; "/" of "/a".
std::string parent_path(std::string_view path);
/// What the call touches: `path` is its real path, `other` that of rename's and hard_link's second
/// path.
Touch file_touch(const FileRequest& request, std::string path, std::string_view other);

}  // namespace plumb::engine
