// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/memory_files.h"

#include <utility>

namespace plumb::engine {
namespace {

/// Operations on a link itself, and those that make a name.
bool keeps_last_link(FileOp op) {
  switch (op) {
    case FileOp::lstat:
    case FileOp::read_link:
    case FileOp::remove:
    case FileOp::rename:
    case FileOp::symlink:
    case FileOp::hard_link:
    case FileOp::make_directory:
      return true;
    default:
      return false;
  }
}

}  // namespace

MemoryFiles::MemoryFiles(Loop& loop, MemoryFilesOptions options)
    : loop_(&loop), options_(options), tree_(options.uid) {}

std::string MemoryFiles::key_of(const FileRequest& request, const std::string& path) const {
  const LastLink last = keeps_last_link(request.op) ? LastLink::keep : LastLink::follow;
  auto resolved = tree_.resolve(request, path, last);
  return resolved ? std::move(resolved->real_path) : normal_path(path);
}

Touch MemoryFiles::touch_of(const FileRequest& request) const {
  const std::string other = has_two_paths(request.op) ? key_of(request, request.other) : "";
  return file_touch(request, key_of(request, request.path), other);
}

Task<Result<FileReply>> MemoryFiles::perform(FileRequest request) {
  const Fiber& fiber = co_await current_fiber();
  const std::int64_t ordinal = co_await loop_->point(touch_of(request));
  const FileFault* fault = nullptr;
  if (plan_ != nullptr) fault = plan_->strike(request, PointId(fiber.path, ordinal));
  if (fault != nullptr) {
    auto suffered = co_await suffer(*loop_, *fault, request);
    if (!suffered) co_return std::unexpected(std::move(suffered).error());
  }
  co_return tree_.perform(request, wall_ms());
}

Result<FileReply> MemoryFiles::perform_now(const FileRequest& request) {
  tree_.set_uid(0);
  auto reply = tree_.perform(request, wall_ms());
  tree_.set_uid(options_.uid);
  return reply;
}

void MemoryFiles::set_up(const FileRequest& request) {
  const std::string parent = parent_path(normal_path(request.path));
  if (parent != "/") put_directory(parent);
  const auto done = perform_now(request);
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  PLUMB_ASSERT(done.has_value());
}

void MemoryFiles::put_file(const std::string& path, std::string content, std::int64_t mode) {
  FileRequest request(FileOp::write, path);
  request.content = std::move(content);
  set_up(request);
  set_mode(path, mode);
  set_owner(path, options_.uid);
}

void MemoryFiles::put_directory(const std::string& path, std::int64_t mode) {
  FileRequest request(FileOp::make_directory, path);
  const FileRequest look(FileOp::stat, path);
  if (perform_now(look)) return;
  set_up(request);
  set_mode(path, mode);
  set_owner(path, options_.uid);
}

void MemoryFiles::put_symlink(const std::string& path, std::string target) {
  FileRequest request(FileOp::symlink, path);
  request.other = std::move(target);
  set_up(request);
  set_owner(path, options_.uid);
}

void MemoryFiles::put_hard_link(const std::string& path, const std::string& existing) {
  FileRequest request(FileOp::hard_link, existing);
  request.other = path;
  put_directory(parent_path(normal_path(path)));
  const auto done = perform_now(request);
  PLUMB_ASSERT(done.has_value());
}

void MemoryFiles::set_mode(const std::string& path, std::int64_t mode) {
  FileRequest request(FileOp::change_mode, path);
  request.mode = mode;
  const auto done = perform_now(request);
  PLUMB_ASSERT(done.has_value());
}

void MemoryFiles::set_owner(const std::string& path, std::int64_t uid) {
  const auto found = tree_.resolve(FileRequest(FileOp::stat, path), path, LastLink::keep);
  PLUMB_ASSERT(found.has_value() && found->inode.has_value());
  tree_.inode(*found->inode).uid = uid;
}

}  // namespace plumb::engine
