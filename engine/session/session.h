// SPDX-License-Identifier: Apache-2.0
// A session: one conversation with a model, its tools and its extensions. The life cycle of a
// prompt is that of EVENT-01; core.yaml turn_loop lists the steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/extensions/extension_api.h"
#include "engine/extensions/user_interface.h"
#include "engine/kernel/env.h"
#include "engine/kernel/result.h"
#include "engine/kernel/task.h"
#include "engine/model/message.h"
#include "engine/model/provider.h"
#include "engine/session/session_options.h"
#include "engine/session/tree/session_store.h"
#include "engine/tools/policies.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

/// The ports a session borrows; they outlive it. `ui`: null when no user is attached (HOOK-26).
struct SessionPorts {
  SessionPorts(Env& session_env, Provider& session_provider, Recorder& session_recorder)
      : env(session_env), provider(session_provider), recorder(session_recorder) {}
  Env& env;
  Provider& provider;
  Recorder& recorder;
  UserInterface* ui = nullptr;
};

/// How to move in the tree. `label`: for the place, or the summary. `summarize`: a handler may give
/// a summary of what is left.
struct NavigateOptions {
  NavigateOptions() {}
  std::string label;
  bool summarize = false;
};

/// What came of a move. `editor_text`: what the user or an extension had said at the target.
struct Navigation {
  bool is_cancelled = false;
  std::optional<std::string> editor_text;
  bool operator==(const Navigation&) const = default;
};

/// One loop. Neither copied nor moved. `start` once, then prompts one at a time; steer, follow_up
/// and abort at any time, from other fibers, handlers and recorder listeners.
class Session final {
 public:
  Session(SessionOptions options, SessionPorts ports, const Policies& policies);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Loads the extensions, builds the registry and the active set, emits session_start. Errors:
  /// invalid, for a built-in or SDK tool that cannot be registered.
  Task<Result<void>> start(std::string reason = "startup");
  /// Runs until nothing more happens automatically (agent_settled). Errors: rejected during a run
  /// (EVENT-35); protocol, from the provider; exhausted, at turns_max. Nothing an extension, a tool
  /// or a model does is an error here.
  Task<Result<void>> prompt(std::string text);
  /// Delivered after the current turn's batch (EVENT-31).
  void steer(std::string text);
  /// Delivered when the run would otherwise stop (EVENT-32).
  void follow_up(std::string text);
  /// Sets the run's signal; harmless when idle (ABORT-14).
  void abort();
  /// Returns once the session is idle (ABORT-11). Not from inside the run.
  Task<void> wait_until_idle();
  /// session_shutdown, the factories again (of `extensions`, else of the same ones), session_start.
  /// Errors: rejected during a run (EXT-28).
  Task<Result<void>> reload(std::optional<std::vector<ExtensionSource>> extensions = std::nullopt);
  /// session_shutdown; aborts and awaits a run first (EVENT-39).
  Task<void> shutdown(std::string reason = "quit");
  /// Moves to an entry of the session's tree, with session_before_tree and session_tree (SESS-14);
  /// to what somebody said: in front of it (SESS-12). Errors: rejected during a run; not_found; of
  /// the file port, with everything as it was (SESS-15).
  Task<Result<Navigation>> navigate(std::string entry, NavigateOptions wanted = NavigateOptions());
  /// Goes on with another session file; false when a handler cancelled. The old extensions end, the
  /// factories run again (SESS-39). Errors: rejected during a run; as SessionStore::open.
  Task<Result<bool>> resume(std::string path);
  /// The same with a new session, in the folder of the current one.
  Task<Result<bool>> new_session();
  /// The same with a new session that has the way to an entry (SESS-38); of what somebody said, the
  /// way in front of it. Errors: also not_found.
  Task<Result<bool>> fork(std::string entry);
  /// Before `start`: the session to go on with, in place of one of the options.
  void use_store(SessionStorePtr store);
  const SessionStore& store() const;
  /// Appends a custom entry, as an extension would.
  Task<std::string> append_custom(std::string type, Json data);

  /// Loads one more extension behind the others; its tools and handlers take effect at once.
  Task<void> install(ExtensionSource extension);
  /// A shell command that the user typed: what a handler answered; nothing when all passed it on.
  /// Errors: rejected, when a handler failed or answered out of shape (EVENT-41).
  Task<Result<std::optional<Json>>> user_bash(std::string command);

  bool is_idle() const;
  /// Replaces the active set on behalf of the host.
  void set_active_tools(std::vector<std::string> names);
  std::vector<std::string> active_tools() const;
  /// From the next request on.
  void set_model(std::string model);
  /// What the options say of the current model: for a read tool (READ-23, READ-24).
  ModelProfile model_profile() const;
  void set_tool_execution(ExecutionMode mode);
  void set_queue_modes(QueueMode steering, QueueMode follow_up);
  /// A tool that the host adds at run time (REG-17).
  Result<void> add_sdk_tool(ToolDefinition definition);
  /// Messages waiting in both queues.
  std::int64_t pending_count() const;
  /// The stored messages, oldest first.
  const std::vector<MessagePtr>& messages() const;
  /// Tokens of all answers (RESULT-09: those of tools are counted too).
  Usage total_usage() const;
  /// For ScriptWorld.
  ExtensionHost& host();

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace plumb::engine
