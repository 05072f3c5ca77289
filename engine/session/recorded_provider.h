// SPDX-License-Identifier: Apache-2.0
// The model port's recorder: the requests that really leave the engine, and the answers that really
// come.
#pragma once

#include "engine/model/provider.h"
#include "engine/trace/request_fold.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

/// The blocks of a request before its messages, in the order of the seed's prefix: system, tools
/// (CACHE-02).
std::vector<BorrowedBlock> head_of(const ModelRequest& request);

/// Records provider_request before and provider_response after each call of the inner port. Both
/// outlive this. One loop.
class RecordedProvider final : public Provider {
 public:
  RecordedProvider(Provider& inner, Recorder& recorder) : inner_(inner), recorder_(recorder) {}

  Task<Result<AssistantMessage>> complete(ModelRequest request, StreamSink& sink,
                                          AbortSignal signal) override;

 private:
  Provider& inner_;
  Recorder& recorder_;
  RequestDeltas deltas_;
  std::string model_;  ///< Which `params_` names.
  SharedJson params_;
};

}  // namespace plumb::engine
