// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/line_process.h"

#include <array>
#include <cerrno>
#include <utility>

#include <unistd.h>

#include "engine/kernel/pipe_words.h"

namespace plumb::engine {
namespace {

constexpr std::size_t kLineReadBytes = 65'536;

}  // namespace

Result<std::unique_ptr<LineProcess>> LineProcess::start(RealLoop& loop, const ProcessSpec& spec,
                                                        LineListener& listener, LineLimits limits) {
  PLUMB_TRY(auto child, ChildProcess::start(spec, ChildInput::open));
  return std::unique_ptr<LineProcess>(new LineProcess(loop, std::move(child), listener, limits));
}

LineProcess::LineProcess(RealLoop& loop, ChildProcess child, LineListener& listener,
                         LineLimits limits)
    : loop_(&loop),
      child_(std::move(child)),
      listener_(&listener),
      limits_(limits),
      has_input_(loop, "something to write"),
      ended_(loop, "the end of a process") {
  fibers_.push_back(loop.spawn(watch_end(), "end"));
  fibers_.push_back(loop.spawn(hear_output(), "output"));
  fibers_.push_back(loop.spawn(hear_errors(), "errors"));
  fibers_.push_back(loop.spawn(write_input(), "input"));
}

LineProcess::~LineProcess() {
  for (const auto fiber : fibers_) {
    if (loop_->is_running(fiber)) loop_->cancel(fiber);
  }
}

void LineProcess::write_line(std::string_view line) {
  if (has_ended_) return;
  outbox_ += line;
  outbox_ += '\n';
  has_input_.set();
}

void LineProcess::close_input() {
  is_input_closing_ = true;
  has_input_.set();
}

void LineProcess::kill() {
  child_.kill_group();
  has_ended_ = true;
  ended_.set();
}

void LineProcess::drain() {
  while (!has_ended_ && read_output() == Got::bytes) {
  }
}

/// What follows a line that the listener ended the process for is not heard.
void LineProcess::feed(std::string_view bytes) {
  while (!bytes.empty() && !has_ended_) {
    const auto end = bytes.find('\n');
    line_ += bytes.substr(0, end);
    if (std::ssize(line_) > limits_.line_bytes_max) {
      child_.kill_group();
      tell_end("wrote a line of more than " + std::to_string(limits_.line_bytes_max) + " bytes");
      return;
    }
    if (end == std::string_view::npos) return;
    const std::string line = std::exchange(line_, "");
    bytes.remove_prefix(end + 1);
    listener_->on_line(line);
  }
}

LineProcess::Got LineProcess::read_output() {
  std::array<char, kLineReadBytes> bytes;
  const ssize_t count = ::read(child_.out_fd().get(), bytes.data(), bytes.size());
  if (count < 0 && is_again(errno)) return Got::nothing;
  if (count <= 0) return Got::end;
  feed(std::string_view(bytes.data(), static_cast<std::size_t>(count)));
  return Got::bytes;
}

LineProcess::Got LineProcess::read_errors() {
  std::array<char, kLineReadBytes> bytes;
  const ssize_t count = ::read(child_.err_fd().get(), bytes.data(), bytes.size());
  if (count < 0 && is_again(errno)) return Got::nothing;
  if (count <= 0) return Got::end;
  error_text_.append(bytes.data(), static_cast<std::size_t>(count));
  const std::int64_t surplus = std::ssize(error_text_) - limits_.error_bytes_kept;
  if (surplus > 0) error_text_.erase(0, static_cast<std::size_t>(surplus));
  return Got::bytes;
}

void LineProcess::tell_end(std::string how) {
  if (has_ended_) return;
  has_ended_ = true;
  listener_->on_end(std::move(how));
  ended_.set();
}

Task<void> LineProcess::hear_output() {
  do {
    co_await loop_->readable(child_.out_fd().get());
  } while (!has_ended_ && read_output() != Got::end);
  co_await loop_->sleep_ms(limits_.exit_wait_ms);
  tell_end("closed its output");
}

/// What it started may hold its streams open: its own end is what counts.
Task<void> LineProcess::watch_end() {
  co_await loop_->readable(child_.end_fd());
  drain();
  // Its last words on standard error say why.
  read_errors();
  tell_end(exit_text(child_.peek()));
}

Task<void> LineProcess::hear_errors() {
  do {
    co_await loop_->readable(child_.err_fd().get());
  } while (read_errors() != Got::end);
}

/// False when the process reads nothing any more.
bool LineProcess::write_some() {
  const ssize_t count = write_without_signal(child_.in_fd().get(), outbox_);
  if (count < 0) return is_again(errno);
  outbox_.erase(0, static_cast<std::size_t>(count));
  return true;
}

Task<void> LineProcess::write_input() {
  while (!has_ended_) {
    co_await has_input_.wait();
    has_input_.reset();
    while (!outbox_.empty()) {
      co_await loop_->writable(child_.in_fd().get());
      if (!write_some()) outbox_.clear();
    }
    if (is_input_closing_) {
      child_.close_input();
      co_return;
    }
  }
}

}  // namespace plumb::engine
