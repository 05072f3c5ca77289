// SPDX-License-Identifier: Apache-2.0
// What hosted extensions ask of the session and do to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/extensions/extension_api.h"
#include "engine/extensions/hosted/node_host.h"
#include "engine/kernel/loop.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

/// An extension whose factory has ended well, and what it registered with.
struct HostedOwner {
  HostedOwner(ExtensionApi& owner_api, std::int64_t number) : api(owner_api), id(number) {}
  ExtensionApi& api;
  std::int64_t id;
  std::map<std::int64_t, Unsubscribe> handlers;  ///< By the host's index.
};

/// One loop. Outlives the process that it serves.
class HostServices final : public HostListener {
 public:
  HostServices(Loop& loop, Recorder& recorder, std::vector<ToolDefinition> builtin_tools,
               std::function<void()> before, std::function<void()> after)
      : loop_(loop),
        recorder_(recorder),
        builtin_tools_(std::move(builtin_tools)),
        before_(std::move(before)),
        after_(std::move(after)) {}

  void set_process(NodeHost& process) { process_ = &process; }
  void set_session(ExtensionHost& session) { session_ = &session; }
  ExtensionHost* session() const { return session_; }
  NodeHost& process() const { return *process_; }
  /// A name for the signal of one request.
  std::string next_signal() { return "s" + std::to_string(next_signal_++); }

  /// Registers what a factory did. `registrations`: entries with their kind, in order.
  Result<void> add(ExtensionApi& api, std::int64_t number, const Json& registrations);
  /// {cwd, mode, hasUI, model} of the session at this moment.
  Json facts() const;
  /// What extensions asked for and the host does not have.
  void report_missing(const std::string& extension, const Json& reply);
  void note(const std::string& by, std::string topic, Json data, std::string call = {});

  // HostListener.
  Result<Json> answer(const HostMessage& question) override;
  void begin(const HostMessage& call) override;
  void hear(const HostMessage& notification) override;
  void hear_output(OutputStream stream, std::string text) override;
  void before_turn() override;
  void after_turn() override;
  void has_failed(const std::string& extension, const std::string& why) override;

 private:
  HostedOwner* owner_of(const HostMessage& message);
  std::string path_of(const HostMessage& message);
  std::string call_of(const HostMessage& message) const;
  Result<Json> get(const HostMessage& question) const;
  Result<Json> set(const HostMessage& question, ExtensionHost& session);
  Result<Json> builtin_info(const std::string& name) const;
  const ToolDefinition* builtin(const std::string& name) const;
  Result<Json> act(const HostMessage& question);
  Result<Json> send_message(const Json& params);
  Result<Json> send_user_message(const Json& params);
  Result<void> add_one(HostedOwner& owner, const Json& entry);
  Result<void> add_handler(HostedOwner& owner, const Json& entry);
  Result<void> add_tool(HostedOwner& owner, const Json& entry);
  Result<void> add_command(HostedOwner& owner, const Json& entry);
  void remove(HostedOwner& owner, const Json& entry);
  void hear_update(const HostMessage& notification);

  /// The fiber of a call; ends with its outcome.
  Task<void> perform(HostMessage call, std::shared_ptr<AbortController> controller);
  Task<Result<Json>> outcome_of(HostMessage call, AbortSignal signal);
  Task<Result<Json>> ask_user(HostMessage call, AbortSignal signal);
  Task<Result<Json>> run_command(HostMessage call, AbortSignal signal);
  Task<Result<Json>> execute_tool(HostMessage call, AbortSignal signal);
  Task<Result<Json>> execute_builtin(HostMessage call, AbortSignal signal);

  Loop& loop_;
  Recorder& recorder_;
  std::vector<ToolDefinition> builtin_tools_;
  std::function<void()> before_;
  std::function<void()> after_;
  NodeHost* process_ = nullptr;
  ExtensionHost* session_ = nullptr;
  std::int64_t next_signal_ = 1;
  std::map<std::int64_t, std::unique_ptr<HostedOwner>> owners_;
  // Shared with the fiber of the call, which may outlive its cancelling.
  std::map<std::int64_t, std::shared_ptr<AbortController>> calls_;
};

/// Reads a tool as the host tells of it; `execute` and `prepare_arguments` ask the host. Errors:
/// invalid.
Result<ToolDefinition> hosted_tool(HostServices& services, const HostedOwner& owner,
                                   const Json& entry);
/// A registered handler, by the host's index.
Handler hosted_handler(HostServices& services, const HostedOwner& owner, const Json& entry);
/// A registered command.
CommandHandler hosted_command(HostServices& services, const HostedOwner& owner,
                              const std::string& name);

}  // namespace plumb::engine
