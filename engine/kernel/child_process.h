// SPDX-License-Identifier: Apache-2.0
// A started process: its descriptors, and the promise that it is gone when this is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/kernel/owned_fd.h"
#include "engine/kernel/processes.h"
#include "engine/kernel/result.h"

namespace plumb::engine {

/// `whole`: the spec's input, then its end. `open`: a pipe that we write to until we close it.
enum class ChildInput : std::uint8_t { whole, open };

/// A pipe beside the standard streams: the child finds its end under this number, from 3 on.
struct ChildChannel {
  int number = 3;
  bool child_writes = false;
};

/// What a child may use at most; 0: no limit of ours.
struct ChildLimits {
  std::int64_t cpu_seconds = 0;
  std::int64_t file_bytes = 0;  ///< Of a single file that it writes.
  std::int64_t open_files = 0;
};

/// The leader of a process group of its own, with no descriptor of ours but its three standard
/// streams and its channels. Goes with its group: what still runs is killed and waited for.
class ChildProcess {
 public:
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess() { end(); }

  static Result<ChildProcess> start(const ProcessSpec& spec, ChildInput input = ChildInput::whole,
                                    std::span<const ChildChannel> channels = {});

  /// Readable when the process has ended.
  int end_fd() const { return end_fd_.get(); }
  /// Do not block.
  const OwnedFd& out_fd() const { return out_fd_; }
  const OwnedFd& err_fd() const { return err_fd_; }
  /// Ours of an open input, else closed. Does not block.
  const OwnedFd& in_fd() const { return in_fd_; }
  void close_input() { in_fd_.close(); }
  /// Ours of the channel at this place of the list that it was started with. Does not block.
  const OwnedFd& channel(std::size_t place) const { return channels_[place]; }
  /// From now on, and for what it starts. Leaves no core file either.
  void limit(const ChildLimits& limits) const;
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
  std::vector<OwnedFd> channels_;
};

}  // namespace plumb::engine
