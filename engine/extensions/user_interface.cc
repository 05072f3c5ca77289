// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/user_interface.h"

#include "engine/kernel/join.h"

namespace plumb::engine {

namespace {

DialogAnswer unanswered(const std::string& method, std::string by) {
  return DialogAnswer(unanswered_value(method), std::move(by));
}

/// The two ways in which a question ends without the user.
Task<DialogAnswer> answer_after(std::string method, std::int64_t timeout_ms) {
  Fiber& fiber = co_await current_fiber();
  co_await fiber.loop->sleep_ms(timeout_ms);
  co_return unanswered(method, "timeout");
}

Task<DialogAnswer> answer_at_abort(std::string method, AbortSignal signal) {
  co_await signal.wait();
  co_return unanswered(method, "abort");
}

}  // namespace

Json unanswered_value(std::string_view method) {
  return method == "confirm" ? Json(false) : Json(nullptr);
}

Task<DialogAnswer> NoUserInterface::ask(Dialog dialog) {
  co_return unanswered(dialog.method, "no_ui");
}

Task<DialogAnswer> LimitedUserInterface::ask(Dialog dialog) {
  if (dialog.signal.aborted()) co_return unanswered(dialog.method, "abort");
  std::vector<Task<DialogAnswer>> ways;
  ways.push_back(inner_.ask(dialog));
  ways.push_back(answer_at_abort(dialog.method, dialog.signal));
  if (dialog.timeout_ms > 0) ways.push_back(answer_after(dialog.method, dialog.timeout_ms));
  auto winner = co_await race(std::move(ways));
  co_return std::move(winner.value);
}

Task<DialogAnswer> RecordedUserInterface::ask(Dialog dialog) {
  Fiber& fiber = co_await current_fiber();
  const std::string call = fiber.label;
  UiAsk question;
  question.method = dialog.method;
  question.title = dialog.title;
  question.message = dialog.message;
  const auto asked = recorder_.record(Source::port, std::move(question), call);
  DialogAnswer answer = co_await inner_.ask(std::move(dialog));
  UiAnswer given;
  given.answer = SharedJson(answer.value);
  given.by = answer.by;
  recorder_.record(Source::port, std::move(given), call, asked);
  co_return answer;
}

}  // namespace plumb::engine
