// SPDX-License-Identifier: Apache-2.0
// The typed events of a trace: the only evidence that a check may use. Each event kind is a struct
// that names its kind and lists its fields once (`fields`); the JSON form, the reader, the generic
// field access of the checks and the schema test all come from that list. A kind is added, never
// changed in meaning. Values are shared, not copied: an event costs no JSON until somebody reads
// it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "engine/values/shared_json.h"

namespace plumb {

/// Who vouches for an event. Order is certain within a source; across sources only through `cause`.
enum class Source : std::uint8_t { engine, port, llm, host, probe };

/// Where a block of a provider request lies, in the order of the seed's prefix (CACHE-02).
enum class Zone : std::uint8_t { system, tools, messages };

/// One block of a provider request: a system text, a tool declaration or a message, as sent.
struct RequestBlock {
  Zone zone = Zone::messages;
  SharedJson body;

  bool operator==(const RequestBlock&) const = default;
};

// ------------------------------------------------------------------ public events of the engine

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

// ------------------------------------------------------------------ probes

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

/// The handler settled. `input_after`: the handler's input as it left it; `result`: what it
/// returned; `error`: what it threw.
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
  std::string cause;
  std::string message;
  bool operator==(const CallOutcome&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("cause", self.cause);
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

// ------------------------------------------------------------------ effects, recorded by ports

/// A request as it leaves the engine, stored against the last one of its `lineage`: the first
/// `common` blocks of request `base` (a seq, -1 for none) stay, its other `removed` ones go,
/// `append` follows. `hash` chains over all blocks' bytes. `params`: model, max_tokens, ... `n`
/// counts from 1 over the run.
struct ProviderRequest {
  static constexpr std::string_view kKind = "provider_request";
  std::int64_t n = 0;
  std::string lineage = "main";
  std::int64_t base = -1;
  std::int64_t common = 0;
  std::int64_t removed = 0;
  std::vector<RequestBlock> append;
  std::string hash;
  SharedJson params;
  bool operator==(const ProviderRequest&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("n", self.n);
    visit("lineage", self.lineage);
    visit("base", self.base);
    visit("common", self.common);
    visit("removed", self.removed);
    visit("append", self.append);
    visit("hash", self.hash);
    visit("params", self.params);
  }
};

/// The answer to request `n`. `stop_reason`: stop, toolUse, length, error, aborted. `message`: the
/// assistant message.
struct ProviderResponse {
  static constexpr std::string_view kKind = "provider_response";
  std::int64_t n = 0;
  std::string stop_reason;
  SharedJson message;
  std::string error;
  bool operator==(const ProviderResponse&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("n", self.n);
    visit("stop_reason", self.stop_reason);
    visit("message", self.message);
    visit("error", self.error);
  }
};

/// `op`: access, read, write, ...; `phase`: begin, end; `result` at the end: ok or an error code;
/// `bytes` read or written; `hash`: SHA-256 of the bytes.
struct FileOperation {
  static constexpr std::string_view kKind = "file_op";
  std::string op;
  std::string path;
  std::string real_path;
  std::string phase;
  std::string result;
  std::int64_t bytes = -1;
  std::string hash;
  bool operator==(const FileOperation&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("op", self.op);
    visit("path", self.path);
    visit("real_path", self.real_path);
    visit("phase", self.phase);
    visit("result", self.result);
    visit("bytes", self.bytes);
    visit("hash", self.hash);
  }
};

struct ProcessStart {
  static constexpr std::string_view kKind = "process_start";
  std::string command;
  std::string cwd;
  bool operator==(const ProcessStart&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("command", self.command);
    visit("cwd", self.cwd);
  }
};

struct ProcessExit {
  static constexpr std::string_view kKind = "process_exit";
  std::int64_t code = 0;
  std::string signal;
  std::string output;
  bool operator==(const ProcessExit&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("code", self.code);
    visit("signal", self.signal);
    visit("output", self.output);
  }
};

/// `method`: confirm, select, input, editor.
struct UiAsk {
  static constexpr std::string_view kKind = "ui_ask";
  std::string method;
  std::string title;
  std::string message;
  bool operator==(const UiAsk&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("method", self.method);
    visit("title", self.title);
    visit("message", self.message);
  }
};

/// `by`: user, timeout, abort, no_ui.
struct UiAnswer {
  static constexpr std::string_view kKind = "ui_answer";
  SharedJson answer;
  std::string by;
  bool operator==(const UiAnswer&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("answer", self.answer);
    visit("by", self.by);
  }
};

// ------------------------------------------------------------------ the host (runner) and the fake
// LLM

/// A step of the scenario was applied: user, steer, follow_up, abort, ... `line`: of the scenario
/// file.
struct Step {
  static constexpr std::string_view kKind = "step";
  std::string step;
  SharedJson data;
  std::int64_t line = 0;
  bool operator==(const Step&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("step", self.step);
    visit("data", self.data);
    visit("line", self.line);
  }
};

/// The workspace when the run settled: path -> {text} | {bytes, sha256} | {link} | {dir: true}.
/// `before`: when it began.
struct FinalFiles {
  static constexpr std::string_view kKind = "final_files";
  SharedJson before;
  SharedJson files;
  bool operator==(const FinalFiles&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("before", self.before);
    visit("files", self.files);
  }
};

/// The fake LLM refused a request: `code` orphan_result, missing_result, exhausted, unforeseen,
/// ...; `where`: file:line:col.
struct LlmError {
  static constexpr std::string_view kKind = "llm_error";
  std::string code;
  std::string message;
  std::string where;
  bool operator==(const LlmError&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("code", self.code);
    visit("message", self.message);
    visit("where", self.where);
  }
};

struct Crash {
  static constexpr std::string_view kKind = "crash";
  bool operator==(const Crash&) const = default;
  static void fields(auto&, auto&&) {}
};

struct Resume {
  static constexpr std::string_view kKind = "resume";
  bool operator==(const Resume&) const = default;
  static void fields(auto&, auto&&) {}
};

using Payload =
    std::variant<Input, BeforeAgentStart, AgentStart, TurnStart, MessageStart, MessageUpdate,
                 MessageEnd, ToolExecutionStart, ToolExecutionUpdate, ToolExecutionEnd, TurnEnd,
                 AgentEnd, AgentBeforeSettle, AgentSettled, SessionStart, SessionShutdown, HookCall,
                 HookReturn, ExecuteBegin, ExecuteEnd, CallOutcome, RegistryRefresh, ActiveSet,
                 Diagnostic, ExtensionError, QueueAcquire, QueueRelease, Load, SessionEntry, Notify,
                 ProviderRequest, ProviderResponse, FileOperation, ProcessStart, ProcessExit, UiAsk,
                 UiAnswer, Step, FinalFiles, LlmError, Crash, Resume>;

inline constexpr std::size_t kEventKindCount = std::variant_size_v<Payload>;

/// Names of all kinds, indexed like Payload's alternatives.
inline constexpr auto kEventKinds = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<std::string_view, sizeof...(I)>{
      std::variant_alternative_t<I, Payload>::kKind...};
}(std::make_index_sequence<kEventKindCount>{});

/// One entry of a trace. `seq` counts from 0 without gaps; `at` is virtual milliseconds; `call`
/// names the tool call the event belongs to, or is empty; `cause` names an earlier seq, or -1.
struct Event {
  std::int64_t seq = 0;
  std::int64_t at = 0;
  Source source = Source::engine;
  std::string call;
  std::int64_t cause = -1;
  Payload payload;

  std::string_view kind() const { return kEventKinds[payload.index()]; }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&payload);
  }
  bool operator==(const Event&) const = default;
};

}  // namespace plumb
