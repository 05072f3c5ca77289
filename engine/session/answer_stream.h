// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "engine/extensions/runner.h"
#include "engine/kernel/event.h"
#include "engine/model/provider.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

/// Receives one answer. Its pieces become message_start and message_update: at once when nobody
/// handles them, else in order behind their handlers, while the model goes on (EVENT-10, EVENT-26).
/// Which of both is settled before the answer is asked for: a first handler that comes in between
/// handles the next answer.
/// One loop; lives in the frame that awaits `receive`.
class AnswerStream final : public StreamSink {
 public:
  AnswerStream(Loop& loop, Recorder& recorder, ExtensionRunner& runner)
      : recorder_(recorder), runner_(runner), arrived_(loop, "answer piece") {}

  /// When it returns, all pieces are delivered.
  Task<Result<AssistantMessage>> receive(Provider& provider, ModelRequest request,
                                         AbortSignal signal);
  void on_delta(SharedJson partial) override;
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
  Event arrived_;
  std::deque<SharedJson> pieces_;
  std::optional<Result<AssistantMessage>> answer_;
  bool has_started_ = false;
  bool is_handled_ = false;
};

}  // namespace plumb::engine
