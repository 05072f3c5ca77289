// SPDX-License-Identifier: Apache-2.0
// The file access of the built-in tools, replaceable by the host (READ-31, EDIT-71, WRITE-09).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/kernel/files.h"
#include "engine/kernel/task.h"

namespace plumb::engine {

/// All paths are absolute. `check_read`, `check_write`: the path exists and may be read (and
/// written).
struct FileOperations {
  std::function<Task<Result<void>>(std::string path)> check_read;
  std::function<Task<Result<void>>(std::string path)> check_write;
  std::function<Task<Result<std::string>>(std::string path)> read_file;
  std::function<Task<Result<void>>(std::string path, std::string bytes)> write_file;
  std::function<Task<Result<void>>(std::string path)> make_folders;
  /// Whether there is something at the path. May be empty: then nobody looks for other spellings.
  std::function<Task<bool>(std::string path)> exists;
  /// The bytes of a file chunk by chunk, in place of `read_file` where it is given (READ-31).
  std::function<Task<Result<void>>(std::string path, std::function<void(std::string_view)> take)>
      stream_file;
  /// The type of the picture at the path, "" when it is none; asked before its bytes are read
  /// (READ-31). May be empty: then a host's own files are text.
  std::function<Task<Result<std::string>>(std::string path)> picture_type;
  /// The paths are those of the local files whose keys the mutation queue gives: a mutation then
  /// works on the real path that it holds (QUEUE-13). A host's own operations get the path as
  /// resolved.
  bool is_local = false;
};

/// The operations on `files`, which outlives them.
FileOperations local_operations(Files& files);

}  // namespace plumb::engine
