// SPDX-License-Identifier: Apache-2.0
// What public events do not show: handlers, execution, registry, queue, loading. Recorded by probes
// in the engine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/shared_json.h"

namespace plumb {

/// A handler is about to run. `event`: tool_call, tool_result, input, ...; `extension`: its path;
/// `index`: position in the chain. `input`: what the handler is given (for tool_call the argument
/// object; for tool_result {input, content, ...}).
struct HookCall {
  static constexpr std::string_view kKind = "hook_call";
  std::string event;
  std::string extension;
  std::int64_t index = 0;
  SharedJson input;
  bool operator==(const HookCall&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("event", self.event);
    visit("extension", self.extension);
    visit("index", self.index);
    visit("input", self.input);
  }
};

/// The handler settled. `input_after`: the input that all handlers of the event share, as this one
/// left it; null where each has a copy of its own, with which nobody sees what it does. `result`:
/// what it returned; `error`: what it threw.
struct HookReturn {
  static constexpr std::string_view kKind = "hook_return";
  std::string event;
  std::string extension;
  std::int64_t index = 0;
  SharedJson input_after;
  SharedJson result;
  std::string error;
  bool operator==(const HookReturn&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("event", self.event);
    visit("extension", self.extension);
    visit("index", self.index);
    visit("input_after", self.input_after);
    visit("result", self.result);
    visit("error", self.error);
  }
};

/// execute is entered with `args`. `owner`: source path of the definition that runs (TOOL-15).
/// `signal_aborted` at entry.
struct ExecuteBegin {
  static constexpr std::string_view kKind = "execute_begin";
  std::string name;
  std::string owner;
  SharedJson args;
  bool signal_aborted = false;
  bool operator==(const ExecuteBegin&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("name", self.name);
    visit("owner", self.owner);
    visit("args", self.args);
    visit("signal_aborted", self.signal_aborted);
  }
};

/// execute settled, before any tool_result handler. `outcome`: ok, returned_error, threw.
struct ExecuteEnd {
  static constexpr std::string_view kKind = "execute_end";
  std::string name;
  std::string outcome;
  SharedJson result;
  std::string error;
  bool operator==(const ExecuteEnd&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("name", self.name);
    visit("outcome", self.outcome);
    visit("result", self.result);
    visit("error", self.error);
  }
};

/// Why the call ended as it did: ok, or a cause of core.yaml's error_causes (RESULT-16).
struct CallOutcome {
  static constexpr std::string_view kKind = "call_outcome";
  std::string outcome;
  std::string message;
  bool operator==(const CallOutcome&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("outcome", self.outcome);
    visit("message", self.message);
  }
};

/// `tools`: effective registry in order, each {name, level: builtin|extension|sdk, sourceInfo,
/// description, parameters, promptGuidelines?, exposure, ...} (never execute, TOOL-14).
/// `candidates`: every registration before the merge, same form.
struct RegistryRefresh {
  static constexpr std::string_view kKind = "registry_refresh";
  SharedJson tools;
  SharedJson candidates;
  bool operator==(const RegistryRefresh&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("tools", self.tools);
    visit("candidates", self.candidates);
  }
};

/// `by`: start, set_active, registration, host, or an extension's path. `requested`: the names
/// asked for (set_active).
struct ActiveSet {
  static constexpr std::string_view kKind = "active_set";
  std::vector<std::string> before;
  std::vector<std::string> after;
  std::vector<std::string> requested;
  std::string by;
  bool operator==(const ActiveSet&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("before", self.before);
    visit("after", self.after);
    visit("requested", self.requested);
    visit("by", self.by);
  }
};

/// `path`: who is blamed (REG-03: the losing extension); `code`: tool_conflict, ...
struct Diagnostic {
  static constexpr std::string_view kKind = "diagnostic";
  std::string code;
  std::string path;
  std::string message;
  std::string tool;
  std::string owner;
  bool operator==(const Diagnostic&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("code", self.code);
    visit("path", self.path);
    visit("message", self.message);
    visit("tool", self.tool);
    visit("owner", self.owner);
  }
};

struct ExtensionError {
  static constexpr std::string_view kKind = "extension_error";
  std::string extension;
  std::string event;
  std::string error;
  bool operator==(const ExtensionError&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("extension", self.extension);
    visit("event", self.event);
    visit("error", self.error);
  }
};

/// A turn in the file mutation queue: `key` as QUEUE-01 and QUEUE-09 define it. `ticket`: order of
/// registration.
struct QueueAcquire {
  static constexpr std::string_view kKind = "queue_acquire";
  std::string key;
  std::int64_t ticket = 0;
  bool operator==(const QueueAcquire&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("key", self.key);
    visit("ticket", self.ticket);
  }
};

struct QueueRelease {
  static constexpr std::string_view kKind = "queue_release";
  std::string key;
  std::int64_t ticket = 0;
  bool operator==(const QueueRelease&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("key", self.key);
    visit("ticket", self.ticket);
  }
};

/// An extension's factory ran. `phase`: begin, end, failed.
struct Load {
  static constexpr std::string_view kKind = "load";
  std::string extension;
  std::string phase;
  std::string error;
  bool operator==(const Load&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("extension", self.extension);
    visit("phase", self.phase);
    visit("error", self.error);
  }
};

/// An entry was added to the session store. `type`: message, custom, ...
struct SessionEntry {
  static constexpr std::string_view kKind = "session_entry";
  std::string id;
  std::string type;
  SharedJson data;
  bool operator==(const SessionEntry&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("id", self.id);
    visit("type", self.type);
    visit("data", self.data);
  }
};

/// Something a tool, a handler or an extension reported about itself (scripted verb `note`): free
/// data by name.
struct Notify {
  static constexpr std::string_view kKind = "notify";
  std::string by;
  std::string topic;
  SharedJson data;
  bool operator==(const Notify&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("by", self.by);
    visit("topic", self.topic);
    visit("data", self.data);
  }
};

}  // namespace plumb
