// SPDX-License-Identifier: Apache-2.0
// What a host decides before a session starts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/extensions/extension_api.h"
#include "engine/model/model_profile.h"
#include "engine/tools/active_set.h"
#include "engine/tools/definition.h"
#include "engine/tools/hooks.h"
#include "engine/tools/registry.h"

namespace plumb::engine {

/// How many queued messages one drain point delivers (EVENT-33).
enum class QueueMode : std::uint8_t { one_at_a_time, all };

/// Automatic retries of a run whose answer failed in a way that may pass (EVENT-30). The n-th waits
/// delay_ms * 2^(n-1), at most delay_ms_max.
struct RetryOptions {
  std::int64_t count_max = 0;
  std::int64_t delay_ms = 1000;
  std::int64_t delay_ms_max = 60'000;
  bool operator==(const RetryOptions&) const = default;
};

/// `custom` replaces the generated preamble, tools and rules (PROMPT-10); `appended` always
/// follows.
struct PromptOptions {
  std::optional<std::string> custom;
  std::string appended;
  std::vector<std::string> guidelines;  ///< The host's, after those of the tools (PROMPT-08).
  std::string project_context;
  std::string skills;
  std::string cwd_shown = "/workspace";  ///< A placeholder: no machine's path enters a prompt.
  bool operator==(const PromptOptions&) const = default;
};

/// More turns than this end a run with an error.
inline constexpr std::int64_t kTurnsMaxDefault = 200;

struct SessionOptions {
  std::string cwd = "/workspace";
  /// The file of a session to go on with, absolute; one that is not there begins with the first
  /// message. Empty: the session is kept in memory.
  std::string session_file;
  std::string model = "fake-1";
  /// By name; a model that is not among them takes pictures and has no limits of its own.
  std::map<std::string, ModelProfile> models;
  ExecutionMode tool_execution = ExecutionMode::parallel;
  QueueMode steering = QueueMode::one_at_a_time;
  QueueMode follow_up = QueueMode::one_at_a_time;
  ToolFilters filters;
  ActiveOptions active;
  PromptOptions prompt;
  RetryOptions retry;
  std::int64_t turns_max = kTurnsMaxDefault;  ///< Of one prompt, continuations included.
  bool announces_tool_changes = true;         ///< System messages with tool deltas (ACTIVE-16).
  std::vector<ToolDefinition> builtin_tools;
  std::vector<ToolDefinition> sdk_tools;
  std::vector<ExtensionSource> extensions;
  /// The host's own hooks around those of the extensions (HOOK-24). The argument outlives the
  /// session's calls. May be empty.
  std::function<std::unique_ptr<ToolHooks>(ToolHooks& inner)> wrap_hooks;
};

}  // namespace plumb::engine
