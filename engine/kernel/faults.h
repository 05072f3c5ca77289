// SPDX-License-Identifier: Apache-2.0
// Faults of the file port: which call fails, or comes late. A plan is data; the ports ask it at
// each call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernel/event.h"
#include "engine/kernel/files.h"

namespace plumb::engine {

/// Strikes the `occurrence`-th call that fits; a condition left empty fits every call.
struct FileFault {
  FileFault() = default;

  std::optional<FileOp> op;
  std::optional<std::string> path;  ///< As the caller wrote it, made normal.
  std::optional<PointId> point;     ///< The schedule point of the call.
  std::int64_t occurrence = 1;      ///< From 1. 0: every one.

  /// The call waits so long, then for the event, and then fails or takes effect.
  std::int64_t delay_ms = 0;
  Event* until = nullptr;
  /// "EIO: i/o error" or another name with its words; wins over `code`.
  std::string io_error;
  std::optional<ErrorCode> code;
};

/// One loop.
class FaultPlan {
 public:
  FaultPlan() = default;
  explicit FaultPlan(std::vector<FileFault> faults) : faults_(std::move(faults)) {}

  void add(FileFault fault) { faults_.push_back(std::move(fault)); }
  /// The fault that strikes this call, or null. Counts the call.
  const FileFault* strike(const FileRequest& request, const PointId& point);
  /// How many calls were struck.
  std::int64_t struck_count() const { return struck_count_; }
  bool empty() const { return faults_.empty(); }

 private:
  std::vector<FileFault> faults_;
  std::vector<std::int64_t> seen_;
  std::int64_t struck_count_ = 0;
};

/// Waits as the fault says. The error that the call then has, if any.
Task<Result<void>> suffer(Loop& loop, FileFault fault, FileRequest request);

/// Passes a schedule point, suffers the plan's faults, and calls the inner port. Both outlive it.
class FaultyFiles final : public Files {
 public:
  FaultyFiles(Loop& loop, Files& inner, FaultPlan& plan)
      : loop_(&loop), inner_(&inner), plan_(&plan) {}
  Task<Result<FileReply>> perform(FileRequest request) override;

 private:
  Loop* loop_;
  Files* inner_;
  FaultPlan* plan_;
};

}  // namespace plumb::engine
