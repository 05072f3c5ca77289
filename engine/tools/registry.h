// SPDX-License-Identifier: Apache-2.0
// Which definition a name stands for: registrations of three levels, merged and filtered on every
// refresh (core.yaml registry_build).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/touch_mark.h"
#include "engine/tools/definition.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

struct Policies;

/// The host's filters; entries may contain `*` (REG-08..14). No `allowed` list allows all; an
/// empty one allows nothing (REG-11).
struct ToolFilters {
  std::optional<std::vector<std::string>> allowed;
  std::vector<std::string> excluded;
  bool operator==(const ToolFilters&) const = default;
};

/// One loop. Records registry_refresh and diagnostic as probes.
class ToolRegistry final {
 public:
  /// `loop`: told who reads and who changes the tools; may be null.
  ToolRegistry(Recorder& recorder, const Policies& policies, ToolFilters filters,
               Loop* loop = nullptr)
      : recorder_(recorder),
        policies_(policies),
        mark_(loop, TouchKind::active_set, "registry"),
        filters_(std::move(filters)) {}

  /// Errors (also recorded as diagnostic invalid_tool): invalid, when the schema is not an object
  /// or does not compile (TOOL-05). Nothing is registered then.
  Result<void> add_builtin(ToolDefinition definition);
  /// In list order; the last of a name wins (REG-07).
  Result<void> add_sdk(ToolDefinition definition);
  /// `load_order`: the extension's place, from 0. A repeated name of one extension replaces its
  /// earlier definition (REG-06). Refreshes at once when bound (REG-17).
  Result<void> register_tool(const SourceInfo& extension, std::int64_t load_order,
                             ToolDefinition definition);
  /// Forgets all registrations of extensions (reload); refresh follows by `bind`.
  void clear_extensions();

  /// From now on registrations refresh at once; refreshes now.
  void bind();
  bool is_bound() const { return is_bound_; }
  /// Merges, filters, records; then calls the refresh listener.
  void refresh();
  /// Called after each refresh (the active set). At most one.
  void on_refresh(std::function<void()> listener) { listener_ = std::move(listener); }

  /// The effective tools in registry order (REG-18), active or not.
  const std::vector<RegisteredToolPtr>& tools() const {
    mark_.read();
    return effective_;
  }
  /// Exact name (REG-19); null when there is none.
  RegisteredToolPtr find(std::string_view name) const;
  bool has_allow_list() const { return filters_.allowed.has_value(); }
  /// getAllTools(): ToolInfo of every effective tool (TOOL-14).
  Json list() const;

 private:
  Result<RegisteredTool> make_entry(ToolDefinition definition, SourceInfo source, Level level);
  void add(RegisteredTool entry);
  std::vector<RegisteredToolPtr> extension_winners();
  RegisteredToolPtr settle_rivals(const std::vector<RegisteredToolPtr>& rivals);
  std::vector<RegisteredToolPtr> merged();
  void diagnose(std::string code, const RegisteredTool& blamed, std::string message,
                std::string owner);
  void record_refresh();

  Recorder& recorder_;
  const Policies& policies_;
  TouchMark mark_;
  ToolFilters filters_;
  std::vector<RegisteredToolPtr> candidates_;
  std::vector<RegisteredToolPtr> effective_;
  std::vector<std::string> slots_;
  std::set<std::pair<std::string, std::string>> reported_;
  std::map<std::string, std::string> owners_;  ///< Tool name -> path of the owning extension.
  std::function<void()> listener_;
  std::int64_t next_ticket_ = 0;
  bool is_bound_ = false;
};

}  // namespace plumb::engine
