// SPDX-License-Identifier: Apache-2.0
// The Node process that extensions run in. One message is sent at a time; then nothing else of this
// program runs until the process says that it is at rest, so that whatever an extension does is one
// step of the loop. Its timers are the loop's. Whatever it fails to do in time, and everything it
// must not do, is an error that says what ran; nothing waits for ever.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/extensions/hosted/host_message.h"
#include "engine/kernel/channel_process.h"
#include "engine/kernel/event.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/task.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

/// The host's protocol that this engine speaks.
inline constexpr std::int64_t kHostProtocol = 1;

struct NodeHostOptions {
  ProcessSpec process;              ///< Node with the host's script.
  std::vector<FolderPair> folders;  ///< What the session's paths really are.
  std::string agent_folder;         ///< As the session names it.
  std::uint64_t seed = 0;
  /// Wall clock. The first includes the start of Node; the second is a watchdog on what an
  /// extension does without a pause.
  std::int64_t start_ms = 60'000;
  std::int64_t turn_ms = 10'000;
  /// Wall clock: how long everything else stands still for native work (files, children, sockets),
  /// and how long such work may go on at all.
  std::int64_t native_ms = 2'000;
  std::int64_t native_ms_max = 120'000;
  /// The loop's clock: the longest a factory, and anything else, may wait for what others do.
  std::int64_t load_ms = 30'000;
  std::int64_t request_ms = 86'400'000;
  std::int64_t messages_max = 100'000;  ///< Between two rests.
  ChannelLimits limits;
};

/// What a request to the host is. `activity` completes "... while ITS FACTORY RAN". `call`: of the
/// session, for what is recorded on the way. The functions serve a running tool; may be empty.
struct HostRequest {
  HostRequest(std::string request_method, Json request_params)
      : method(std::move(request_method)), params(std::move(request_params)) {}
  std::string method;
  Json params;
  std::string extension;  ///< Its path: who is to blame.
  std::string activity;
  std::string call;
  std::function<void(ToolResult)> on_update;
  std::function<Task<NestedOutcome>(NestedCall)> execute_tool;
};

/// What the host turns to the session with. Called on the loop, also from inside a step, with the
/// process waiting: nothing here may send to it but through the NodeHost, which queues.
class HostListener {
 public:
  virtual ~HostListener() = default;
  /// Answered at once, from what the session is at this moment.
  virtual Result<Json> answer(const HostMessage& question) = 0;
  /// Starts what takes its time; NodeHost::settle gives its outcome.
  virtual void begin(const HostMessage& call) = 0;
  virtual void hear(const HostMessage& notification) = 0;
  virtual void hear_output(OutputStream stream, std::string text) = 0;
  /// Around every turn of the process: it sees and changes real files.
  virtual void before_turn() = 0;
  virtual void after_turn() = 0;
  /// The process is gone and will not come back by itself.
  virtual void has_failed(const std::string& extension, const std::string& why) = 0;
};

/// One loop, which goes after the process and its fibers.
class NodeHost final {
 public:
  NodeHost(Loop& loop, std::function<std::int64_t()> wall_ms, NodeHostOptions options,
           HostListener& listener);
  NodeHost(const NodeHost&) = delete;
  NodeHost& operator=(const NodeHost&) = delete;
  ~NodeHost();

  /// Starts the process, or a new one after a failure. Gives its hello: {protocol, versions,
  /// provided}. Errors: not_found without Node; protocol, timeout.
  Result<Json> start();
  bool is_running() const { return process_ != nullptr && !failure_; }
  /// Errors in the reply: what was thrown; that the process failed; that nothing came of it.
  Task<HostReply> request(HostRequest request);
  /// For what an extension does at once (prepareArguments). Errors: as above.
  HostReply request_now(HostRequest request);
  /// Sent when the process is at rest, and nothing comes back.
  void notify(std::string method, Json params);
  /// The outcome of a call that `begin` was given.
  void settle(std::int64_t call, Result<Json> outcome);
  /// Of a request that is open; null once it is not.
  const HostRequest* open_request(std::int64_t id) const;
  /// Whether native work was ever open: such a run does not repeat byte for byte.
  bool has_been_live() const { return has_been_live_; }

 private:
  struct Pending {
    Pending(Loop& loop, HostRequest asked)
        : request(std::move(asked)), answered(loop, "an answer of the extension host") {}
    HostRequest request;
    std::optional<HostReply> reply;
    Event answered;
  };
  struct Outgoing {
    Json message;
    std::string extension;
    std::string activity;
  };
  class OpenRequest;

  std::int64_t open(HostRequest request);
  HostReply close(std::int64_t id);
  static Task<void> wait_for(Event* answered);
  /// Sends, unless a turn is under way: then after it.
  void exchange(Outgoing outgoing);
  void send_all();
  Result<void> talk(const Outgoing& outgoing, std::int64_t wait_ms);
  Result<void> hear_until_rest(std::int64_t seq, const WallDeadline& deadline);
  /// True at the rest that `seq` led to.
  Result<bool> take(const Heard& heard, std::int64_t seq, const WallDeadline& deadline);
  Result<void> answer(const HostMessage& question, const WallDeadline& deadline);
  void take_answer(HostMessage message);
  bool take_notification(const HostMessage& message, std::int64_t seq);
  void start_timer(const HostMessage& message);
  void clear_timer(std::int64_t timer);
  Task<void> run_timer(std::int64_t timer, std::int64_t delay_ms);
  void watch_native();
  Task<void> follow_native();
  /// What comes by itself.
  Result<void> hear_for(std::int64_t wait_ms);
  void take_output();
  void fail_all(const Error& error, const Outgoing& outgoing);
  void forget_timers();

  Loop& loop_;
  std::function<std::int64_t()> wall_ms_;
  NodeHostOptions options_;
  HostListener* listener_;
  std::unique_ptr<ChannelProcess> process_;
  std::optional<std::string> failure_;
  std::map<std::int64_t, std::unique_ptr<Pending>> pending_;
  std::map<std::int64_t, SpawnId> timers_;
  std::vector<Outgoing> outbox_;
  std::optional<SpawnId> native_watch_;
  std::int64_t next_request_ = 1;
  std::int64_t seq_ = 0;
  std::int64_t native_count_ = 0;
  bool is_talking_ = false;
  bool has_been_live_ = false;
};

}  // namespace plumb::engine
