// SPDX-License-Identifier: Apache-2.0
// How an object that fibers share, and that is no port and no primitive of the loop, says that a
// step reads or changes it. Without it an explorer takes two orders of such steps for one.
#pragma once

#include <string>
#include <utility>

#include "engine/kernel/loop.h"

namespace plumb::engine {

/// A thing's name towards its loop. Without a loop it says nothing. One loop, which outlives it.
class TouchMark final {
 public:
  TouchMark(Loop* loop, TouchKind kind, std::string key)
      : loop_(loop), kind_(kind), key_(std::move(key)) {}

  void read() const {
    if (loop_ != nullptr) loop_->note(kind_, key_, false);
  }
  void write() const {
    if (loop_ != nullptr) loop_->note(kind_, key_, true);
  }

 private:
  Loop* loop_;
  TouchKind kind_;
  std::string key_;
};

}  // namespace plumb::engine
