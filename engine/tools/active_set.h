// SPDX-License-Identifier: Apache-2.0
// The tools that the next model request declares and that its calls may name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/touch_mark.h"
#include "engine/tools/definition.h"
#include "engine/tools/registry.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

struct Policies;

/// What the host says about the start (ACTIVE-04, ACTIVE-14, ACTIVE-15). `initial`: the default
/// built-ins when absent; `is_complete`: tools of extensions and the host do not activate
/// themselves. `modifiers`: +name and -name, applied in order to what would be active at the start
/// (REG-15).
struct ActiveOptions {
  std::optional<std::vector<std::string>> initial;
  bool is_complete = false;
  std::vector<std::string> modifiers = {};
  bool operator==(const ActiveOptions&) const = default;
};

/// Whether a host's list of tools changes the default selection: only +name and -name (REG-15).
bool is_modifier_list(const std::vector<std::string>& names);
/// Errors: invalid, when plain names and modifiers are mixed or a modifier is a pattern (REG-15).
Result<void> check_tool_list(const std::vector<std::string>& names);

/// The built-ins that are active by default (ACTIVE-02).
std::vector<std::string> default_active_tools();

/// The tools of one turn, fixed before its calls (ACTIVE-09, ACTIVE-11, TOOL-17). `active`: in
/// declaration order; `registered`: every effective tool, for nested calls (TOOL-22).
struct TurnTools {
  std::vector<RegisteredToolPtr> active;
  std::vector<RegisteredToolPtr> registered;
};

/// Exact name among the active tools; null when there is none (REG-19, PIPE-05).
RegisteredToolPtr find_active(const TurnTools& tools, std::string_view name);
/// What a tool may call by name (TOOL-22): direct while active, codemode and deferred always.
RegisteredToolPtr find_callable(const TurnTools& tools, std::string_view name);

/// One loop. Records active_set as a probe whenever the set changes or is set.
class ActiveSet final {
 public:
  /// `loop`: told who reads and who changes the set; may be null.
  ActiveSet(ToolRegistry& registry, Recorder& recorder, const Policies& policies,
            Loop* loop = nullptr)
      : registry_(registry),
        recorder_(recorder),
        policies_(policies),
        mark_(loop, TouchKind::active_set, "tools") {}

  /// The set at the start of a session, from the registry as it is; `by` is "start". Call once,
  /// after the registry was bound; later refreshes then call `refreshed` (listener of the
  /// registry).
  void start(ActiveOptions options);
  /// The registry changed: filtered names go, tools that are new or newly declarable come
  /// (active_after_refresh). `by` is "registration".
  void refreshed();
  /// setActiveTools: replaces the set; unknown and hidden names are ignored (ACTIVE-05, ACTIVE-06);
  /// tools that stay keep their relative order, new ones follow as given (ACTIVE-12).
  void set(const std::vector<std::string>& names, std::string by);

  /// A fresh copy (ACTIVE-13).
  std::vector<std::string> names() const {
    mark_.read();
    return names_;
  }
  /// The snapshot for a turn.
  TurnTools snapshot() const;
  /// Called after each change: the base prompt is rebuilt (ACTIVE-07). At most one.
  void on_change(std::function<void()> listener) { listener_ = std::move(listener); }

 private:
  void replace(std::vector<std::string> names, std::vector<std::string> requested, std::string by);
  void remember_known();
  bool selectable(std::string_view name) const;

  ToolRegistry& registry_;
  Recorder& recorder_;
  const Policies& policies_;
  TouchMark mark_;
  ActiveOptions options_;
  std::vector<std::string> names_;
  std::vector<std::string> known_;  ///< Names that were declarable at the last look.
  std::function<void()> listener_;
  bool is_started_ = false;
};

}  // namespace plumb::engine
