// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/scripted_files.h"

#include <algorithm>
#include <utility>

#include "engine/kernel/files.h"
#include "engine/tools/builtin/image_file.h"
#include "engine/values/utf8.h"
#include "simulator/subjects/session_world.h"

namespace plumb::simulator {
namespace {

/// A host's stream comes in pieces that part characters.
constexpr std::size_t kPieceBytes = 7;

std::unexpected<Error> no_such_file(const std::string& path) {
  const engine::FileRequest request(engine::FileOp::read, path);
  return std::unexpected(engine::file_error(ErrorCode::not_found, request));
}

}  // namespace

ScriptedFiles::ScriptedFiles(const Scenario& scenario, engine::Env& env, Recorder& recorder)
    : env_(env), recorder_(recorder) {
  const OperationSettings& operations = scenario.settings.operations;
  reads_ = operations.read.has_value();
  streams_ = operations.streams;
  writes_ = operations.writes;
  if (!reads_) return;
  for (const auto& file : *operations.read) files_[absolute_of(file.path)] = file.bytes;
}

engine::FileOperations ScriptedFiles::for_read(engine::FileOperations local) {
  if (!reads_) return local;
  engine::FileOperations operations;
  operations.check_read = [this](std::string path) { return check(std::move(path)); };
  operations.picture_type = [this](std::string path) { return picture_type(std::move(path)); };
  operations.read_file = [this](std::string path) { return read("read", std::move(path)); };
  if (streams_) {
    operations.stream_file = [this](std::string path, Take take) {
      return stream(std::move(path), std::move(take));
    };
  }
  return operations;
}

engine::FileOperations ScriptedFiles::for_write(engine::FileOperations local) {
  if (!writes_) return local;
  engine::FileOperations operations;
  operations.write_file = [this](std::string path, std::string bytes) {
    return write(std::move(path), std::move(bytes));
  };
  operations.make_folders = [this](std::string path) { return make_folders(std::move(path)); };
  return operations;
}

Json ScriptedFiles::note_of(const std::string& op, const std::string& path) const {
  const bool is_there = files_.contains(path) || op == "write" || op == "make_folders";
  return Json{{"op", op}, {"path", path}, {"result", is_there ? "ok" : "ENOENT"}};
}

engine::Task<void> ScriptedFiles::note(Json data) {
  const engine::Fiber& fiber = co_await engine::current_fiber();
  const std::string call = fiber.label;
  co_await env_.loop.yield();
  Notify note;
  note.by = "host";
  note.topic = "host_file";
  note.data = SharedJson(std::move(data));
  recorder_.record(Source::host, std::move(note), call);
}

engine::Task<Result<std::string>> ScriptedFiles::read(std::string op, std::string path) {
  const auto found = files_.find(path);
  Json data = note_of(op, path);
  if (found != files_.end() && find_invalid_utf8(found->second) < 0) data["text"] = found->second;
  co_await note(std::move(data));
  if (found == files_.end()) co_return no_such_file(path);
  co_return found->second;
}

engine::Task<Result<void>> ScriptedFiles::check(std::string path) {
  Json data = note_of("access", path);
  co_await note(std::move(data));
  if (!files_.contains(path)) co_return no_such_file(path);
  co_return Result<void>();
}

engine::Task<Result<std::string>> ScriptedFiles::picture_type(std::string path) {
  Json data = note_of("picture_type", path);
  co_await note(std::move(data));
  const auto found = files_.find(path);
  if (found == files_.end()) co_return no_such_file(path);
  co_return std::string(engine::image_type_of(found->second));
}

engine::Task<Result<void>> ScriptedFiles::stream(std::string path, Take take) {
  const auto bytes = co_await read("stream", std::move(path));
  if (!bytes) co_return std::unexpected(bytes.error());
  for (std::size_t at = 0; at < bytes->size(); at += kPieceBytes) {
    take(std::string_view(*bytes).substr(at, kPieceBytes));
  }
  co_return Result<void>();
}

engine::Task<Result<void>> ScriptedFiles::write(std::string path, std::string bytes) {
  Json data = note_of("write", path);
  if (find_invalid_utf8(bytes) < 0) data["text"] = bytes;
  co_await note(std::move(data));
  files_[path] = std::move(bytes);
  co_return Result<void>();
}

engine::Task<Result<void>> ScriptedFiles::make_folders(std::string path) {
  Json data = note_of("make_folders", path);
  co_await note(std::move(data));
  co_return Result<void>();
}

}  // namespace plumb::simulator
