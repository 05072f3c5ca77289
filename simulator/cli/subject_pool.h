// SPDX-License-Identifier: Apache-2.0
// Subjects that are dear to start, lent to one run after the other.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "simulator/subjects/subject.h"

namespace plumb::simulator {

/// Thread-safe. Outlives what it lends.
class SubjectPool {
 public:
  using Make = std::function<std::unique_ptr<Subject>()>;
  explicit SubjectPool(Make make) : make_(std::move(make)) {}

  /// One that nobody uses, or a new one; it comes back when it goes.
  std::unique_ptr<Subject> lend();
  /// Takes one in.
  void put(std::unique_ptr<Subject> subject);

 private:
  class Lent;

  Make make_;
  std::mutex idle_mutex_;
  std::vector<std::unique_ptr<Subject>> idle_;
};

}  // namespace plumb::simulator
