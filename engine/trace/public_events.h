// SPDX-License-Identifier: Apache-2.0
// The events that an engine reports under its own public names (core.yaml, api.events).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/shared_json.h"

namespace plumb {

/// The host's input reached the engine, before any handler saw it. `mode`: prompt, steer,
/// follow_up.
struct Input {
  static constexpr std::string_view kKind = "input";
  std::string text;
  std::string mode = "prompt";
  bool operator==(const Input&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("text", self.text);
    visit("mode", self.mode);
  }
};

struct BeforeAgentStart {
  static constexpr std::string_view kKind = "before_agent_start";
  std::string prompt;
  bool operator==(const BeforeAgentStart&) const = default;
  static void fields(auto& self, auto&& visit) { visit("prompt", self.prompt); }
};

struct AgentStart {
  static constexpr std::string_view kKind = "agent_start";
  bool operator==(const AgentStart&) const = default;
  static void fields(auto&, auto&&) {}
};

/// `turn` counts from 0 within a run (EVENT-01).
struct TurnStart {
  static constexpr std::string_view kKind = "turn_start";
  std::int64_t turn = 0;
  bool operator==(const TurnStart&) const = default;
  static void fields(auto& self, auto&& visit) { visit("turn", self.turn); }
};

/// `role`: system, user, assistant, toolResult, custom. For a tool result the event's `call` is
/// set.
struct MessageStart {
  static constexpr std::string_view kKind = "message_start";
  std::string role;
  SharedJson message;
  bool operator==(const MessageStart&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("role", self.role);
    visit("message", self.message);
  }
};

struct MessageUpdate {
  static constexpr std::string_view kKind = "message_update";
  SharedJson delta;
  bool operator==(const MessageUpdate&) const = default;
  static void fields(auto& self, auto&& visit) { visit("delta", self.delta); }
};

struct MessageEnd {
  static constexpr std::string_view kKind = "message_end";
  std::string role;
  SharedJson message;
  bool operator==(const MessageEnd&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("role", self.role);
    visit("message", self.message);
  }
};

/// `args` are the model's raw arguments (EVENT-04, PIPE-09). `parent` is set for a nested call.
struct ToolExecutionStart {
  static constexpr std::string_view kKind = "tool_execution_start";
  std::string name;
  SharedJson args;
  std::string parent;
  bool operator==(const ToolExecutionStart&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("name", self.name);
    visit("args", self.args);
    visit("parent", self.parent);
  }
};

struct ToolExecutionUpdate {
  static constexpr std::string_view kKind = "tool_execution_update";
  std::string name;
  SharedJson args;
  SharedJson partial;
  bool operator==(const ToolExecutionUpdate&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("name", self.name);
    visit("args", self.args);
    visit("partial", self.partial);
  }
};

/// `result`: {content, details?, structuredContent?, terminate?, addedToolNames?, usage?}. `ran`:
/// execute was entered.
struct ToolExecutionEnd {
  static constexpr std::string_view kKind = "tool_execution_end";
  std::string name;
  SharedJson result;
  bool is_error = false;
  bool ran = false;
  std::string parent;
  bool operator==(const ToolExecutionEnd&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("name", self.name);
    visit("result", self.result);
    visit("is_error", self.is_error);
    visit("ran", self.ran);
    visit("parent", self.parent);
  }
};

/// `results`: call ids of the turn's tool results in the order of their messages.
struct TurnEnd {
  static constexpr std::string_view kKind = "turn_end";
  std::int64_t turn = 0;
  std::vector<std::string> results;
  bool operator==(const TurnEnd&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("turn", self.turn);
    visit("results", self.results);
  }
};

struct AgentEnd {
  static constexpr std::string_view kKind = "agent_end";
  bool will_retry = false;
  bool operator==(const AgentEnd&) const = default;
  static void fields(auto& self, auto&& visit) { visit("will_retry", self.will_retry); }
};

struct AgentBeforeSettle {
  static constexpr std::string_view kKind = "agent_before_settle";
  bool operator==(const AgentBeforeSettle&) const = default;
  static void fields(auto&, auto&&) {}
};

struct AgentSettled {
  static constexpr std::string_view kKind = "agent_settled";
  bool aborted = false;
  bool operator==(const AgentSettled&) const = default;
  static void fields(auto& self, auto&& visit) { visit("aborted", self.aborted); }
};

/// `reason`: startup, reload, new, resume, fork (EVENT-38).
struct SessionStart {
  static constexpr std::string_view kKind = "session_start";
  std::string reason;
  bool operator==(const SessionStart&) const = default;
  static void fields(auto& self, auto&& visit) { visit("reason", self.reason); }
};

struct SessionShutdown {
  static constexpr std::string_view kKind = "session_shutdown";
  std::string reason;
  bool operator==(const SessionShutdown&) const = default;
  static void fields(auto& self, auto&& visit) { visit("reason", self.reason); }
};

}  // namespace plumb
