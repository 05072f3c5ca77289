// SPDX-License-Identifier: Apache-2.0
// What a fiber will touch when it is resumed at a schedule point. Explorers use it to tell which
// orders of two points can make a difference; ports and queues use it to say what they are about.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace plumb::engine {

enum class TouchKind : std::uint8_t {
  none,  ///< Touches nothing shared: never in conflict.
  file,
  queue,
  active_set,
  signal,
  dialog,
  provider,
  clock,
  process,
  store,
};

/// The kind as traces and messages spell it.
std::string_view touch_kind_name(TouchKind kind);

/// `key` names the thing within its kind: a real path, a queue's key, a dialog's id.
/// An operation on two files names the deepest folder that holds both.
struct Touch {
  Touch() = default;
  Touch(TouchKind touched, std::string name, bool is_write)
      : kind(touched), writes(is_write), key(std::move(name)) {}

  TouchKind kind = TouchKind::none;
  bool writes = false;
  std::string key;

  bool operator==(const Touch&) const = default;
};

/// True when the order of two points may matter: the same thing, and one of them writes. A folder
/// is in conflict with what it holds.
bool conflicts(const Touch& a, const Touch& b);

/// What a step does to fibers beside resuming its own. Explorers order fibers by it.
enum class FiberChange : std::uint8_t {
  started,    ///< The named fiber exists from here on.
  ended,      ///< A child of the named fiber has ended.
  won,        ///< A child of the named fiber has ended a race: its siblings are destroyed.
  cancelled,  ///< The named root fiber is destroyed, with its descendants.
  returned,   ///< The named root fiber has ended the run.
};

/// A schedule point's stable name: the fiber's path ("0.1.2") and its ordinal within the fiber.
struct PointId {
  PointId() = default;
  PointId(std::string fiber, std::int64_t number) : path(std::move(fiber)), ordinal(number) {}

  std::string path;
  std::int64_t ordinal = 0;

  bool operator==(const PointId&) const = default;
  auto operator<=>(const PointId&) const = default;
};

/// "0.1.2#4".
std::string point_text(const PointId& id);

}  // namespace plumb::engine
