// SPDX-License-Identifier: Apache-2.0
// A list of shared values whose copies share what they have in common: a conversation repeats its
// prefix in every request, so that neither copies of it nor comparisons with an earlier one may
// cost its whole length.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/values/shared_json.h"

namespace plumb {

/// A value: what one copy appends, no other one sees. Elements stay where they are as long as a
/// list has them. One loop.
class SharedJsonList final {
 public:
  using value_type = SharedJson;
  using const_iterator = std::span<const SharedJson>::iterator;

  SharedJsonList() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): the same list, to be shared.
  SharedJsonList(std::vector<SharedJson> values);

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  std::span<const SharedJson> view() const;
  auto begin() const { return view().begin(); }
  auto end() const { return view().end(); }
  const SharedJson& operator[](std::size_t index) const { return view()[index]; }
  const SharedJson& back() const { return view().back(); }

  void push_back(SharedJson value);
  template <class... Arguments>
  void emplace_back(Arguments&&... arguments) {
    push_back(SharedJson(std::forward<Arguments>(arguments)...));
  }
  /// The first `count` of them.
  SharedJsonList first(std::size_t count) const;

  /// How many elements both begin with that are the same objects.
  std::size_t common_with(const SharedJsonList& other) const;

  /// Equal values in the same order.
  friend bool operator==(const SharedJsonList& left, const SharedJsonList& right);

 private:
  // Shared by lists of which each is the beginning of the longest one; it never moves its elements.
  std::shared_ptr<std::vector<SharedJson>> log_;
  std::size_t count_ = 0;
};

}  // namespace plumb
