// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel/touch_mark.h"
#include "engine/model/message.h"
#include "engine/session/session_options.h"

namespace plumb::engine {

/// Messages that wait for a drain point, in order of arrival (EVENT-33). One loop, which is told of
/// every look and every change: the order of a push and a drain point makes a difference.
class MessageQueue final {
 public:
  /// `name`: of the queue, towards the loop.
  MessageQueue(Loop& loop, std::string name, QueueMode mode)
      : mode_(mode), mark_(&loop, TouchKind::queue, std::move(name)) {}

  void set_mode(QueueMode mode) {
    mark_.write();
    mode_ = mode;
  }
  void push(MessagePtr message) {
    mark_.write();
    waiting_.push_back(std::move(message));
  }
  bool empty() const {
    mark_.read();
    return waiting_.empty();
  }
  std::int64_t size() const {
    mark_.read();
    return std::ssize(waiting_);
  }

  void clear() {
    mark_.write();
    waiting_.clear();
  }

  /// What one drain point delivers: the first message, or all of them.
  std::vector<MessagePtr> take() {
    std::vector<MessagePtr> taken;
    if (empty()) return taken;
    mark_.write();
    while (!waiting_.empty() && (taken.empty() || mode_ == QueueMode::all)) {
      taken.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    return taken;
  }

 private:
  QueueMode mode_;
  TouchMark mark_;
  std::deque<MessagePtr> waiting_;
};

}  // namespace plumb::engine
