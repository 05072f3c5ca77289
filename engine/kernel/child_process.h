// SPDX-License-Identifier: Apache-2.0
// A started process: its descriptors, and the promise that it is gone when this is.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

#include "engine/kernel/owned_fd.h"
#include "engine/kernel/processes.h"
#include "engine/kernel/result.h"

namespace plumb::engine {

/// `whole`: the spec's input, then its end. `open`: a pipe that we write to until we close it.
enum class ChildInput : std::uint8_t { whole, open };

/// The leader of a process group of its own, with no descriptor of ours but its three standard
/// streams. Goes with its group: what still runs is killed and waited for.
class ChildProcess {
 public:
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess() { end(); }

  static Result<ChildProcess> start(const ProcessSpec& spec, ChildInput input = ChildInput::whole);

  /// Readable when the process has ended.
  int end_fd() const { return end_fd_.get(); }
  /// Do not block.
  const OwnedFd& out_fd() const { return out_fd_; }
  const OwnedFd& err_fd() const { return err_fd_; }
  /// Ours of an open input, else closed. Does not block.
  const OwnedFd& in_fd() const { return in_fd_; }
  void close_input() { in_fd_.close(); }
  /// SIGKILL to the whole group; nothing once it has been waited for.
  void kill_group() const;
  /// SIGINT to the whole group, as a terminal's Ctrl-C.
  void interrupt_group() const;
  void kill_leader() const;
  /// Waits for the leader, which has ended or is about to; its id stays taken, and so the group's.
  ProcessExit peek() const;
  /// The same, and lets the id go.
  ProcessExit wait();
  /// Members of the group that still run, a dead leader not counted.
  std::int64_t running_in_group() const;

 private:
  void end();

  pid_t pid_ = -1;
  OwnedFd end_fd_;
  OwnedFd out_fd_;
  OwnedFd err_fd_;
  OwnedFd in_fd_;
};

}  // namespace plumb::engine
