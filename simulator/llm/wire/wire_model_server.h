// SPDX-License-Identifier: Apache-2.0
// The fake LLM over HTTP as the harness of a live subject sees it: a request waits until the
// harness has seen it, and replies wait for the events that it reports.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engine/kernel/wake_up.h"
#include "simulator/llm/model_server.h"
#include "simulator/llm/wire/wire_server.h"

namespace plumb::simulator {

/// Call ids stand as in the script. Thread-safe; `take_news` and what follows on it belong to one
/// loop.
class WireModelServer final : public ModelServer {
 public:
  /// `options`: hooks and the form of ids are set here. Errors: io.
  static Result<std::unique_ptr<ModelServer>> create(WireOptions options = {});
  ~WireModelServer() override;

  std::string base_url(std::string_view api) const override;
  void replay(PlayerScript script) override;
  int news_fd() const override;
  std::vector<ModelNews> take_news() override;
  void wait_for_news(std::int64_t timeout_ms) override;
  void acknowledge() override;
  void release(const std::string& pattern) override;
  std::vector<LlmError> settle() override;

 private:
  explicit WireModelServer(std::unique_ptr<engine::WakeUp> wake) : wake_(std::move(wake)) {}

  void forget();
  void on_request(const Exchange& exchange);
  void on_reply(const Exchange& exchange);
  bool has_happened(const Trigger& trigger);

  std::unique_ptr<engine::WakeUp> wake_;
  std::mutex mutex_;  ///< Guards all below but the server.
  std::condition_variable changed_;
  std::deque<ModelNews> news_;
  std::set<std::string, std::less<>> released_;
  std::int64_t posted_ = 0;        ///< News so far.
  std::int64_t taken_ = 0;         ///< Of them, those that the harness has.
  std::int64_t acknowledged_ = 0;  ///< Of them, those that it has seen to.
  std::int64_t epoch_ = 0;         ///< Cases so far.
  bool is_ending_ = false;
  std::unique_ptr<WireServer> server_;
};

/// What a request was answered with, as an engine is told it.
ModelAnswered answer_of(const Exchange& exchange);

}  // namespace plumb::simulator
