// SPDX-License-Identifier: Apache-2.0
#include "engine/values/shared_json.h"

#include <optional>
#include <utility>

namespace plumb {

// The members are caches behind an immutable value, hence mutable.
struct SharedJson::Cell {
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
