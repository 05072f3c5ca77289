// SPDX-License-Identifier: Apache-2.0
#include "engine/values/shared_json.h"

#include <optional>
#include <utility>

namespace plumb {
namespace {

/// Empties a value from its leaves up. The library frees whatever has parts by way of a list of
/// them, each of which it moves there and back: several times the cost, for the many small trees
/// of a trace. What lies deeper than any reader goes is left to it.
void take_apart(Json& value, std::int64_t depth = 0) {
  if (depth == kJsonDepthMax) return;
  if (auto* members = value.get_ptr<Json::object_t*>()) {
    for (auto& [name, part] : *members) take_apart(part, depth + 1);
    members->clear();
  } else if (auto* parts = value.get_ptr<Json::array_t*>()) {
    for (auto& part : *parts) take_apart(part, depth + 1);
    parts->clear();
  }
}

}  // namespace

// The members are caches behind an immutable value, hence mutable.
struct SharedJson::Cell {
  Cell() = default;
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;
  ~Cell() {
    if (value) take_apart(*value);
  }

  mutable std::optional<Json> value;
  mutable Producer producer;
  mutable std::optional<std::string> bytes;
};

SharedJson::SharedJson(Json value) {
  auto cell = std::make_shared<Cell>();
  cell->value.emplace(std::move(value));
  cell_ = std::move(cell);
}

SharedJson SharedJson::lazy(Producer producer) {
  auto cell = std::make_shared<Cell>();
  cell->producer = std::move(producer);
  return SharedJson(std::shared_ptr<const Cell>(std::move(cell)));
}

const Json& SharedJson::get() const {
  static const Json null_value;
  if (cell_ == nullptr) return null_value;
  if (!cell_->value) {
    Producer producer = std::exchange(cell_->producer, nullptr);
    PLUMB_ASSERT(producer !=
                 nullptr);  // A producer that reads its own value would come here again.
    cell_->value.emplace(producer());
  }
  return *cell_->value;
}

bool SharedJson::is_null() const {
  return get().is_null();
}

const std::string& SharedJson::bytes() const {
  static const std::string null_bytes = "null";
  if (cell_ == nullptr) return null_bytes;
  if (!cell_->bytes) cell_->bytes = dump_json(get());
  return *cell_->bytes;
}

}  // namespace plumb
