// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/recorded_files.h"

#include <utility>

#include "engine/kernel/task.h"
#include "engine/values/sha256.h"

namespace plumb {

using engine::FileOp;
using engine::FileReply;
using engine::FileRequest;
using engine::Task;

FileOperation RecordedFiles::described(const FileRequest& request) const {
  FileOperation event;
  event.op = engine::file_op_name(request.op);
  event.path = request.path;
  event.real_path = resolve_(request.path);
  return event;
}

Task<Result<FileReply>> RecordedFiles::perform(FileRequest request) {
  engine::Fiber& fiber = co_await engine::current_fiber();
  const std::string call = fiber.label;
  FileOperation event = described(request);
  event.phase = "begin";
  const auto begin = recorder_.record(Source::port, event, call);
  const bool has_content = request.op == FileOp::write || request.op == FileOp::append;
  std::string content = has_content ? request.content : std::string();
  auto reply = co_await inner_.perform(std::move(request));
  event.phase = "end";
  event.result = reply ? "ok" : engine::system_error_name(reply.error());
  if (reply && event.op == "read") content = reply->text;
  // A link may have moved since the beginning: what the call was told counts.
  if (reply && event.op == "real_path") event.real_path = reply->text;
  if (reply && (has_content || event.op == "read")) {
    event.bytes = static_cast<std::int64_t>(content.size());
    event.hash = sha256_hex(content);
  }
  recorder_.record(Source::port, std::move(event), call, begin);
  co_return reply;
}

}  // namespace plumb
