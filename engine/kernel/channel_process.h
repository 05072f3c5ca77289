// SPDX-License-Identifier: Apache-2.0
// A child that talks in lines on descriptors of its own and is waited for, not awaited: while we
// wait nothing of ours runs, so that what it does between two of our messages is one step of the
// loop. It reads our messages on 3 and writes its own on 4; it asks on 5 and blocks until it finds
// the answer on 6. What it prints is kept apart.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/kernel/child_process.h"

namespace plumb::engine {

/// A moment of the wall clock, for what has to answer in real time.
class WallDeadline {
 public:
  explicit WallDeadline(std::int64_t wait_ms)
      : end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms)) {}
  /// 0 once it has passed.
  std::int64_t left_ms() const;
  bool has_passed() const { return left_ms() == 0; }

 private:
  std::chrono::steady_clock::time_point end_;
};

enum class HeardKind : std::uint8_t { message, question };

struct Heard {
  HeardKind kind = HeardKind::message;
  std::string text;
};

struct ChannelLimits {
  std::int64_t line_bytes_max = std::int64_t{64} << 20;
  std::int64_t output_bytes_kept = std::int64_t{64} << 10;  ///< Of each stream between two takes.
  ChildLimits child;
};

/// Thread-compatible. Neither copied nor moved. What runs of its group is killed when it goes.
class ChannelProcess final {
 public:
  /// Errors: those of ChildProcess::start.
  static Result<std::unique_ptr<ChannelProcess>> start(const ProcessSpec& spec,
                                                       ChannelLimits limits);
  ChannelProcess(const ChannelProcess&) = delete;
  ChannelProcess& operator=(const ChannelProcess&) = delete;

  /// Writes a message line; what the child says meanwhile is kept. Errors: timeout, when the
  /// child does not read; protocol, as for `hear`.
  Result<void> send(std::string_view line, const WallDeadline& deadline);
  /// The same for the line that its question waits for.
  Result<void> answer(std::string_view line, const WallDeadline& deadline);
  /// The next line; nothing when none comes in time. A question comes after the messages that were
  /// written before it. Errors: protocol, when there will be none: "exited with code 1", "was ended
  /// by signal 9", "wrote a line of more than N bytes".
  Result<std::optional<Heard>> hear(const WallDeadline& deadline);
  /// What it has printed since the last time; its end is cut off where there is too much.
  std::string take_output(OutputStream stream);
  void kill();

 private:
  struct Lines {
    std::string partial;
    std::deque<std::string> whole;
    bool has_ended = false;
  };
  struct Printed {
    std::string text;
    std::int64_t dropped_bytes = 0;
    bool has_ended = false;
  };

  ChannelProcess(ChildProcess child, ChannelLimits limits)
      : child_(std::move(child)), limits_(limits) {}
  Result<void> write_line(int fd, std::string_view line, const WallDeadline& deadline);
  /// Waits until something can be read, or `write_fd` can be written to (unless -1).
  void wait(int write_fd, const WallDeadline& deadline);
  void wait_for_end();
  void read_all();
  void read_lines(int fd, Lines& lines);
  void read_printed(int fd, Printed& printed);
  std::optional<Heard> take_line();
  Error ended() const;

  ChildProcess child_;
  ChannelLimits limits_;
  Lines messages_;
  Lines questions_;
  Printed out_;
  Printed err_;
  bool has_ended_ = false;  ///< The process itself.
  bool is_line_too_long_ = false;
};

}  // namespace plumb::engine
