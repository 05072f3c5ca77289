// SPDX-License-Identifier: Apache-2.0
// The fake LLM without its sockets: what each HTTP request is answered with, the conversations, and
// the log of all exchanges.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/llm/wire/answers.h"
#include "simulator/llm/wire/delivery.h"
#include "simulator/llm/wire/wire_error.h"
#include "simulator/llm/wire/wire_options.h"
#include "simulator/llm/wire/wire_request.h"

namespace plumb::simulator {

/// `path`: without the percent signs of a URL; `target`: as it came. Names of headers in lower
/// case.
struct HttpRequest {
  std::string method;
  std::string path;
  std::string target;
  HeaderList headers;
  std::string body;
};

/// The value of a header, or "".
std::string_view header_of(const HttpRequest& request, std::string_view name);

/// Thread-safe; hooks of the options are called without the lock.
class WireBook final {
 public:
  WireBook(PlayerScript script, WireOptions options);

  /// Logs the request and says what to send. Does not wait.
  Delivery answer(HttpRequest request);
  /// The same for a request that HTTP itself refuses: 400, 413, ...
  Delivery refuse(HttpRequest request, int status, const std::string& message);
  /// The reply is over: `bytes` of its body were written.
  void end(const Delivery& delivery, ReplyEnding ending, std::int64_t bytes);

  /// The event that a reply waits for does not come.
  void give_up(const Delivery& delivery);

  void replay(PlayerScript script);
  std::vector<Exchange> take();
  std::vector<LlmError> left_over() const;
  /// The first ones, as many as are kept.
  std::vector<LlmError> errors() const;
  WireTotals totals() const;
  /// Replies on their way.
  std::int64_t open_count() const;
  /// {file, requests, errors, left_over, forgotten}.
  Json journal() const;
  const WireOptions& options() const { return options_; }

 private:
  // Shared, because requests that are being answered outlive a change of the script.
  using Script = std::shared_ptr<const PlayerScript>;

  struct Conversation {
    PlayerState state;
    std::int64_t replies = 0;
    bool had_tools = false;
    std::deque<std::pair<std::string, std::string>> prefixes;  ///< Model and canonical request.
  };
  struct Chosen {
    std::shared_ptr<StreamTemplates> templates;
    Plan plan;
    std::int64_t reply_number = 0;
    UsageScript usage;
  };

  Delivery generate(HttpRequest request, const Route& route);
  Delivery endpoint(const HttpRequest& request, const Route& route) const;
  void note(Exchange& exchange, LlmError error);
  void keep_error(LlmError error);
  Delivery log(Exchange exchange, Delivery delivery);
  Chosen choose(const Exchange& exchange, WireRequest& wire, PlayerRules rules);
  UsageScript computed_usage(Conversation& conversation, const WireRequest& wire, Dialect dialect,
                             const ModelStep& reply) const;
  Script script() const;
  std::vector<LlmError> left_over_locked() const;
  /// `one`: the script with this track alone. A track that several conversations play is looked at
  /// in each of those that began it.
  std::vector<LlmError> left_over_of(const std::string& track, const PlayerScript& one) const;
  void forget_old();
  Exchange* find(const Delivery& delivery);

  WireOptions options_;
  mutable std::mutex mutex_;  ///< Guards all below.
  Script script_;
  // Shared with the requests that are answered by this script.
  std::shared_ptr<StreamTemplates> templates_ = std::make_shared<StreamTemplates>();
  std::map<std::string, Conversation, std::less<>> conversations_;
  std::deque<Exchange> log_;
  std::vector<LlmError> errors_;
  WireTotals totals_;
  std::int64_t epoch_ = 1;
  std::int64_t arrived_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t open_ = 0;
  std::int64_t log_bytes_ = 0;
};

}  // namespace plumb::simulator
