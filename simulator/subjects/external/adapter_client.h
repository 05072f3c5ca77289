// SPDX-License-Identifier: Apache-2.0
// The harness's end of the adapter protocol: one adapter process, its messages checked, its answers
// awaited with deadlines. Whoever breaks the protocol is stopped, with a sentence that says what
// was expected.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "engine/kernel/event.h"
#include "engine/kernel/line_process.h"
#include "engine/kernel/real_loop.h"
#include "engine/kernel/task.h"
#include "simulator/subjects/external/adapter_message.h"
#include "simulator/subjects/external/placeholders.h"

namespace plumb::simulator {

/// What an adapter may take and write (PROTOCOL.md); milliseconds.
struct AdapterLimits {
  std::int64_t hello_ms = 10'000;
  std::int64_t start_ms = 30'000;
  std::int64_t step_ms = 60'000;
  std::int64_t end_ms = 10'000;
  std::int64_t exit_ms = 5'000;
  std::int64_t line_bytes_max = std::int64_t{16} << 20;
  std::int64_t session_bytes_max = std::int64_t{256} << 20;
  std::int64_t events_max = 200'000;
  std::int64_t dialogs_max = 64;
};

/// Hears what the engine does in one session. An error stops the adapter.
class SessionListener {
 public:
  virtual ~SessionListener() = default;
  virtual Result<void> on_event(AdapterEvent event) = 0;
  virtual Result<void> on_dialog(DialogOpened dialog) = 0;
  virtual Result<void> on_dialog_closed(DialogClosed dialog) = 0;
  /// A message has been answered, in its place among the events. `is_done`: it was carried out.
  virtual void on_answer(std::int64_t id, bool is_done) = 0;
};

/// One loop, which goes after this; one session at a time. Errors of all tasks: protocol, when the
/// adapter broke the protocol, died or was late (`failure` holds it); aborted, after `kill`.
class AdapterClient final : public engine::LineListener {
 public:
  /// `command` is a line for the shell.
  AdapterClient(engine::RealLoop& loop, std::string command, AdapterLimits limits);
  ~AdapterClient() override;

  /// Starts the process and exchanges hellos, unless one runs that has kept the protocol.
  engine::Task<Result<void>> open();
  /// Of the last process that said it.
  const AdapterHello& hello() const { return hello_; }

  /// From now on a session may report; `placeholders` stand for its paths. Both outlive it.
  void begin_session(SessionListener& listener, const LivePlaceholders& placeholders);
  /// Sends `end`; once it has been answered the adapter must report nothing more.
  engine::Task<Result<void>> finish_session();
  /// Nobody listens any more.
  void end_session();

  /// Gives the message an id and sends it. Its answer is awaited by `answer`.
  std::int64_t send(Json message);
  /// The user's answer to a dialog; it has no answer of its own.
  void answer_dialog(const std::string& ask, const Json& answer);
  /// Errors beside those of the class: rejected, when it is unsupported; invalid, when it failed.
  engine::Task<Result<void>> answer(std::int64_t id, std::int64_t limit_ms);

  /// A crash of the scenario's: the process is gone at once.
  void kill();
  /// Everything that the adapter has written so far is heard.
  void drain();
  /// Closes the adapter's input. Errors: protocol, when it does not exit with 0 in time.
  engine::Task<Result<void>> close();

  const std::optional<Error>& failure() const { return failure_; }
  const AdapterLimits& limits() const { return limits_; }

  void on_line(std::string_view line) override;
  void on_end(std::string how) override;

 private:
  struct Awaited {
    std::string what;  ///< "'step' user (id 3)".
    std::optional<Result<void>> answer;
  };

  Result<void> take(std::string_view line);
  Result<void> take_message(AdapterMessage message);
  Result<void> take_hello(AdapterHello hello);
  Result<void> take_event(AdapterEvent event);
  Result<void> take_answer(const AdapterAnswer& answer);
  Result<void> count(std::string_view line);
  /// The adapter is stopped: it `did` what it must not, or did not what it must.
  void fail_with(const std::string& did);
  std::unexpected<Error> told_failure();
  void forget_process();
  void kill_strays();
  std::string name() const;
  engine::Task<void> change();
  engine::Task<void> wait_for_change(std::int64_t ms);
  engine::Task<void> wait_for_exit();
  engine::Task<Result<void>> wait_for_hello();
  Result<void> start_process();

  engine::RealLoop& loop_;
  std::string command_;
  AdapterLimits limits_;
  std::unique_ptr<engine::LineProcess> process_;
  std::string mark_;  ///< In the environment of the process and of all that it starts.
  engine::Event changed_;
  AdapterHello hello_;
  bool has_hello_ = false;
  bool is_killed_ = false;
  bool is_closing_ = false;
  std::string end_;  ///< How the process ended; empty while it runs.
  std::optional<Error> failure_;
  bool is_failure_told_ = false;
  std::int64_t end_id_ = 0;  ///< Of the `end` under way.
  std::int64_t next_id_ = 1;
  std::map<std::int64_t, Awaited> awaited_;
  SessionListener* listener_ = nullptr;
  const LivePlaceholders* placeholders_ = nullptr;
  std::int64_t session_bytes_ = 0;
  std::int64_t event_count_ = 0;
  std::string logs_;
};

}  // namespace plumb::simulator
