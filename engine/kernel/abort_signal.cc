// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/abort_signal.h"

#include <utility>

namespace plumb::engine {
namespace {

void abort_state(const std::shared_ptr<AbortState>& state, std::string reason) {
  state->note(true);
  if (state->is_aborted) return;
  state->is_aborted = true;
  state->reason = std::move(reason);
  state->waiters.wake_all();
  // A callback may take others back: each is taken out before it is called.
  while (!state->callbacks.empty()) {
    const auto first = state->callbacks.begin();
    const auto callback = std::move(first->second);
    state->callbacks.erase(first);
    callback();
  }
}

}  // namespace

AbortRegistration& AbortRegistration::operator=(AbortRegistration&& other) noexcept {
  if (this == &other) return *this;
  release();
  state_ = std::move(other.state_);
  number_ = other.number_;
  return *this;
}

void AbortRegistration::release() {
  if (const auto state = state_.lock()) state->callbacks.erase(number_);
  state_.reset();
}

AbortRegistration AbortSignal::on_abort(std::function<void()> callback) const {
  state_->note(false);
  if (state_->is_aborted) {
    callback();
    return {};
  }
  const std::int64_t number = state_->next_registration++;
  state_->callbacks.emplace(number, std::move(callback));
  return AbortRegistration(state_, number);
}

AbortController::AbortController(const AbortSignal& parent) : AbortController() {
  const auto own = state_;
  own->loop = parent.state_->loop;
  parent_ = parent.on_abort([own, parent] { abort_state(own, parent.reason()); });
}

void AbortController::abort(std::string reason) {
  const auto state = state_;
  abort_state(state, std::move(reason));
}

}  // namespace plumb::engine
