// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/scripted_ui.h"

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/task.h"
#include "simulator/script/place.h"

namespace plumb::simulator {

void ScriptedUser::note(bool writes) const {
  loop_.note(engine::TouchKind::dialog, "the user", writes);
}

bool ScriptedUser::is_attached() const {
  note(false);
  return is_attached_;
}

void ScriptedUser::set_attached(bool is_attached) {
  note(true);
  is_attached_ = is_attached;
}

const UiScript* ScriptedUser::take(const engine::Dialog& dialog) {
  note(true);
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

namespace {

/// The verb that asks with this title, or the first that asks at all (a title may be made late).
Place asking_place(const engine::Dialog& dialog, std::span<const WaitScript> waits) {
  Place place;
  for (const auto& wait : waits) {
    if (wait.kind != "ask") continue;
    if (wait.name == dialog.title) return wait.place;
    if (place.line == 0) place = wait.place;
  }
  return place;
}

}  // namespace

engine::Task<engine::DialogAnswer> ScriptedUser::ask(engine::Dialog dialog) {
  if (!is_attached()) {
    co_return engine::DialogAnswer(engine::unanswered_value(dialog.method), "no_ui");
  }
  const UiScript* entry = take(dialog);
  if (entry == nullptr) {
    unforeseen_.push_back(dialog);
    co_return engine::DialogAnswer(engine::unanswered_value(dialog.method));
  }
  if (entry->never) {
    const engine::AbortSignal nobody;
    co_await nobody.wait();
  }
  co_await loop_.sleep_ms(entry->delay_ms);
  co_return engine::DialogAnswer(entry->answer);
}

std::vector<Error> ScriptedUser::errors(const std::string& file,
                                        std::span<const WaitScript> waits) const {
  std::vector<Error> errors;
  for (const auto& dialog : unforeseen_) {
    errors.push_back(
        {ErrorCode::protocol,
         "no entry of 'ui' answers the dialog " + dialog.method + " '" + dialog.title + "'",
         located(file, asking_place(dialog, waits))});
  }
  for (std::size_t i = 0; i < script_.size(); ++i) {
    if (used_[i]) continue;
    errors.push_back(
        {ErrorCode::protocol, "this answer was never asked for", located(file, script_[i].place)});
  }
  return errors;
}

}  // namespace plumb::simulator
