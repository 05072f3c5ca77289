// SPDX-License-Identifier: Apache-2.0
// Members of a map whose shape has been checked. What is missing gives the fallback; a wrong type
// cannot come here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/script/scenario.h"
#include "simulator/script/yaml.h"

namespace plumb::simulator {

/// Borrows the document. A view that is no map has no members.
class Fields final {
 public:
  explicit Fields(YamlView view) : view_(view) {}
  explicit Fields(std::optional<YamlView> view) : view_(view.value_or(YamlView{})) {}

  std::optional<YamlView> find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key).has_value(); }
  std::string text(std::string_view key, std::string_view fallback = "") const;
  std::optional<std::string> maybe_text(std::string_view key) const;
  std::int64_t number(std::string_view key, std::int64_t fallback = 0) const;
  std::optional<std::int64_t> maybe_number(std::string_view key) const;
  bool flag(std::string_view key, bool fallback = false) const;
  std::optional<bool> maybe_flag(std::string_view key) const;
  Json json(std::string_view key, Json fallback = nullptr) const;
  std::optional<Json> maybe_json(std::string_view key) const;
  /// A list of texts, or one text.
  std::vector<std::string> texts(std::string_view key) const;
  std::optional<std::vector<std::string>> maybe_texts(std::string_view key) const;
  Trigger trigger(std::string_view key) const;
  /// Elements of a list, or none.
  std::vector<YamlView> list(std::string_view key) const;

 private:
  YamlView view_;
};

/// A text that is a valid event pattern.
Trigger trigger_of(YamlView view);

/// Members of a map as (key, view).
std::vector<std::pair<std::string, YamlView>> members_of(std::optional<YamlView> map);

}  // namespace plumb::simulator
