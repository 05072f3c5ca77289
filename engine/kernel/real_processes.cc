// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/real_processes.h"

#include <array>
#include <utility>
#include <vector>

#include <unistd.h>

#include "engine/kernel/child_process.h"
#include "engine/kernel/event.h"
#include "engine/kernel/join.h"

namespace plumb::engine {
namespace {

constexpr std::int64_t kReadBytes = 65'536;
constexpr std::int64_t kLastReadsMax = 64;

/// One command under way. Lives in the frame of `run`; its tasks are member functions of it.
class Running {
 public:
  Running(RealLoop& loop, ChildProcess child, OutputSink& sink, const ProcessSpec& spec)
      : loop_(&loop),
        child_(std::move(child)),
        sink_(&sink),
        timeout_ms_(spec.timeout_ms),
        output_bytes_max_(spec.output_bytes_max),
        limit_reached_(loop, "too much output"),
        ended_(loop, "the end of a process") {}

  Task<ProcessExit> finish(AbortSignal signal) {
    std::vector<Task<void>> ways;
    ways.push_back(drain());
    ways.push_back(supervise(std::move(signal)));
    co_await race(std::move(ways));
    read_rest(child_.out_fd(), OutputStream::out);
    read_rest(child_.err_fd(), OutputStream::err);
    co_return exit_;
  }

 private:
  /// False at the stream's end. Errors are its end, too.
  bool read_some(const OwnedFd& fd, OutputStream stream, bool& would_block) {
    std::array<char, static_cast<std::size_t>(kReadBytes)> bytes;
    const ssize_t count = ::read(fd.get(), bytes.data(), bytes.size());
    would_block = count < 0 && (errno == EAGAIN || errno == EINTR);
    if (count <= 0) return would_block;
    output_bytes_ += count;
    sink_->write(stream, std::string_view(bytes.data(), static_cast<std::size_t>(count)));
    if (output_bytes_max_ > 0 && output_bytes_ > output_bytes_max_) limit_reached_.set();
    return true;
  }
  Task<void> pump(OutputStream stream) {
    const OwnedFd& fd = stream == OutputStream::out ? child_.out_fd() : child_.err_fd();
    bool would_block = false;
    do {
      co_await loop_->readable(fd.get());
    } while (read_some(fd, stream, would_block));
  }
  /// What already lies in a pipe that somebody else still holds open.
  void read_rest(const OwnedFd& fd, OutputStream stream) {
    bool would_block = false;
    for (std::int64_t i = 0; i < kLastReadsMax; ++i) {
      if (!read_some(fd, stream, would_block) || would_block) return;
    }
  }
  Task<void> drain() {
    std::vector<Task<void>> pumps;
    pumps.push_back(pump(OutputStream::out));
    pumps.push_back(pump(OutputStream::err));
    co_await all(std::move(pumps));
    co_await ended_.wait();
  }

  Task<void> until_end() { co_await loop_->readable(child_.end_fd()); }
  Task<void> until_abort(AbortSignal signal) { co_await signal.wait(); }
  Task<void> until_limit() { co_await limit_reached_.wait(); }

  Task<ProcessEnd> first_reason(AbortSignal signal) {
    std::vector<Task<void>> reasons;
    reasons.push_back(until_end());
    reasons.push_back(until_abort(std::move(signal)));
    reasons.push_back(until_limit());
    if (timeout_ms_ > 0) reasons.push_back(sleep_task(*loop_, timeout_ms_));
    constexpr std::array<ProcessEnd, 4> kEnds = {ProcessEnd::exited, ProcessEnd::aborted,
                                                 ProcessEnd::output_limit, ProcessEnd::timed_out};
    const std::int64_t first = co_await race(std::move(reasons));
    co_return kEnds.at(static_cast<std::size_t>(first));
  }
  Task<void> supervise(AbortSignal signal) {
    const ProcessEnd reason = co_await first_reason(std::move(signal));
    if (reason != ProcessEnd::exited) {
      child_.kill_group();
      co_await until_end();
    }
    exit_ = child_.wait();
    if (reason != ProcessEnd::exited) exit_.end = reason;
    ended_.set();
    co_await loop_->sleep_ms(kInheritedPipeGraceMs);
  }

  RealLoop* loop_;
  ChildProcess child_;
  OutputSink* sink_;
  std::int64_t timeout_ms_;
  std::int64_t output_bytes_max_;
  std::int64_t output_bytes_ = 0;
  Event limit_reached_;
  Event ended_;
  ProcessExit exit_;
};

}  // namespace

Task<Result<ProcessExit>> RealProcesses::run(ProcessSpec spec, OutputSink& sink,
                                             AbortSignal signal) {
  co_await loop_->point(Touch(TouchKind::process, command_text(spec), true));
  if (signal.aborted()) {
    ProcessExit exit;
    exit.end = ProcessEnd::aborted;
    co_return exit;
  }
  PLUMB_CO_TRY(ChildProcess child, ChildProcess::start(spec));
  Running running(*loop_, std::move(child), sink, spec);
  co_return co_await running.finish(std::move(signal));
}

}  // namespace plumb::engine
