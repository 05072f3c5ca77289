// SPDX-License-Identifier: Apache-2.0
// A model server that nobody asks anything: for tests of what an adapter does without one.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel/wake_up.h"
#include "simulator/llm/model_server.h"

namespace plumb::simulator {

class SilentModel final : public ModelServer {
 public:
  explicit SilentModel(std::unique_ptr<engine::WakeUp> news) : news_(std::move(news)) {}

  static Result<std::unique_ptr<ModelServer>> create() {
    PLUMB_TRY(auto news, engine::WakeUp::create());
    return std::make_unique<SilentModel>(std::move(news));
  }

  std::string base_url(std::string_view /*api*/) const override { return "http://127.0.0.1:1"; }
  void replay(PlayerScript /*script*/) override {}
  int news_fd() const override { return news_->fd(); }
  std::vector<ModelNews> take_news() override { return {}; }
  void wait_for_news(std::int64_t /*timeout_ms*/) override {}
  void acknowledge() override {}
  void release(const std::string& /*pattern*/) override {}
  std::vector<LlmError> settle() override { return {}; }

 private:
  std::unique_ptr<engine::WakeUp> news_;
};

}  // namespace plumb::simulator
