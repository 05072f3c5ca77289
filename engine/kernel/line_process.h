// SPDX-License-Identifier: Apache-2.0
// A process that is talked to in lines: we write lines to its input and hear those of its output.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/child_process.h"
#include "engine/kernel/event.h"
#include "engine/kernel/real_loop.h"
#include "engine/kernel/task.h"

namespace plumb::engine {

/// Called on the loop. May kill the process, never destroys it.
class LineListener {
 public:
  virtual ~LineListener() = default;
  /// A whole line without its end.
  virtual void on_line(std::string_view line) = 0;
  /// Nothing more will come. `how`: "exited with code 1", "was killed by signal 11", "closed its
  /// output", "wrote a line of more than N bytes".
  virtual void on_end(std::string how) = 0;
};

struct LineLimits {
  std::int64_t line_bytes_max = std::int64_t{16} << 20;
  std::int64_t error_bytes_kept = std::int64_t{16} << 10;  ///< The end of standard error.
  std::int64_t exit_wait_ms = 1'000;  ///< From the end of its output to its own end.
};

/// One loop, which goes after this. What still runs of its group is killed when it goes.
class LineProcess {
 public:
  static Result<std::unique_ptr<LineProcess>> start(RealLoop& loop, const ProcessSpec& spec,
                                                    LineListener& listener,
                                                    LineLimits limits = LineLimits());
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;
  ~LineProcess();

  /// Queued; written as the process reads.
  void write_line(std::string_view line);
  /// Once what is queued has been written.
  void close_input();
  /// Hears at once all lines that have already been written.
  void drain();
  /// SIGKILL to the group; the listener hears nothing more.
  void kill();
  void interrupt() const { child_.interrupt_group(); }
  /// Set when nothing more will come.
  Event& ended() { return ended_; }
  bool has_ended() const { return has_ended_; }
  /// The end of what it wrote on standard error.
  const std::string& error_text() const { return error_text_; }
  std::int64_t unwritten_bytes() const { return std::ssize(outbox_); }

 private:
  LineProcess(RealLoop& loop, ChildProcess child, LineListener& listener, LineLimits limits);

  Task<void> hear_output();
  Task<void> hear_errors();
  Task<void> write_input();
  Task<void> watch_end();
  enum class Got : std::uint8_t { bytes, nothing, end };
  Got read_output();
  Got read_errors();
  void feed(std::string_view bytes);
  bool write_some();
  void tell_end(std::string how);

  RealLoop* loop_;
  ChildProcess child_;
  LineListener* listener_;
  LineLimits limits_;
  std::string line_;  ///< What has come of the current line.
  std::string outbox_;
  std::string error_text_;
  Event has_input_;
  Event ended_;
  bool has_ended_ = false;
  bool is_input_closing_ = false;
  std::vector<SpawnId> fibers_;
};

}  // namespace plumb::engine
