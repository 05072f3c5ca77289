// SPDX-License-Identifier: Apache-2.0
// The order in which one engine process changes files: strictly one mutation after the other for
// one file, side by side for different files (builtins.yaml mutation_queue). It is no lock across
// processes and gives no rollback (QUEUE-15). Not re-entrant: a mutation that asks for its own file
// again is refused (QUEUE-14).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/event.h"
#include "engine/kernel/files.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/task.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

struct Policies;

/// One loop; one a process (session). Records queue_acquire and queue_release as probes.
class MutationQueue final {
 public:
  MutationQueue(Loop& loop, Files& files, Recorder& recorder, const Policies& policies);
  ~MutationQueue();
  MutationQueue(const MutationQueue&) = delete;
  MutationQueue& operator=(const MutationQueue&) = delete;

  class Turn;

  /// Waits for the turn of `absolute_path`'s file. Places are given in the order of the calls
  /// (QUEUE-04). After a wait the key is looked up again; if it has moved the turn is taken anew
  /// (QUEUE-13). The queue outlives its turns. Errors: why the path cannot be resolved (QUEUE-11),
  /// rejected for a re-entrant call. An abort does not give the place away (QUEUE-07), but nothing
  /// is looked up after it (EDIT-54): a call that has no key by then waits for all that came before
  /// it and gets the error aborted. The caller checks its signal when it has the turn.
  Task<Result<Turn>> enter(std::string absolute_path, AbortSignal signal = AbortSignal());

  /// Keys that are held or waited for (QUEUE-18).
  std::int64_t key_count() const;

  /// Public for the turns only.
  struct State;

 private:
  struct Place;
  Task<Result<Place>> find_place(std::string absolute_path, AbortSignal signal);
  Task<void> wait_for_all_before(std::string fiber);

  std::unique_ptr<State> state_;
};

/// Where a file was found, and the key of its queue.
struct MutationQueue::Place {
  Place() = default;
  Place(std::string real_path, std::string queue_key)
      : path(std::move(real_path)), key(std::move(queue_key)) {}
  std::string path;
  std::string key;
};

/// A held key; released when destroyed (QUEUE-08).
class MutationQueue::Turn final {
 public:
  Turn(State& state, Place place, std::int64_t ticket, std::string call, AsyncMutex::Lock lock);
  Turn(Turn&& other) noexcept;
  Turn& operator=(Turn&& other) noexcept;
  ~Turn();
  const std::string& key() const { return place_.key; }
  /// The real path of the file (of a missing one: as it will be): what the holder may change.
  const std::string& path() const { return place_.path; }

 private:
  void release();

  State* state_;  ///< Null once released or moved from.
  Place place_;
  std::int64_t ticket_ = 0;
  std::string call_;
  AsyncMutex::Lock lock_;
};

}  // namespace plumb::engine
