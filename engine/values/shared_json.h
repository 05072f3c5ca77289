// SPDX-License-Identifier: Apache-2.0
// A JSON value that many messages, requests and events hold without copying it: a conversation
// repeats its prefix in every request, and copies of it would make a trace grow with the square of
// its length.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/values/json.h"

namespace plumb {

/// An immutable JSON value; copies share it. JSON null when default-constructed.
/// One loop: the lazy value and the cached bytes are filled on first use without a lock.
class SharedJson final {
 public:
  using Producer = std::move_only_function<Json()>;

  SharedJson() = default;
  explicit SharedJson(Json value);

  /// A value that `producer` makes on the first read; it runs at most once and must not read this
  /// value.
  static SharedJson lazy(Producer producer);

  const Json& get() const;
  bool is_null() const;

  /// The compact text (`dump_json`), made once; the bytes that a prefix is compared by.
  const std::string& bytes() const;

  /// Whether both share one object; a cheap test for "surely equal".
  bool same_object(const SharedJson& other) const { return cell_ == other.cell_; }

  /// Equal values, member order included, as in the bytes.
  friend bool operator==(const SharedJson& left, const SharedJson& right) {
    return left.same_object(right) || left.get() == right.get();
  }

 private:
  struct Cell;
  explicit SharedJson(std::shared_ptr<const Cell> cell) : cell_(std::move(cell)) {}

  // Shared, because copies outlive each other in no fixed order: a message lives in the session, in
  // every request that repeats it and in the trace.
  std::shared_ptr<const Cell> cell_;
};

}  // namespace plumb
