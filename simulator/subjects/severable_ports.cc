// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/severable_ports.h"

#include <utility>

#include "engine/kernel/task.h"

namespace plumb::simulator {
namespace {

class SeverableSink final : public engine::StreamSink {
 public:
  SeverableSink(engine::StreamSink& inner, const engine::Incarnation& incarnation)
      : inner_(inner), incarnation_(incarnation) {}
  void on_delta(SharedJson partial) override {
    if (!incarnation_.is_severed()) inner_.on_delta(std::move(partial));
  }
  void on_recorded(engine::MessagePtr answer, SharedJson shown) override {
    if (!incarnation_.is_severed()) inner_.on_recorded(std::move(answer), std::move(shown));
  }

 private:
  engine::StreamSink& inner_;
  const engine::Incarnation& incarnation_;
};

}  // namespace

engine::Task<Result<engine::AssistantMessage>> SeverableProvider::complete(
    engine::ModelRequest request, engine::StreamSink& sink, engine::AbortSignal signal) {
  if (incarnation_.is_severed()) co_await incarnation_.never();
  SeverableSink cut(sink, incarnation_);
  auto answer = co_await inner_.complete(std::move(request), cut, std::move(signal));
  if (incarnation_.is_severed()) co_await incarnation_.never();
  co_return answer;
}

engine::Task<engine::DialogAnswer> SeverableUser::ask(engine::Dialog dialog) {
  if (incarnation_.is_severed()) co_await incarnation_.never();
  auto answer = co_await inner_.ask(std::move(dialog));
  if (incarnation_.is_severed()) co_await incarnation_.never();
  co_return answer;
}

}  // namespace plumb::simulator
