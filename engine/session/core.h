// SPDX-License-Identifier: Apache-2.0
// The inside of a Session. Its parts stand in core.cc (set-up, life of the session), run.cc (one
// prompt until it settles), turn.cc (one turn), request.cc (prompt, tools, request), place.cc (the
// place in the session tree) and host.cc (what tools and extensions are given).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/extensions/runner.h"
#include "engine/kernel/event.h"
#include "engine/kernel/touch_mark.h"
#include "engine/session/answer_stream.h"
#include "engine/session/message_queue.h"
#include "engine/session/session.h"
#include "engine/session/transcript.h"
#include "engine/tools/active_set.h"
#include "engine/tools/batch.h"
#include "engine/tools/pipeline.h"
#include "engine/tools/registry.h"

namespace plumb::engine {

/// What before_agent_start handlers made of the active set, and what it was (EVENT-21).
struct ToolSelection {
  std::vector<std::string> before;
  std::vector<std::string> chosen;
};

/// What lasts from a prompt until it settles, and again for what agent_settled handlers ask for.
struct Run {
  explicit Run(Loop& loop) : controller(loop) {}
  AbortController controller;
  std::optional<std::string> prompt_override;  ///< PROMPT-14.
  std::vector<PromptSection> sections;
  std::vector<std::string> guidelines;
  std::optional<ToolSelection> selection;
  std::int64_t retry_count = 0;
  std::optional<Error> failure;  ///< What prompt() will report.
  bool will_retry = false;
  MessagePtr last_answer;
};

/// What a turn leaves to the loop.
struct TurnOutcome {
  bool ends_run = false;        ///< EVENT-29.
  bool follows = false;         ///< Another turn answers the results.
  bool wants_continue = false;  ///< A turn_end handler asked.
};

/// One loop.
class Session::Core final : public ToolHost, public ExtensionHost {
 public:
  Core(SessionOptions options, SessionPorts ports, const Policies& policies);

  Task<Result<void>> start(std::string reason);
  Task<Result<void>> prompt(std::string text);
  Task<Result<void>> reload(std::optional<std::vector<ExtensionSource>> extensions);
  Task<void> shutdown(std::string reason);
  Task<void> wait_until_idle();
  Task<Result<std::optional<Json>>> user_bash(std::string command);
  Task<Result<Navigation>> navigate(std::string target, NavigateOptions wanted);
  /// `reason`: new, resume.
  Task<Result<bool>> switch_to(std::string reason, std::string path);
  Task<Result<bool>> fork(std::string entry);
  void use_first(SessionStorePtr store) { first_store_ = std::move(store); }
  Task<std::string> append_custom(std::string type, Json data);
  Task<void> install(ExtensionSource extension);
  void queue_input(std::string text, Delivery deliver_as);
  Result<void> add_sdk_tool(ToolDefinition definition);
  Usage total_usage() const;
  bool is_busy() const { return !busy_with_.empty(); }
  const Transcript& transcript() const { return transcript_; }
  void set_model(std::string model);
  ModelProfile model_profile() const;
  void set_tool_execution(ExecutionMode mode);
  MessageQueue& steering() { return steering_; }
  MessageQueue& follow_ups() { return follow_ups_; }

  // ToolHost.
  std::unique_ptr<ToolContext> make_context(const CallView& call) override;
  Task<void> deliver_result(std::string call_id, ToolResultMessage message) override;

  // ToolHost and ExtensionHost.
  std::vector<std::string> active_tools() const override;

  // ExtensionHost.
  Json all_tools() const override;
  void set_active_tools(std::vector<std::string> names, std::string by) override;
  std::string append_entry(std::string type, Json data) override;
  void send_message(CustomMessage message, SendOptions options) override;
  void queue_user_message(std::string text, Delivery deliver_as) override;
  void abort() override;
  bool is_idle() const override {
    run_mark_.read();
    return !is_running_;
  }
  bool has_pending_messages() const override { return steering_.size() + follow_ups_.size() > 0; }
  Json commands() const override { return runner_.commands(); }
  AbortSignal signal() const override;
  UserInterface& ui() override { return recorded_ui_; }
  std::string cwd() const override { return options_.cwd; }
  std::string model() const override {
    settings_mark_.read();
    return options_.model;
  }
  std::string system_prompt() const override;
  SharedJson session_entries() const override { return transcript_.entries(); }
  Env& env() override { return ports_.env; }
  void notify(std::string by, std::string topic, Json data, std::string call) override;
  void report_error(std::string extension, std::string event, std::string error) override {
    runner_.report(extension, event, error);
  }

 private:
  // core.cc
  Result<void> register_host_tools();
  void restore_active(const std::vector<std::string>& active,
                      const std::vector<std::string>& registered);
  std::vector<std::string> registered_names() const;
  void refresh_active();
  Task<void> announce_start(std::string reason, std::string previous = {});
  Task<void> announce_shutdown(std::string reason);
  /// One thing at a time: a prompt, a reload, a shutdown. `what` is a literal.
  void enter(std::string_view what);
  void leave();
  Error busy_error() const;
  void record(Payload event, std::string call = {});
  /// Handlers first, then the record (EVENT-26).
  Task<void> emit(Payload event, Json fields, std::string call = {});

  // place.cc
  StorePorts store_ports() { return StorePorts(ports_.env, ids_); }
  Task<Result<void>> open_first();
  void use(SessionStorePtr store);
  void restore_settings();
  void restore_tools();
  Task<void> flush_entries();
  Task<Result<Navigation>> navigate_idle(std::string target, NavigateOptions wanted);
  Task<Result<void>> move_leaf(EntryPlace place, std::string target, std::string summary,
                               std::string label);
  Task<void> announce_place(EntryPlace old_leaf);
  Task<Result<SessionStorePtr>> store_for(std::string reason, std::string path);
  Task<Result<SessionStorePtr>> forked(EntryPlace place);
  Task<Result<bool>> replace_store(std::string reason, Result<SessionStorePtr> store);

  // run.cc
  Task<Result<void>> run_input(std::string text);
  Task<Result<void>> run_prompt(std::string text);
  Task<std::vector<MessagePtr>> prepare_run(MessagePtr message);
  void apply_options(const Json& before, const Json& options);
  void select_for_run(const std::vector<std::string>& names);
  void end_selection();
  Task<void> run_to_settlement(std::vector<MessagePtr> first);
  Task<void> run_agent(std::vector<MessagePtr> first);
  std::optional<std::vector<MessagePtr>> next_messages(const TurnOutcome& turn);
  Task<void> end_agent();
  Task<void> wait_for_retry();
  Task<void> wait_for_abort();
  Task<bool> continues_before_settle();
  Task<void> settle();
  void apply_proposal(const BoundaryProposal& proposal);
  bool can_continue(std::string_view event);
  bool aborted() const { return run_ && run_->controller.aborted(); }
  void begin_run();

  // turn.cc
  Task<TurnOutcome> run_turn(std::int64_t turn, std::vector<MessagePtr> pending);
  Task<void> deliver_all(std::vector<MessagePtr> messages);
  Task<std::string> deliver(MessagePtr message, std::string call);
  Task<MessagePtr> next_answer();
  Task<MessagePtr> ask_model();
  Task<MessagePtr> close_answer(bool has_started, ShownMessage answer);
  Task<BatchOutcome> run_calls(MessagePtr answer);
  Task<bool> end_turn(std::int64_t turn, MessagePtr answer);
  Json turn_end_fields(std::int64_t turn, const Message& answer) const;

  // request.cc
  PromptParts prompt_parts(std::vector<RegisteredToolPtr> tools) const;
  /// Of the run, with these tools.
  std::string prompt_for(std::vector<RegisteredToolPtr> tools) const;
  std::string current_prompt() const { return prompt_for(active_.snapshot().active); }
  /// Of the turn's tools.
  SharedJson shared_prompt();
  ToolDeclaration declaration_of(const RegisteredToolPtr& tool);
  std::vector<ToolDeclaration> declarations();
  void remember_first(const std::vector<ToolDeclaration>& tools);
  Task<void> announce_tools();
  Task<ModelRequest> compose_request();
  Task<std::vector<SharedJson>> context_messages();
  std::vector<SharedJson> without_pictures(std::vector<SharedJson> messages);

  SessionOptions options_;
  SessionPorts ports_;
  const Policies& policies_;
  NoUserInterface no_ui_;
  LimitedUserInterface limited_ui_;
  RecordedUserInterface recorded_ui_;
  ToolRegistry registry_;
  ExtensionRunner runner_;
  std::unique_ptr<ToolHooks> outer_hooks_;
  ActiveSet active_;
  Rng ids_;  ///< Of sessions and entries: chance of its own, so that no other draw moves.
  SessionStorePtr first_store_;
  Transcript transcript_;
  CallPipeline pipeline_;
  BatchRunner batches_;
  TouchMark run_mark_;       ///< Whether there is a run, and which.
  TouchMark settings_mark_;  ///< What the host may change meanwhile.
  TouchMark later_mark_;     ///< next_turn_ and after_turn_.
  MessageQueue steering_;
  MessageQueue follow_ups_;
  std::vector<MessagePtr> next_turn_;   ///< Wait for the next prompt (EVENT-36).
  std::vector<MessagePtr> after_turn_;  ///< Wait for the turn's results (EVENT-36).
  Event idle_;
  std::optional<Run> run_;
  // Shared by the calls of the turn and what they call in turn.
  std::shared_ptr<const TurnTools> turn_tools_;
  std::vector<std::string> turn_results_;  ///< Call ids of the turn, in message order.
  std::vector<std::string> turn_entries_;  ///< Entry ids of the results.
  std::string answer_entry_;
  std::optional<std::vector<ToolDeclaration>> announced_;        ///< What the transcript declares.
  std::optional<std::vector<ToolDeclaration>> first_announced_;  ///< Before any delta.
  std::map<std::string, std::pair<RegisteredToolPtr, ToolDeclaration>> declared_;
  SharedJson empty_answer_ = empty_answer();
  SharedJson prompt_;
  /// For which tools the run has composed it; nothing: anew, since something else may be different.
  std::optional<std::vector<RegisteredToolPtr>> prompted_;
  /// Messages with pictures, and as they go to a model that takes none: the same object each time.
  std::vector<std::pair<SharedJson, SharedJson>> blind_messages_;
  std::string_view busy_with_;          ///< What holds the session; empty: nothing.
  std::int64_t prompt_turn_count_ = 0;  ///< Of the prompt, whatever runs it takes.
  /// Asked for while the prompt had no run: between its last settlement and the next run.
  bool is_prompt_aborted_ = false;
  bool is_running_ = false;
};

}  // namespace plumb::engine
