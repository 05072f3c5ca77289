// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/touch.h"

#include <array>

namespace plumb::engine {
namespace {

bool holds_path(std::string_view folder, std::string_view path) {
  if (folder == "/") return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool same_thing(const Touch& a, const Touch& b) {
  if (a.key == b.key) return true;
  return a.kind == TouchKind::file && (holds_path(a.key, b.key) || holds_path(b.key, a.key));
}

}  // namespace

std::string_view touch_kind_name(TouchKind kind) {
  constexpr std::array<std::string_view, 10> kNames = {
      "none",   "file",     "queue", "active_set", "signal",
      "dialog", "provider", "clock", "process",    "store"};
  return kNames.at(static_cast<std::size_t>(kind));
}

bool conflicts(const Touch& a, const Touch& b) {
  if (a.kind != b.kind || a.kind == TouchKind::none) return false;
  return (a.writes || b.writes) && same_thing(a, b);
}

std::string point_text(const PointId& id) {
  return id.path + "#" + std::to_string(id.ordinal);
}

}  // namespace plumb::engine
