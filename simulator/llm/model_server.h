// SPDX-License-Identifier: Apache-2.0
// The fake model as the harness of a live subject sees it: a server on loopback that plays a script
// and tells, in order, what was asked and what was answered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/trace/event.h"
#include "simulator/llm/player.h"

namespace plumb::simulator {

/// Request `n` of the run, from 1, as it came. `errors`: what the fake model found wrong with it.
struct ModelAsked {
  std::int64_t n = 0;
  std::string track = "main";
  std::string path;
  std::string body;
  std::vector<LlmError> errors;
};

/// What request `n` was answered with, as ProviderResponse says.
struct ModelAnswered {
  std::int64_t n = 0;
  std::string stop_reason;
  Json message;
  std::string error;
};

using ModelNews = std::variant<ModelAsked, ModelAnswered>;

/// Called from the harness's loop only.
class ModelServer {
 public:
  virtual ~ModelServer() = default;
  /// For `api` "anthropic-messages" or "openai-chat".
  virtual std::string base_url(std::string_view api) const = 0;
  /// A new case: what was before is forgotten.
  virtual void replay(PlayerScript script) = 0;
  /// Readable when there is news.
  virtual int news_fd() const = 0;
  /// What has happened since the last time, in order.
  virtual std::vector<ModelNews> take_news() = 0;
  /// Waits for news, for `timeout_ms` at most.
  virtual void wait_for_news(std::int64_t timeout_ms) = 0;
  /// All news that was taken has been seen to: its requests are answered from now on.
  virtual void acknowledge() = 0;
  /// The event has come that replies with this `until` wait for.
  virtual void release(const std::string& pattern) = 0;
  /// Replies that nobody asked for.
  virtual std::vector<LlmError> settle() = 0;
};

}  // namespace plumb::simulator
