// SPDX-License-Identifier: Apache-2.0
#include "engine/session/recorded_provider.h"

#include <memory>
#include <utility>

#include "engine/values/json_object.h"

namespace plumb::engine {

std::vector<BorrowedBlock> head_of(const ModelRequest& request) {
  std::vector<BorrowedBlock> blocks;
  blocks.reserve(1 + request.tools.size());
  if (!request.system.is_null()) blocks.push_back({Zone::system, request.system});
  for (const auto& tool : request.tools) blocks.push_back({Zone::tools, tool.json});
  return blocks;
}

Task<Result<AssistantMessage>> RecordedProvider::complete(ModelRequest request, StreamSink& sink,
                                                          AbortSignal signal) {
  if (model_ != request.model) {
    model_ = request.model;
    params_ = SharedJson(json_object("model", model_));
  }
  ProviderRequest sent = deltas_.next(request.lineage, head_of(request), request.messages, params_);
  const auto n = sent.n;
  const auto seq = recorder_.record(Source::port, std::move(sent));
  deltas_.sent(seq);
  auto answer = co_await inner_.complete(std::move(request), sink, std::move(signal));
  ProviderResponse event;
  event.n = n;
  if (answer) {
    event.stop_reason = to_string(answer->stop_reason);
    event.error = answer->error_message;
    auto message = std::make_shared<const Message>(*answer);
    event.message = share(message);
    sink.on_recorded(std::move(message), event.message);
  } else {
    event.stop_reason = to_string(StopReason::error);
    event.error = answer.error().message;
  }
  recorder_.record(Source::port, std::move(event), {}, seq);
  co_return answer;
}

}  // namespace plumb::engine
