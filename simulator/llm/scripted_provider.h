// SPDX-License-Identifier: Apache-2.0
// The model port over the player, for engines in the same process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/task.h"
#include "engine/model/provider.h"
#include "engine/trace/trace.h"
#include "simulator/llm/player.h"

namespace plumb::simulator {

/// Lets a reply wait for an event of the run (`until`).
class EventGate {
 public:
  virtual ~EventGate() = default;
  /// Ends when the pattern has matched, at once if it already has.
  virtual engine::Task<void> wait(Trigger trigger) = 0;
};

/// What the provider needs of its run; all outlive it. Without `gate`, a reply with `until` is a
/// broken script.
struct ProviderWorld {
  ProviderWorld(engine::Loop& run_loop, Recorder& run_recorder, EventGate* run_gate = nullptr)
      : loop(run_loop), recorder(run_recorder), gate(run_gate) {}
  engine::Loop& loop;
  Recorder& recorder;
  EventGate* gate;
};

/// Streams the scripted replies. A schedule point (provider, the track) stands before the first
/// piece, before each block and, in replies with `chunk`, before each delta; an abort is seen there
/// and cuts the answer. Refusals and script errors are recorded as llm_error. One loop.
class ScriptedProvider final : public engine::Provider {
 public:
  ScriptedProvider(PlayerScript script, ProviderWorld world)
      : script_(std::move(script)), world_(world) {}

  /// Errors: protocol, when the script has no answer (exhausted, unforeseen).
  engine::Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest request,
                                                          engine::StreamSink& sink,
                                                          engine::AbortSignal signal) override;

  /// To be called once the run has settled: records replies that nobody asked for and gives them.
  std::vector<LlmError> settle();

  /// Everything recorded so far.
  const std::vector<LlmError>& errors() const { return errors_; }
  const PlayerState& state() const { return state_; }

 private:
  struct Stream;

  engine::Task<Result<engine::AssistantMessage>> play(SharedReply step, std::string track,
                                                      engine::StreamSink& sink,
                                                      engine::AbortSignal signal);
  /// Sends pieces until the stream's end or an abort.
  engine::Task<void> send_pieces(Stream& stream);
  engine::Task<void> pause(std::int64_t delay_ms, engine::AbortSignal signal);
  engine::Task<void> stall(std::int64_t ms, engine::AbortSignal signal);
  engine::Task<void> wait_for_event(Trigger trigger, engine::AbortSignal signal);
  void record(const std::vector<LlmError>& errors);

  PlayerScript script_;
  ProviderWorld world_;
  PlayerState state_;
  std::vector<LlmError> errors_;
};

}  // namespace plumb::simulator
