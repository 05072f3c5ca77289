// SPDX-License-Identifier: Apache-2.0
#include "engine/values/shared_json_list.h"

#include <algorithm>
#include <iterator>

namespace plumb {
namespace {

constexpr std::size_t kRoomMin = 16;

}  // namespace

SharedJsonList::SharedJsonList(std::vector<SharedJson> values)
    : log_(std::make_shared<std::vector<SharedJson>>(std::move(values))), count_(log_->size()) {}

std::span<const SharedJson> SharedJsonList::view() const {
  if (log_ == nullptr) return {};
  return std::span<const SharedJson>(*log_).first(count_);
}

/// Behind the others' elements there is no place, and a full log would move its own.
void SharedJsonList::push_back(SharedJson value) {
  const bool has_place =
      log_ != nullptr && log_->size() == count_ && log_->capacity() > log_->size();
  if (!has_place) {
    auto log = std::make_shared<std::vector<SharedJson>>();
    log->reserve(std::max(kRoomMin, 2 * count_));
    std::ranges::copy(view(), std::back_inserter(*log));
    log_ = std::move(log);
  }
  log_->push_back(std::move(value));
  ++count_;
}

SharedJsonList SharedJsonList::first(std::size_t count) const {
  SharedJsonList list = *this;
  list.count_ = std::min(count, count_);
  return list;
}

std::size_t SharedJsonList::common_with(const SharedJsonList& other) const {
  const std::size_t shorter = std::min(count_, other.count_);
  if (log_ == other.log_) return shorter;
  const auto differing = std::ranges::mismatch(view(), other.view(), &SharedJson::same_object);
  return static_cast<std::size_t>(differing.in1 - view().begin());
}

bool operator==(const SharedJsonList& left, const SharedJsonList& right) {
  return left.log_ == right.log_ ? left.count_ == right.count_
                                 : std::ranges::equal(left.view(), right.view());
}

}  // namespace plumb
