// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/fields.h"

#include <utility>

namespace plumb::simulator {

std::optional<YamlView> Fields::find(std::string_view key) const {
  return view_.value == nullptr ? std::nullopt : view_.find(key);
}

std::optional<std::string> Fields::maybe_text(std::string_view key) const {
  const auto found = find(key);
  return found ? std::optional(found->value->get<std::string>()) : std::nullopt;
}

std::string Fields::text(std::string_view key, std::string_view fallback) const {
  return maybe_text(key).value_or(std::string(fallback));
}

std::optional<std::int64_t> Fields::maybe_number(std::string_view key) const {
  const auto found = find(key);
  return found ? std::optional(found->value->get<std::int64_t>()) : std::nullopt;
}

std::int64_t Fields::number(std::string_view key, std::int64_t fallback) const {
  return maybe_number(key).value_or(fallback);
}

std::optional<bool> Fields::maybe_flag(std::string_view key) const {
  const auto found = find(key);
  return found ? std::optional(found->value->get<bool>()) : std::nullopt;
}

bool Fields::flag(std::string_view key, bool fallback) const {
  return maybe_flag(key).value_or(fallback);
}

std::optional<Json> Fields::maybe_json(std::string_view key) const {
  const auto found = find(key);
  return found ? std::optional<Json>(*found->value) : std::nullopt;
}

Json Fields::json(std::string_view key, Json fallback) const {
  const auto found = find(key);
  if (!found) return fallback;
  return *found->value;
}

std::optional<std::vector<std::string>> Fields::maybe_texts(std::string_view key) const {
  const auto found = find(key);
  if (!found) return std::nullopt;
  if (found->value->is_string()) return std::vector{found->value->get<std::string>()};
  return found->value->get<std::vector<std::string>>();
}

std::vector<std::string> Fields::texts(std::string_view key) const {
  return maybe_texts(key).value_or(std::vector<std::string>{});
}

Trigger Fields::trigger(std::string_view key) const {
  const auto found = find(key);
  return found ? trigger_of(*found) : Trigger{};
}

std::vector<YamlView> Fields::list(std::string_view key) const {
  std::vector<YamlView> elements;
  const auto found = find(key);
  if (!found || !found->value->is_array()) return elements;
  for (std::int64_t i = 0; i < found->size(); ++i) elements.push_back(found->element(i));
  return elements;
}

Trigger trigger_of(YamlView view) {
  const std::string& text = view.value->get_ref<const std::string&>();
  auto pattern = parse_event_pattern(text);
  PLUMB_ASSERT(pattern.has_value());
  return Trigger{text, *std::move(pattern), view.place()};
}

std::vector<std::pair<std::string, YamlView>> members_of(std::optional<YamlView> map) {
  std::vector<std::pair<std::string, YamlView>> members;
  if (!map || !map->value->is_object()) return members;
  std::int64_t index = 0;
  for (const auto& item : map->value->items()) {
    members.emplace_back(item.key(), map->member_at(index++));
  }
  return members;
}

}  // namespace plumb::simulator
