// SPDX-License-Identifier: Apache-2.0
// A live engine behind an adapter: steps become messages, dialogs are answered as the scenario
// says.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/subjects/external/adapter_client.h"
#include "simulator/subjects/external/live_engine.h"
#include "simulator/subjects/scripted_ui.h"

namespace plumb::simulator {

/// One loop; one run at a time.
class AdapterEngine final : public LiveEngine, public SessionListener {
 public:
  AdapterEngine(engine::RealLoop& loop, AdapterClient& client, std::string api)
      : loop_(loop), client_(client), api_(std::move(api)) {}
  ~AdapterEngine() override;

  engine::Task<Result<void>> start(LiveCase live, bool is_resumed) override;
  engine::Task<Result<void>> perform(const Step& step) override;
  Result<void> interrupt(const Step& step, std::function<void(bool)> on_answered) override;
  engine::Task<Result<void>> settle() override;
  void crash() override { client_.kill(); }
  void drain() override { client_.drain(); }
  engine::Task<Result<void>> finish() override { return client_.finish_session(); }
  void leave() override;
  std::vector<Error> errors() const override;

  Result<void> on_event(AdapterEvent event) override;
  Result<void> on_dialog(DialogOpened dialog) override;
  Result<void> on_dialog_closed(DialogClosed dialog) override;
  void on_answer(std::int64_t id, bool is_done) override;

 private:
  struct OpenDialog {
    DialogOpened dialog;
    std::int64_t seq = -1;
    engine::SpawnId fiber = 0;
  };

  Json start_message(bool is_resumed) const;
  engine::Task<void> answer(std::string ask);
  void record_answer(const OpenDialog& open, Json answer, std::string by);
  void forget_dialogs();

  engine::RealLoop& loop_;
  AdapterClient& client_;
  std::string api_;
  std::optional<LiveCase> live_;
  std::optional<ScriptedUser> user_;
  std::vector<std::int64_t> interruptions_;  ///< Ids of steps that are under way.
  std::map<std::int64_t, std::function<void(bool)>> on_answered_;  ///< By id.
  std::map<std::string, OpenDialog> dialogs_;
};

}  // namespace plumb::simulator
