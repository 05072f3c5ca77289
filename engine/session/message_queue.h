// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "engine/model/message.h"
#include "engine/session/session_options.h"

namespace plumb::engine {

/// Messages that wait for a drain point, in order of arrival (EVENT-33). One loop.
class MessageQueue final {
 public:
  explicit MessageQueue(QueueMode mode) : mode_(mode) {}

  void set_mode(QueueMode mode) { mode_ = mode; }
  void push(MessagePtr message) { waiting_.push_back(std::move(message)); }
  bool empty() const { return waiting_.empty(); }
  std::int64_t size() const { return std::ssize(waiting_); }

  /// What one drain point delivers: the first message, or all of them.
  std::vector<MessagePtr> take() {
    std::vector<MessagePtr> taken;
    while (!waiting_.empty() && (taken.empty() || mode_ == QueueMode::all)) {
      taken.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    return taken;
  }

 private:
  QueueMode mode_;
  std::deque<MessagePtr> waiting_;
};

}  // namespace plumb::engine
