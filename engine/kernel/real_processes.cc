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
/// Together some seconds: on a busy machine the killed wait for their turn to die.
constexpr std::int64_t kLastLooksMax = 1500;
constexpr std::int64_t kLookMs = 2;

/// One command under way. Lives in the frame of `run`; its tasks are member functions of it.
class Running {
 public:
  Running(RealLoop& loop, ChildProcess child, OutputSink& sink, const ProcessSpec& spec)
      : loop_(&loop),
        child_(std::move(child)),
        sink_(&sink),
        timeout_ms_(spec.timeout_ms),
        quiet_ms_(spec.quiet_ms),
        output_bytes_max_(spec.output_bytes_max),
        kills_group_(spec.kills_group),
        begun_ms_(loop.now_ms()),
        last_output_ms_(begun_ms_),
        limit_reached_(loop, "too much output"),
        streams_ended_(loop, "the end of the streams"),
        never_(loop, "the end of a process") {}

  Task<ProcessExit> finish(AbortSignal signal) {
    sink_->started();
    std::vector<Task<void>> ways;
    ways.push_back(supervise(std::move(signal)));
    ways.push_back(pump(OutputStream::out));
    ways.push_back(pump(OutputStream::err));
    co_await race(std::move(ways));
    read_rest(child_.out_fd(), OutputStream::out);
    read_rest(child_.err_fd(), OutputStream::err);
    exit_.group_alive = co_await count_alive();
    child_.wait();
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
    last_output_ms_ = loop_->now_ms();
    sink_->write(stream, std::string_view(bytes.data(), static_cast<std::size_t>(count)));
    if (output_bytes_max_ > 0 && output_bytes_ > output_bytes_max_) limit_reached_.set();
    return true;
  }
  Task<void> pump(OutputStream stream) {
    const OwnedFd& fd = stream == OutputStream::out ? child_.out_fd() : child_.err_fd();
    bool would_block = false;
    do {
      while (sink_->is_full()) co_await sink_->room();
      co_await loop_->readable(fd.get());
    } while (read_some(fd, stream, would_block));
    if (--streams_open_ == 0) streams_ended_.set();
    co_await never_.wait();
  }
  /// What already lies in a pipe that somebody else still holds open.
  void read_rest(const OwnedFd& fd, OutputStream stream) {
    bool would_block = false;
    for (std::int64_t i = 0; i < kLastReadsMax; ++i) {
      if (!read_some(fd, stream, would_block) || would_block) return;
    }
  }

  /// Killed processes need a moment to be gone.
  Task<std::int64_t> count_alive() {
    const bool was_killed =
        kills_group_ && exit_.end != ProcessEnd::exited && exit_.end != ProcessEnd::signaled;
    for (std::int64_t i = 0; was_killed && i < kLastLooksMax; ++i) {
      if (child_.running_in_group() == 0) break;
      co_await loop_->sleep_ms(kLookMs);
    }
    co_return child_.running_in_group();
  }

  Task<void> until_streams_end() { co_await streams_ended_.wait(); }
  Task<void> until_abort(AbortSignal signal) { co_await signal.wait(); }
  Task<void> until_limit() { co_await limit_reached_.wait(); }
  /// The command's own end, then silence: of its streams' end, or of who still holds them.
  Task<void> until_end() {
    co_await loop_->readable(child_.end_fd());
    exit_ = child_.peek();
    exit_.exited_ms = loop_->now_ms() - begun_ms_;
    last_output_ms_ = loop_->now_ms();
    while (streams_open_ > 0) {
      const std::int64_t silent_ms = loop_->now_ms() - last_output_ms_;
      if (silent_ms >= quiet_ms_) co_return;
      std::vector<Task<void>> ways;
      ways.push_back(until_streams_end());
      ways.push_back(sleep_task(*loop_, quiet_ms_ - silent_ms));
      co_await race(std::move(ways));
    }
  }

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
    if (reason == ProcessEnd::exited) co_return;
    kills_group_ ? child_.kill_group() : child_.kill_leader();
    co_await loop_->readable(child_.end_fd());
    const auto exited_ms = exit_.exited_ms;
    exit_ = child_.peek();
    exit_.exited_ms = exited_ms;
    exit_.end = reason;
  }

  RealLoop* loop_;
  ChildProcess child_;
  OutputSink* sink_;
  std::int64_t timeout_ms_;
  std::int64_t quiet_ms_;
  std::int64_t output_bytes_max_;
  bool kills_group_;
  std::int64_t begun_ms_;
  std::int64_t last_output_ms_;
  std::int64_t output_bytes_ = 0;
  std::int64_t streams_open_ = 2;
  Event limit_reached_;
  Event streams_ended_;
  Event never_;
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
