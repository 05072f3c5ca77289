// SPDX-License-Identifier: Apache-2.0
#include "engine/session/answer_stream.h"

#include <utility>

#include "engine/kernel/join.h"
#include "engine/values/json_object.h"

namespace plumb::engine {

namespace {

Json piece_fields(const SharedJson& partial) {
  Json fields = Json::object();
  fields["assistantMessageEvent"] = partial.get();
  return fields;
}

Json start_fields_of(const SharedJson& message) {
  Json fields = Json::object();
  fields["message"] = message.get();
  return fields;
}

}  // namespace

SharedJson empty_answer() {
  return SharedJson(json_object("role", "assistant", "content", Json::array()));
}

bool AnswerStream::has_handlers() const {
  return runner_.wants("message_start") || runner_.wants("message_update");
}

Task<Result<AssistantMessage>> AnswerStream::receive(Provider& provider, ModelRequest request,
                                                     AbortSignal signal) {
  is_handled_ = has_handlers();
  if (!is_handled_) co_return co_await provider.complete(std::move(request), *this, signal);
  std::vector<Task<void>> sides;
  sides.push_back(complete(provider, std::move(request), std::move(signal)));
  sides.push_back(deliver_pieces());
  co_await all(std::move(sides));
  co_return *std::move(answer_);
}

Task<void> AnswerStream::complete(Provider& provider, ModelRequest request, AbortSignal signal) {
  auto answer = co_await provider.complete(std::move(request), *this, std::move(signal));
  arrived_.note(true);
  answer_.emplace(std::move(answer));
  arrived_.set();
}

Task<void> AnswerStream::deliver_pieces() {
  while (true) {
    co_await arrived_.wait();
    while (has_pieces()) {
      SharedJson piece = std::move(pieces_.front());
      pieces_.pop_front();
      co_await deliver(std::move(piece));
    }
    if (answer_) co_return;
    arrived_.reset();
  }
}

Task<void> AnswerStream::deliver(SharedJson partial) {
  if (!has_started_) {
    Json fields = start_fields_of(empty_);
    co_await runner_.notify("message_start", "", std::move(fields));
    record_start();
  }
  Json fields = piece_fields(partial);
  co_await runner_.notify("message_update", "", std::move(fields));
  MessageUpdate event;
  event.delta = std::move(partial);
  recorder_.record(Source::engine, std::move(event));
}

void AnswerStream::on_delta(SharedJson partial) {
  if (is_handled_) {
    arrived_.note(true);
    pieces_.push_back(std::move(partial));
    arrived_.set();
    return;
  }
  if (!has_started_) record_start();
  MessageUpdate event;
  event.delta = std::move(partial);
  recorder_.record(Source::engine, std::move(event));
}

void AnswerStream::on_recorded(MessagePtr answer, SharedJson shown) {
  recorded_.emplace(std::move(answer), std::move(shown));
}

/// Whoever stands between the port that records and the session may have changed the answer.
ShownMessage AnswerStream::as_message(AssistantMessage answer) const {
  const auto* known = recorded_ ? std::get_if<AssistantMessage>(recorded_->message.get()) : nullptr;
  if (known != nullptr && *known == answer) return *recorded_;
  return ShownMessage(std::make_shared<const Message>(std::move(answer)));
}

void AnswerStream::record_start() {
  has_started_ = true;
  MessageStart event;
  event.role = "assistant";
  event.message = empty_;
  recorder_.record(Source::engine, std::move(event));
}

}  // namespace plumb::engine
