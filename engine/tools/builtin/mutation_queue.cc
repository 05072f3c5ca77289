// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/mutation_queue.h"

#include <map>
#include <utility>
#include <vector>

#include "engine/tools/policies.h"

namespace plumb::engine {

struct MutationQueue::State {
  State(Loop& loop_port, Files& files_port, Recorder& recorder_port, const Policies& policy_value)
      : loop(loop_port),
        files(files_port),
        recorder(recorder_port),
        policies(policy_value),
        registration(loop_port, "registration of file mutations",
                     Touch(TouchKind::queue, "", true)) {}

  struct Key {
    explicit Key(Loop& loop, const std::string& key)
        : mutex(loop, "file " + key, Touch(TouchKind::queue, key, true)) {}
    AsyncMutex mutex;
    std::string holder;  ///< Path of the fiber whose turn it is.
  };

  Key& key_of(const std::string& key) {
    auto& slot = keys[key];
    if (slot == nullptr) slot = std::make_unique<Key>(loop, key);
    return *slot;
  }
  void drop_if_unused(const std::string& key) {
    const auto found = keys.find(key);
    if (found == keys.end()) return;
    const AsyncMutex& mutex = found->second->mutex;
    if (!mutex.is_locked() && !mutex.has_waiters()) keys.erase(found);
  }

  Loop& loop;
  Files& files;
  Recorder& recorder;
  const Policies& policies;
  AsyncMutex registration;
  std::map<std::string, std::unique_ptr<Key>> keys;
  std::int64_t next_ticket = 0;
};

namespace {

/// Whether `fiber` is `holder` or one of its descendants: waiting would wait for itself.
bool waits_for_itself(const std::string& fiber, const std::string& holder) {
  return !holder.empty() && (fiber == holder || fiber.starts_with(holder + "."));
}

std::unexpected<Error> aborted_look_up(const std::string& path) {
  return fail(ErrorCode::aborted, "the call was aborted before " + path + " was looked up");
}

bool is_missing(const Error& error) {
  return error.code == ErrorCode::not_found || error.code == ErrorCode::not_directory;
}

}  // namespace

MutationQueue::Turn::Turn(State& state, Place place, std::int64_t ticket, std::string call,
                          AsyncMutex::Lock lock)
    : state_(&state),
      place_(std::move(place)),
      ticket_(ticket),
      call_(std::move(call)),
      lock_(std::move(lock)) {
  QueueAcquire event;
  event.key = place_.key;
  event.ticket = ticket_;
  state.recorder.record(Source::probe, std::move(event), call_);
}

MutationQueue::Turn::Turn(Turn&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)),
      place_(std::move(other.place_)),
      ticket_(other.ticket_),
      call_(std::move(other.call_)),
      lock_(std::move(other.lock_)) {}

MutationQueue::Turn& MutationQueue::Turn::operator=(Turn&& other) noexcept {
  if (this == &other) return *this;
  release();
  state_ = std::exchange(other.state_, nullptr);
  place_ = std::move(other.place_);
  ticket_ = other.ticket_;
  call_ = std::move(other.call_);
  lock_ = std::move(other.lock_);
  return *this;
}

MutationQueue::Turn::~Turn() {
  release();
}

void MutationQueue::Turn::release() {
  if (state_ == nullptr) return;
  State& state = *std::exchange(state_, nullptr);
  QueueRelease event;
  event.key = place_.key;
  event.ticket = ticket_;
  state.recorder.record(Source::probe, std::move(event), call_);
  state.key_of(place_.key).holder.clear();
  lock_.release();
  state.drop_if_unused(place_.key);
}

MutationQueue::MutationQueue(Loop& loop, Files& files, Recorder& recorder, const Policies& policies)
    : state_(std::make_unique<State>(loop, files, recorder, policies)) {}

MutationQueue::~MutationQueue() = default;

std::int64_t MutationQueue::key_count() const {
  return std::ssize(state_->keys);
}

Task<Result<MutationQueue::Turn>> MutationQueue::enter(std::string absolute_path,
                                                       AbortSignal signal) {
  Fiber& fiber = co_await current_fiber();
  const std::int64_t ticket = state_->next_ticket++;
  for (;;) {
    // Whoever came first registers first, however long the look-up takes (QUEUE-04). Between the
    // look-up and the place in the key's queue nothing may come.
    auto registering = co_await state_->registration.lock();
    auto place_found = co_await find_place(absolute_path, signal);
    if (!place_found && signal.aborted()) {
      registering.release();
      co_await wait_for_all_before(fiber.path);
    }
    if (!place_found) co_return std::unexpected(place_found.error());
    Place found = *std::move(place_found);
    const std::string key = found.key;
    State::Key& queue = state_->key_of(key);
    if (waits_for_itself(fiber.path, queue.holder)) {
      co_return fail(ErrorCode::rejected, "this call already holds the turn of " + key);
    }
    const bool must_wait = queue.mutex.is_locked();
    auto place = queue.mutex.lock();
    registering.release();
    auto lock = co_await place;
    queue.holder = fiber.path;
    Turn turn(*state_, std::move(found), ticket, fiber.label, std::move(lock));
    if (!must_wait || signal.aborted()) co_return turn;
    const auto now = co_await find_place(absolute_path, signal);
    if (!now && !signal.aborted()) co_return std::unexpected(now.error());
    if (!now || now->key == key) co_return turn;
  }
}

/// A turn in each queue that there is now, one after the other.
Task<void> MutationQueue::wait_for_all_before(std::string fiber) {
  std::vector<std::string> names;
  for (const auto& [name, key] : state_->keys) names.push_back(name);
  for (const auto& name : names) {
    const auto found = state_->keys.find(name);
    if (found == state_->keys.end() || waits_for_itself(fiber, found->second->holder)) continue;
    auto lock = co_await found->second->mutex.lock();
    lock.release();
    state_->drop_if_unused(name);
  }
}

Task<Result<MutationQueue::Place>> MutationQueue::find_place(std::string absolute_path,
                                                             AbortSignal signal) {
  const Policies& policies = state_->policies;
  if (signal.aborted()) co_return aborted_look_up(absolute_path);
  auto real_path = co_await state_->files.real_path(absolute_path);
  if (real_path) co_return Place(*real_path, policies.existing_key(*real_path));
  if (!is_missing(real_path.error())) co_return std::unexpected(real_path.error());
  // What is missing has no links that dots could follow.
  absolute_path = normal_path(absolute_path);
  for (std::string parent = parent_path(absolute_path);; parent = parent_path(parent)) {
    if (signal.aborted()) co_return aborted_look_up(absolute_path);
    auto real_parent = co_await state_->files.real_path(parent);
    if (real_parent) {
      co_return Place(key_of_missing(absolute_path, parent, *real_parent),
                      policies.missing_key(absolute_path, parent, *real_parent));
    }
    if (!is_missing(real_parent.error())) co_return std::unexpected(real_parent.error());
    if (parent == "/") co_return Place(absolute_path, absolute_path);
  }
}

}  // namespace plumb::engine
