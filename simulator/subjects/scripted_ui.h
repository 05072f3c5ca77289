// SPDX-License-Identifier: Apache-2.0
// The user of a scenario: answers dialogs as the script says. A dialog that no entry fits is an
// error of the run, and so is an entry that no dialog used.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/extensions/user_interface.h"
#include "engine/kernel/loop.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// The first unused entry whose method and title fit answers, after its delay. One loop.
class ScriptedUser final : public engine::UserInterface {
 public:
  ScriptedUser(engine::Loop& loop, std::span<const UiScript> script, bool is_attached)
      : loop_(loop), script_(script), used_(script.size(), false), is_attached_(is_attached) {}

  bool is_attached() const override;
  void set_attached(bool is_attached);
  engine::Task<engine::DialogAnswer> ask(engine::Dialog dialog) override;

  /// Dialogs that nothing answered, each at the verb that asked (of `waits`), and entries that were
  /// not used.
  std::vector<Error> errors(const std::string& file, std::span<const WaitScript> waits) const;

 private:
  const UiScript* take(const engine::Dialog& dialog);
  /// Which question comes first decides who gets which answer.
  void note(bool writes) const;

  engine::Loop& loop_;
  std::span<const UiScript> script_;
  std::vector<bool> used_;
  std::vector<engine::Dialog> unforeseen_;
  bool is_attached_;
};

}  // namespace plumb::simulator
