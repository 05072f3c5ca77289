// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simulator/script/place.h"

namespace plumb::simulator {

/// Nobody reads more of one file.
inline constexpr std::int64_t kErrorsOfFileMax = 100;

/// Errors of one file, collected in any order and given in the order of the file.
class ErrorList final {
 public:
  explicit ErrorList(std::string file) : file_(std::move(file)) {}

  void add(Place place, std::string message) {
    found_.push_back({place, std::ssize(found_), std::move(message)});
  }
  std::size_t size() const { return found_.size(); }
  std::vector<Error> take();

 private:
  struct Found {
    Place place;
    std::int64_t number = 0;
    std::string message;
  };
  std::string file_;
  std::vector<Found> found_;
};

}  // namespace plumb::simulator
