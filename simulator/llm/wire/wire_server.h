// SPDX-License-Identifier: Apache-2.0
// The fake LLM over HTTP, on loopback: Anthropic Messages and OpenAI Chat Completions, streaming
// and not, for SDKs and engines in other processes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/kernel/result.h"
#include "simulator/llm/wire/exchange.h"
#include "simulator/llm/wire/wire_options.h"

namespace plumb::simulator {

/// Owns its threads; runs from start to destruction. Base URL: http://127.0.0.1:PORT for Anthropic
/// clients, http://127.0.0.1:PORT/v1 for OpenAI's; /c/NAME before it keeps a conversation apart.
/// Thread-safe.
class WireServer final {
 public:
  /// Errors: io, when the port cannot be bound.
  static Result<std::unique_ptr<WireServer>> start(PlayerScript script, WireOptions options);
  ~WireServer();
  WireServer(const WireServer&) = delete;
  WireServer& operator=(const WireServer&) = delete;

  std::int64_t port() const;

  /// A new case: another script; conversations and log are forgotten. Replies that are still
  /// streaming end as they began and are in no log.
  void replay(PlayerScript script);

  /// What came since the last call, in order of arrival. A reply that is still on its way has the
  /// ending `open` and does not come again.
  std::vector<Exchange> take_exchanges();

  /// Waits until no reply is on its way, for `timeout_ms` at most; false: one still is.
  bool wait_until_quiet(std::int64_t timeout_ms);

  /// Replies that nobody asked for (code left_over).
  std::vector<LlmError> settle();
  /// What was refused, missing or unforeseen since the script began: the first `errors_max`.
  std::vector<LlmError> errors();
  WireTotals totals();

  /// Ends every reply that waits or stalls (ending `stopped`) and takes no new connection.
  void stop();

 private:
  class Inside;
  explicit WireServer(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace plumb::simulator
