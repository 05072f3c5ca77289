// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/scripted_provider.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/kernel/join.h"
#include "simulator/llm/fault.h"
#include "simulator/llm/reply.h"

namespace plumb::simulator {
namespace {

using engine::AbortSignal;
using engine::AssistantMessage;
using engine::StopReason;
using engine::Task;

Task<void> wait_until_aborted(AbortSignal signal) {
  co_await signal.wait();
}

AssistantMessage failed(AssistantMessage message, StopReason reason, std::string words) {
  message.stop_reason = reason;
  message.error_message = std::move(words);
  return message;
}

/// How a reply fails, if it does; one that is cut ends with the connection.
std::optional<FailureScript> failure_of(const ModelStep& reply) {
  if (reply.fault && reply.fault->kind == "cut") return FailureScript{"network", ""};
  return reply.fail;
}

}  // namespace

/// An answer on its way.
struct ScriptedProvider::Stream {
  const ModelStep& reply;
  // Shared with the events that show them, which outlive the stream.
  std::shared_ptr<const std::vector<StreamPiece>> pieces;
  std::int64_t end = 0;
  std::int64_t sent = 0;
  engine::StreamSink& sink;
  AbortSignal signal;
  engine::Touch touch;
  std::int64_t stall_at = -1;  ///< The piece before which nothing comes for `stall_ms`.
  std::int64_t stall_ms = -1;  ///< Below 0: until the request is aborted.

  /// Takes over what happens to the reply on its way; bytes are those of the pieces' JSON forms.
  void strike(const ReplyFaultScript& fault) {
    const std::int64_t bytes = piece_bytes(*pieces);
    const std::int64_t at = pieces_within(*pieces, fault_position(fault, bytes, 0));
    if (fault.kind == "cut") end = at;
    if (fault.kind != "stall") return;
    stall_at = at;
    stall_ms = fault.ms;
  }

  /// Whether the loop may turn to others before the next piece.
  bool is_at_point() const {
    const StreamPiece& piece = (*pieces)[static_cast<std::size_t>(sent)];
    if (sent == 0) return false;
    return piece.type.ends_with("_start") || (reply.chunk > 0 && piece.type.ends_with("_delta"));
  }
};

Task<Result<AssistantMessage>> ScriptedProvider::complete(engine::ModelRequest request,
                                                          engine::StreamSink& sink,
                                                          AbortSignal signal) {
  co_await world_.loop.point(engine::Touch(engine::TouchKind::provider, request.lineage, true));
  Played played = step(script_, std::move(state_), request);
  state_ = std::move(played.state);
  record(played.plan.errors);
  if (played.plan.kind == Plan::Kind::broken) {
    const LlmError& error = played.plan.errors.front();
    co_return fail(ErrorCode::protocol, error.code + ": " + error.message, error.where);
  }
  if (played.plan.kind == Plan::Kind::refused) {
    const LlmError& error = played.plan.errors.front();
    AssistantMessage nothing;
    co_return failed(std::move(nothing), StopReason::error,
                     "400 invalid request: " + error.message);
  }
  SharedReply reply = std::move(played.plan.reply);
  if (reply->fault) reply = with_content_fault(*reply, 0);
  Task<Result<AssistantMessage>> playing =
      play(std::move(reply), std::move(request.lineage), sink, std::move(signal));
  co_return co_await std::move(playing);
}

Task<Result<AssistantMessage>> ScriptedProvider::play(SharedReply step, std::string track,
                                                      engine::StreamSink& sink,
                                                      AbortSignal signal) {
  const ModelStep& reply = *step;
  if (!reply.until.text.empty() && world_.gate == nullptr) {
    co_return fail(ErrorCode::protocol, "a reply with 'until' in a run without events",
                   located(script_.file, reply.until.place));
  }
  engine::Touch touch(engine::TouchKind::provider, std::move(track), true);
  const auto pieces = std::make_shared<const std::vector<StreamPiece>>(pieces_of(reply));
  Stream stream{reply, pieces, 0, 0, sink, signal, std::move(touch)};
  stream.end = std::ssize(*pieces);
  if (reply.fail) stream.end = std::min(stream.end, reply.fail->after);
  if (reply.fault) stream.strike(*reply.fault);
  co_await pause(reply.delay_ms, signal);
  co_await send_pieces(stream);
  if (!reply.until.text.empty()) co_await wait_for_event(reply.until, signal);
  if (signal.aborted()) {
    co_return failed(partial_message_of(reply, stream.sent), StopReason::aborted,
                     "the request was aborted");
  }
  const std::optional<FailureScript> failure = failure_of(reply);
  if (failure) {
    AssistantMessage cut = failed(partial_message_of(reply, stream.sent), StopReason::error,
                                  failure_message(*failure));
    cut.error_status = failure_status(*failure);
    co_return cut;
  }
  co_return message_of(reply);
}

Task<void> ScriptedProvider::send_pieces(Stream& stream) {
  while (stream.sent < stream.end && !stream.signal.aborted()) {
    if (stream.sent == stream.stall_at) {
      co_await stall(stream.stall_ms, stream.signal);
      if (stream.signal.aborted()) co_return;
    }
    if (stream.is_at_point()) {
      co_await world_.loop.point(stream.touch);
      co_await pause(stream.reply.delta_delay_ms, stream.signal);
      if (stream.signal.aborted()) co_return;
    }
    const auto index = static_cast<std::size_t>(stream.sent);
    stream.sent += 1;
    stream.sink.on_delta(
        SharedJson::lazy([held = stream.pieces, index] { return to_json((*held)[index]); }));
  }
}

Task<void> ScriptedProvider::pause(std::int64_t delay_ms, AbortSignal signal) {
  if (delay_ms == 0 || signal.aborted()) co_return;
  std::vector<Task<void>> ends;
  ends.push_back(engine::sleep_task(world_.loop, delay_ms));
  ends.push_back(wait_until_aborted(std::move(signal)));
  Task<std::int64_t> first = engine::race(std::move(ends));
  co_await std::move(first);
}

Task<void> ScriptedProvider::stall(std::int64_t ms, AbortSignal signal) {
  if (ms >= 0) {
    co_await pause(ms, std::move(signal));
  } else {
    co_await wait_until_aborted(std::move(signal));
  }
}

Task<void> ScriptedProvider::wait_for_event(Trigger trigger, AbortSignal signal) {
  if (signal.aborted()) co_return;
  std::vector<Task<void>> ends;
  ends.push_back(world_.gate->wait(std::move(trigger)));
  ends.push_back(wait_until_aborted(std::move(signal)));
  Task<std::int64_t> first = engine::race(std::move(ends));
  co_await std::move(first);
}

void ScriptedProvider::record(const std::vector<LlmError>& errors) {
  for (const LlmError& error : errors) {
    world_.recorder.record(Source::llm, error);
    errors_.push_back(error);
  }
}

std::vector<LlmError> ScriptedProvider::settle() {
  auto rest = left_over(script_, state_);
  record(rest);
  return rest;
}

}  // namespace plumb::simulator
