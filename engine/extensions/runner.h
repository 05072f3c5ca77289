// SPDX-License-Identifier: Apache-2.0
// Loads extensions and runs their handlers: in load order, then registration order, one after the
// other, over a snapshot of the handlers (HOOK-01, HOOK-27). Every handler call is recorded by
// hook_call and hook_return.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/extensions/extension_api.h"
#include "engine/kernel/touch_mark.h"
#include "engine/tools/hooks.h"
#include "engine/tools/policies.h"
#include "engine/tools/registry.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

/// What the input chain made of a prompt (EVENT-18).
struct InputOutcome {
  explicit InputOutcome(std::string prompt) : text(std::move(prompt)) {}
  std::string text;
  bool is_handled = false;
};

/// What before_agent_start handlers prepared for one run (EVENT-21, PROMPT-14). `options` is the
/// object that they changed in place: {selectedTools, sections, guidelines}.
struct RunPreparation {
  std::vector<CustomMessage> messages;
  std::optional<std::string> system_prompt;
  std::shared_ptr<Json> options;
};

/// What turn_end and agent_before_settle handlers propose (EVENT-42). `entries`: drafts {type:
/// custom, customType, data} or {type: custom_message, customType, content}.
struct BoundaryProposal {
  std::vector<Json> entries;
  bool wants_continue = false;
  bool operator==(const BoundaryProposal&) const = default;
};

/// What the handlers of a session are called towards its loop.
inline constexpr std::string_view kHandlersKey = "handlers";

/// One loop. Construct, load, bind, then dispatch; `clear` and load again on reload.
class ExtensionRunner final : public ToolHooks {
 public:
  /// `loop`: told who reads and who changes the handlers; may be null.
  ExtensionRunner(Recorder& recorder, ToolRegistry& registry, const Policies& policies,
                  Loop* loop = nullptr)
      : recorder_(recorder),
        registry_(registry),
        policies_(policies),
        loop_(loop),
        mark_(loop, TouchKind::signal, std::string(kHandlersKey)) {}

  /// One factory after the other (EXT-04); a failing one leaves nothing behind (EXT-05).
  Task<void> load(std::vector<ExtensionSource> sources);
  /// Actions work from now on (EXT-06).
  void bind(ExtensionHost& host) { host_ = &host; }
  /// Old APIs become unusable (EXT-27); the registry forgets the extensions' tools.
  void clear();

  // ToolHooks.
  Task<BeforeOutcome> before_call(CallView call) override;
  Task<ToolResult> after_call(CallView call, ToolResult result) override;
  Task<void> on_event(std::string call_id, Payload event) override;
  bool wants(std::string_view kind) const override;

  /// A notification: return values are ignored (EVENT-24). `call` may be empty.
  Task<void> notify(std::string event, std::string call, Json data);
  Task<InputOutcome> input(std::string text);
  /// `options` goes in as the base prompt's and comes back as handlers left it.
  Task<RunPreparation> before_agent_start(std::string prompt, std::string system_prompt,
                                          Json options);
  /// The messages of one request as the model would get them; without handlers nothing is copied
  /// (check `wants`). `event`: context, context_with_system.
  Task<std::vector<SharedJson>> context(std::string event, std::vector<SharedJson> messages);
  /// The message itself, or a replacement of the same role (EVENT-25).
  Task<MessagePtr> message_end(std::string call, MessagePtr message);
  /// `event`: turn_end, agent_before_settle.
  Task<BoundaryProposal> boundary(std::string event, Json data);
  /// A user-typed command: the first valid result, nothing when all pass; rejected when a handler
  /// throws or returns something else (EVENT-41).
  Task<Result<std::optional<Json>>> user_bash(std::string command, std::string cwd);
  /// Runs the command that a prompt names, /NAME ARGUMENTS; false when it names none (EVENT-19).
  /// What it throws is reported (EXT-26).
  Task<bool> command(std::string prompt);
  /// [{name, description}]: of several commands of one name each has its number (EXT-20).
  Json commands() const;
  /// The last object that a handler answered; one that cancels is the last one asked. Null when
  /// there is none.
  Task<Json> answer(std::string event, Json data);
  /// Whether a handler cancels a session operation (EVENT-40).
  Task<bool> is_cancelled(std::string event, Json data);

  /// Records extension_error.
  void report(const std::string& extension, std::string_view event, const std::string& error);

 private:
  friend class ExtensionApi;
  enum class Phase : std::uint8_t { loading, live, dead };

  struct Registration {
    std::int64_t number = 0;
    std::int64_t seq = -1;  ///< Of its record in the trace.
    std::int64_t extension = 0;
    std::string event;
    // Shared: a dispatch under way keeps a handler that was removed meanwhile (HOOK-27).
    std::shared_ptr<const Handler> handler;
  };
  struct Command {
    std::int64_t extension = 0;
    std::string name;
    std::string description;
    // Shared: it runs to its end even if its extension goes meanwhile.
    std::shared_ptr<const CommandHandler> handler;
  };
  struct Extension {
    SourceInfo source;
    std::int64_t load_order = 0;
    Phase phase = Phase::loading;
    std::vector<ToolDefinition> pending_tools;
    std::unique_ptr<ExtensionApi> api;
  };
  /// One handler's turn in a dispatch.
  struct Turn {
    Turn(Registration chosen, std::int64_t position)
        : registration(std::move(chosen)), index(position) {}
    Registration registration;
    std::int64_t index;
  };

  Task<void> load_one(std::int64_t extension, ExtensionFactory factory);
  void finish_load(Extension& extension, const Result<void>& loaded);
  void record_load(const Extension& extension, std::string phase, std::string error);
  Result<void> register_tool(const Extension& owner, ToolDefinition definition);
  /// A note `registration` {what: tool or handler, name} by the extension, recorded where its call
  /// arrives; a handler's turns name it as their cause, and so does its `registration_removed`.
  std::int64_t record_registration(const std::string& path, std::string_view what,
                                   const std::string& name);
  /// The handlers of a dispatch as they are registered now, in their order (HOOK-27).
  std::vector<Turn> turns(std::string_view event) const;
  bool may_run(const Turn& turn) const;
  HookCall hook_call_of(const Turn& turn, SharedJson seen) const;
  Task<HandlerResult> run_handler(Turn turn, HandlerContext context);
  /// As run_handler; a throw is reported and counts as nothing (EXT-26).
  Task<std::optional<Json>> run_isolated(Turn turn, HandlerContext context);
  HandlerContext make_context(std::string event, std::string call, Json data) const;
  ToolResult after_handler(const std::string& path, const HandlerResult& returned,
                           ToolResult result);
  void apply_preparation(const std::string& path, const std::optional<Json>& returned,
                         RunPreparation& prepared);
  const std::string& path_of(std::int64_t extension) const;

  Result<void> add_tool(std::int64_t extension, ToolDefinition definition);
  Result<Unsubscribe> add_handler(std::int64_t extension, std::string event, Handler handler);
  Result<void> add_command(std::int64_t extension, std::string name, std::string description,
                           CommandHandler handler);
  /// Those of live extensions, by the names that users type, in load order.
  std::vector<std::pair<std::string, const Command*>> named_commands() const;
  void remove_handler(std::int64_t number);
  /// A change of a live extension's handlers shows in the trace (HOOK-27).
  void note_handlers(const Registration& registration, std::string topic);
  Result<ExtensionHost*> live_host(std::int64_t extension) const;
  static std::unexpected<Error> dead_error(const Extension& extension);

  Recorder& recorder_;
  ToolRegistry& registry_;
  const Policies& policies_;
  Loop* loop_;
  TouchMark mark_;
  ExtensionHost* host_ = nullptr;
  std::vector<std::unique_ptr<Extension>> extensions_;
  std::int64_t first_live_ = 0;  ///< Extensions before it belong to earlier loads.
  std::vector<Registration> registrations_;
  std::vector<Command> commands_;
  std::int64_t next_registration_ = 0;
};

}  // namespace plumb::engine
