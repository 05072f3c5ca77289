// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "engine/extensions/runner.h"
#include "engine/kernel/event.h"
#include "engine/model/provider.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

/// A message and the form in which events show it.
struct ShownMessage {
  explicit ShownMessage(MessagePtr said) : message(std::move(said)), shown(share(message)) {}
  ShownMessage(MessagePtr said, SharedJson form)
      : message(std::move(said)), shown(std::move(form)) {}
  MessagePtr message;
  SharedJson shown;
};

/// What message_start shows of an answer of which nothing has arrived yet.
SharedJson empty_answer();

/// Receives one answer. Its pieces become message_start and message_update: at once when nobody
/// handles them, else in order behind their handlers, while the model goes on (EVENT-10, EVENT-26).
/// Which of both is settled before the answer is asked for: a first handler that comes in between
/// handles the next answer.
/// One loop; lives in the frame that awaits `receive`.
class AnswerStream final : public StreamSink {
 public:
  /// `empty`: what message_start shows while nothing has arrived yet.
  AnswerStream(Loop& loop, Recorder& recorder, ExtensionRunner& runner, SharedJson empty)
      : recorder_(recorder),
        runner_(runner),
        empty_(std::move(empty)),
        arrived_(loop, "answer piece") {}

  /// When it returns, all pieces are delivered.
  Task<Result<AssistantMessage>> receive(Provider& provider, ModelRequest request,
                                         AbortSignal signal);
  void on_delta(SharedJson partial) override;
  void on_recorded(MessagePtr answer, SharedJson shown) override;
  /// The answer as a message, the recorded one if it says the same.
  ShownMessage as_message(AssistantMessage answer) const;
  /// Whether message_start was emitted.
  bool has_started() const { return has_started_; }

 private:
  Task<void> complete(Provider& provider, ModelRequest request, AbortSignal signal);
  Task<void> deliver_pieces();
  Task<void> deliver(SharedJson partial);
  void record_start();
  bool has_handlers() const;
  bool has_pieces() const {
    arrived_.note(false);
    return !pieces_.empty();
  }

  Recorder& recorder_;
  ExtensionRunner& runner_;
  SharedJson empty_;
  Event arrived_;
  std::deque<SharedJson> pieces_;
  std::optional<Result<AssistantMessage>> answer_;
  std::optional<ShownMessage> recorded_;
  bool has_started_ = false;
  bool is_handled_ = false;
};

}  // namespace plumb::engine
