// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/faults.h"

#include <utility>

namespace plumb::engine {
namespace {

bool fits(const FileFault& fault, const FileRequest& request, const PointId& point) {
  if (fault.op && *fault.op != request.op) return false;
  if (fault.point && *fault.point != point) return false;
  return !fault.path || *fault.path == normal_path(request.path);
}

}  // namespace

const FileFault* FaultPlan::strike(const FileRequest& request, const PointId& point) {
  seen_.resize(faults_.size());
  const FileFault* struck = nullptr;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const FileFault& fault = faults_[i];
    if (!fits(fault, request, point)) continue;
    ++seen_[i];
    const bool strikes = fault.occurrence == 0 || fault.occurrence == seen_[i];
    if (strikes && struck == nullptr) struck = &fault;
  }
  if (struck != nullptr) ++struck_count_;
  return struck;
}

Task<Result<void>> suffer(Loop& loop, FileFault fault, FileRequest request) {
  if (fault.delay_ms > 0) co_await loop.sleep_ms(fault.delay_ms);
  if (fault.until != nullptr) co_await fault.until->wait();
  if (!fault.io_error.empty()) co_return std::unexpected(file_io_error(fault.io_error, request));
  if (fault.code) co_return std::unexpected(file_error(*fault.code, request));
  co_return Result<void>();
}

Task<Result<FileReply>> FaultyFiles::perform(FileRequest request) {
  const Fiber& fiber = co_await current_fiber();
  const std::int64_t ordinal =
      co_await loop_->point(file_touch(request, normal_path(request.path), ""));
  const FileFault* const fault = plan_->strike(request, PointId(fiber.path, ordinal));
  if (fault != nullptr) {
    auto suffered = co_await suffer(*loop_, *fault, request);
    if (!suffered) co_return std::unexpected(std::move(suffered).error());
  }
  co_return co_await inner_->perform(std::move(request));
}

}  // namespace plumb::engine
