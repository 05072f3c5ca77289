// SPDX-License-Identifier: Apache-2.0
// What an extension is and what it is given. A native extension is a factory function; it registers
// handlers and tools through its ExtensionApi. Handlers may throw: the engine catches it at its
// boundary and treats it as the rules say (HOOK-07, HOOK-19, EXT-26).
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/extensions/user_interface.h"
#include "engine/kernel/abort_signal.h"
#include "engine/kernel/env.h"
#include "engine/kernel/task.h"
#include "engine/model/message.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

/// What a handler threw. `is_error_object`: false when the thrown value is no Error (HOOK-09).
struct Thrown {
  explicit Thrown(std::string what, bool is_error = true)
      : message(std::move(what)), is_error_object(is_error) {}
  std::string message;
  bool is_error_object = true;
  bool operator==(const Thrown&) const = default;
};

/// What a C++ exception says, as a thrown value: only std::exception counts as an Error (HOOK-09).
/// Inside a catch block only.
Thrown thrown_now();

/// Nothing (undefined), a value, or what was thrown. A C++ exception counts as thrown, too.
using HandlerResult = std::expected<std::optional<Json>, Thrown>;

/// How a message from an extension joins the conversation (EVENT-36).
enum class Delivery : std::uint8_t { steer, follow_up, next_turn };

struct SendOptions {
  Delivery deliver_as = Delivery::steer;
  bool trigger_turn = true;
  bool operator==(const SendOptions&) const = default;
};

/// What extensions may ask of the session and do to it: the `ctx` of a handler. The session room
/// implements it. Calls record nothing but what they cause.
class ExtensionHost {
 public:
  virtual ~ExtensionHost() = default;

  /// ToolInfo of every effective tool, active or not (TOOL-14).
  virtual Json all_tools() const = 0;
  /// A fresh copy (ACTIVE-13).
  virtual std::vector<std::string> active_tools() const = 0;
  virtual void set_active_tools(std::vector<std::string> names, std::string by) = 0;

  /// Stored, never sent to the model; gives the entry's id.
  virtual std::string append_entry(std::string type, Json data) = 0;
  virtual void send_message(CustomMessage message, SendOptions options) = 0;
  /// Queues a user message during a run (EVENT-31, EVENT-32).
  virtual void queue_user_message(std::string text, Delivery deliver_as) = 0;

  virtual void abort() = 0;
  virtual bool is_idle() const = 0;
  virtual bool has_pending_messages() const = 0;
  /// [{name, description}] of the extensions' commands, as a user types them (EXT-20).
  virtual Json commands() const = 0;
  /// The current run's signal (ABORT-01); one that never aborts between runs.
  virtual AbortSignal signal() const = 0;

  virtual UserInterface& ui() = 0;
  virtual std::string cwd() const = 0;
  virtual std::string model() const = 0;
  virtual std::string system_prompt() const = 0;
  /// Entries of the current branch, oldest first.
  virtual SharedJson session_entries() const = 0;
  virtual Env& env() = 0;
  /// Records a notify event. `call`: what the reporter works for; may be empty.
  virtual void notify(std::string by, std::string topic, Json data, std::string call) = 0;
  /// Records an extension_error of work that no dispatch awaits.
  virtual void report_error(std::string extension, std::string event, std::string error) = 0;
};

/// What a handler is called with. `data` is its own copy of the event's fields (core.yaml events);
/// changing it has no effect. `input` is the part that handlers may change in place, and null for
/// events without one: the argument object of tool_call (PIPE-06), the prompt options of
/// before_agent_start {selectedTools, sections, guidelines} (EVENT-21).
struct HandlerContext {
  HandlerContext(std::string event_name, std::string call_id, Json fields)
      : event(std::move(event_name)), call(std::move(call_id)), data(std::move(fields)) {}
  std::string event;
  std::string call;
  Json data;
  // Shared: all handlers of a dispatch and the engine see one object (HOOK-02). Pointing it
  // elsewhere changes nothing for the engine (PIPE-16).
  std::shared_ptr<Json> input;
  AbortSignal signal;
  ExtensionHost* host = nullptr;  ///< Never null in a dispatch; outlives it.
};

/// A captured coroutine must not be a lambda: let the function call a member coroutine of an object
/// that outlives the extension.
using Handler = std::function<Task<HandlerResult>(HandlerContext)>;

/// What a command does with the text behind its name. What it gives back is ignored.
using CommandHandler = std::function<Task<HandlerResult>(std::string arguments)>;

/// Removes one registration; calling it again does nothing (EXT-29).
using Unsubscribe = std::function<void()>;

class ExtensionRunner;

/// The engine as one extension sees it. Registrations work from the factory on; actions work once
/// the session is bound: before that, and after the extension failed or was replaced, they give
/// rejected (EXT-05, EXT-06, EXT-27). One loop; lives as long as the runner.
class ExtensionApi final {
 public:
  ExtensionApi(ExtensionRunner& runner, std::int64_t extension)
      : runner_(runner), extension_(extension) {}
  ExtensionApi(const ExtensionApi&) = delete;
  ExtensionApi& operator=(const ExtensionApi&) = delete;

  Result<void> register_tool(ToolDefinition definition);
  /// Any event name of core.yaml; unknown ones are never dispatched.
  Result<Unsubscribe> on(std::string event, Handler handler);
  /// A command that the user types as /NAME; one name may be registered several times (EXT-20).
  Result<void> register_command(std::string name, std::string description, CommandHandler handler);

  /// A flag with its default; of two of one name the first counts (EXT-20).
  Result<void> register_flag(std::string name, Json value);
  /// name -> value, of all extensions.
  Json flags() const;

  Result<Json> get_all_tools() const;
  Result<std::vector<std::string>> get_active_tools() const;
  Result<void> set_active_tools(std::vector<std::string> names);
  Result<std::string> append_entry(std::string type, Json data);
  Result<void> send_message(CustomMessage message, SendOptions options = SendOptions());
  /// Recorded as a note `abort`, so that a trace shows who ended the run.
  Result<void> abort();
  Result<void> notify(std::string topic, Json data);
  /// The session's services. Errors: rejected, as for every action.
  Result<ExtensionHost*> host() const;

  const std::string& path() const;

 private:
  ExtensionRunner& runner_;
  std::int64_t extension_;
};

/// Called once per load (EXT-01). An Error or an exception is a failed load (EXT-05). The argument
/// outlives the extension.
using ExtensionFactory = std::function<Task<Result<void>>(ExtensionApi&)>;

/// An extension to load; `source.path` names it in traces.
struct ExtensionSource {
  ExtensionSource(SourceInfo info, ExtensionFactory make)
      : source(std::move(info)), factory(std::move(make)) {}
  SourceInfo source;
  ExtensionFactory factory;
  /// One of the engine's own, which is left out as a whole when another extension registers a tool,
  /// command or flag of one of its names (EXT-17).
  bool is_replaceable = false;
};

}  // namespace plumb::engine
