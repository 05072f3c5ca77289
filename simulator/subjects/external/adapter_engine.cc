// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/adapter_engine.h"

#include <algorithm>
#include <utility>

#include "simulator/script/words.h"
#include "simulator/subjects/external/start_message.h"
#include "simulator/subjects/session_world.h"

namespace plumb::simulator {

using engine::Task;

AdapterEngine::~AdapterEngine() {
  forget_dialogs();
}

void AdapterEngine::forget_dialogs() {
  for (const auto& [ask, open] : dialogs_) {
    if (loop_.is_running(open.fiber)) loop_.cancel(open.fiber);
  }
  dialogs_.clear();
}

Json AdapterEngine::start_message(bool is_resumed) const {
  const Scenario& scenario = live_->scenario;
  Json extensions = Json::array();
  for (const auto& one : scenario.extensions) extensions.push_back(one.definition);
  Json message{{"type", "start"},
               {"id", 0},
               {"workspace", kWorkspace},
               {"home", kHome},
               {"base_url", live_->base_url},
               {"api", api_},
               {"model", scenario.settings.model},
               {"edition", to_string(scenario.edition)},
               {"settings", settings_json(scenario.settings)},
               {"tools", tools_json(scenario.tools)},
               {"extensions", std::move(extensions)}};
  if (is_resumed) message["resume"] = true;
  return live_->sandbox.placeholders().real_json(message);
}

Task<Result<void>> AdapterEngine::start(LiveCase live, bool is_resumed) {
  live_.emplace(std::move(live));
  interruptions_.clear();
  on_answered_.clear();
  forget_dialogs();
  if (!is_resumed) {
    user_.emplace(loop_, live_->scenario.ui, live_->scenario.settings.has_ui);
  }
  auto opened = co_await client_.open();
  if (!opened) co_return opened;
  client_.begin_session(*this, live_->sandbox.placeholders());
  const auto id = client_.send(start_message(is_resumed));
  auto started = co_await client_.answer(id, client_.limits().start_ms);
  if (!started) client_.end_session();
  co_return started;
}

Task<Result<void>> AdapterEngine::perform(const Step& step) {
  const auto id = client_.send(live_->sandbox.placeholders().real_json(step_json(step)));
  co_return co_await client_.answer(id, client_.limits().step_ms);
}

Result<void> AdapterEngine::interrupt(const Step& step, std::function<void(bool)> on_answered) {
  const auto* change = std::get_if<ConfigureStep>(&step.action);
  if (change != nullptr && change->has_ui) user_->set_attached(*change->has_ui);
  const auto id = client_.send(live_->sandbox.placeholders().real_json(step_json(step)));
  interruptions_.push_back(id);
  on_answered_[id] = std::move(on_answered);
  return {};
}

void AdapterEngine::on_answer(std::int64_t id, bool is_done) {
  auto answered = on_answered_.extract(id);
  if (!answered.empty()) answered.mapped()(is_done);
}

Task<Result<void>> AdapterEngine::settle() {
  while (!interruptions_.empty()) {
    const auto id = interruptions_.front();
    interruptions_.erase(interruptions_.begin());
    auto answered = co_await client_.answer(id, client_.limits().step_ms);
    if (!answered) co_return answered;
  }
  co_return Result<void>();
}

void AdapterEngine::leave() {
  client_.end_session();
  forget_dialogs();
}

std::vector<Error> AdapterEngine::errors() const {
  if (!user_ || !live_) return {};
  return user_->errors(live_->scenario.file, live_->scenario.waits);
}

Result<void> AdapterEngine::on_event(AdapterEvent event) {
  const auto* message = event.payload.as<MessageEnd>();
  if (message != nullptr && message->role == "assistant") live_->catch_up();
  return live_->record.add(std::move(event));
}

// ---------------------------------------------------------------- dialogs

Result<void> AdapterEngine::on_dialog(DialogOpened dialog) {
  if (dialogs_.contains(dialog.ask)) {
    return fail(ErrorCode::protocol, "a second dialog " + in_quotes(dialog.ask));
  }
  if (std::ssize(dialogs_) >= client_.limits().dialogs_max) {
    return fail(ErrorCode::exhausted,
                "more than " + std::to_string(client_.limits().dialogs_max) + " dialogs at a time");
  }
  OpenDialog& open = dialogs_[dialog.ask];
  open.dialog = dialog;
  UiAsk asked{dialog.method, dialog.title, dialog.message};
  open.seq = live_->record.recorder().record(Source::host, std::move(asked), dialog.call);
  open.fiber = loop_.spawn(answer(dialog.ask), dialog.call);
  return {};
}

Task<void> AdapterEngine::answer(std::string ask) {
  const DialogOpened& opened = dialogs_.at(ask).dialog;
  engine::Dialog dialog(opened.method, opened.title);
  dialog.message = opened.message;
  dialog.options = opened.options;
  const auto given = co_await user_->ask(std::move(dialog));
  const auto found = dialogs_.find(ask);
  if (found == dialogs_.end()) co_return;
  record_answer(found->second, given.value, given.by);
  dialogs_.erase(found);
  client_.answer_dialog(ask, given.value);
}

void AdapterEngine::record_answer(const OpenDialog& open, Json answer, std::string by) {
  UiAnswer answered;
  answered.answer = SharedJson(std::move(answer));
  answered.by = std::move(by);
  live_->record.recorder().record(Source::host, std::move(answered), open.dialog.call, open.seq);
}

Result<void> AdapterEngine::on_dialog_closed(DialogClosed dialog) {
  const auto found = dialogs_.find(dialog.ask);
  if (found == dialogs_.end()) {
    return fail(ErrorCode::protocol, "no dialog " + in_quotes(dialog.ask) + " is open");
  }
  if (loop_.is_running(found->second.fiber)) loop_.cancel(found->second.fiber);
  record_answer(found->second, engine::unanswered_value(found->second.dialog.method), dialog.by);
  dialogs_.erase(found);
  return {};
}

}  // namespace plumb::simulator
