// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/file_operations.h"

#include <utility>

namespace plumb::engine {

namespace {

Task<bool> is_there(Files& files, std::string path) {
  const auto stat = co_await files.stat(std::move(path));
  co_return stat.has_value();
}

}  // namespace

FileOperations local_operations(Files& files) {
  FileOperations operations;
  operations.check_read = [&files](std::string path) {
    return files.access(std::move(path), AccessMode::read);
  };
  operations.check_write = [&files](std::string path) {
    return files.access(std::move(path), AccessMode::read_write);
  };
  operations.read_file = [&files](std::string path) { return files.read(std::move(path)); };
  operations.write_file = [&files](std::string path, std::string bytes) {
    return files.write(std::move(path), std::move(bytes));
  };
  operations.make_folders = [&files](std::string path) {
    return files.make_directory(std::move(path), true);
  };
  operations.exists = [&files](std::string path) { return is_there(files, std::move(path)); };
  operations.is_local = true;
  return operations;
}

}  // namespace plumb::engine
