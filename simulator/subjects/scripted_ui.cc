// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/scripted_ui.h"

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/task.h"
#include "simulator/script/place.h"

namespace plumb::simulator {

const UiScript* ScriptedUser::take(const engine::Dialog& dialog) {
  for (std::size_t i = 0; i < script_.size(); ++i) {
    const UiScript& entry = script_[i];
    const bool fits = (entry.method.empty() || entry.method == dialog.method) &&
                      (entry.title.empty() || entry.title == dialog.title);
    if (used_[i] || !fits) continue;
    used_[i] = true;
    return &entry;
  }
  return nullptr;
}

engine::Task<engine::DialogAnswer> ScriptedUser::ask(engine::Dialog dialog) {
  if (!is_attached_) {
    co_return engine::DialogAnswer(engine::unanswered_value(dialog.method), "no_ui");
  }
  const UiScript* entry = take(dialog);
  if (entry == nullptr) {
    unforeseen_.push_back(dialog.method + " '" + dialog.title + "'");
    co_return engine::DialogAnswer(engine::unanswered_value(dialog.method));
  }
  if (entry->never) {
    const engine::AbortSignal nobody;
    co_await nobody.wait();
  }
  co_await loop_.sleep_ms(entry->delay_ms);
  co_return engine::DialogAnswer(entry->answer);
}

std::vector<Error> ScriptedUser::errors(const std::string& file) const {
  std::vector<Error> errors;
  for (const auto& dialog : unforeseen_) {
    errors.push_back(
        {ErrorCode::protocol, "no entry of 'ui' answers the dialog " + dialog, file + ":1:1"});
  }
  for (std::size_t i = 0; i < script_.size(); ++i) {
    if (used_[i]) continue;
    errors.push_back(
        {ErrorCode::protocol, "this answer was never asked for", located(file, script_[i].place)});
  }
  return errors;
}

}  // namespace plumb::simulator
