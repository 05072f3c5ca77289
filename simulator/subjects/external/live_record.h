// SPDX-License-Identifier: Apache-2.0
// The harness's evidence of a live run: what reached the fake model, with the bytes as they came,
// and what the subject says, in the order in which both arrive.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/trace/request_fold.h"
#include "engine/trace/trace.h"
#include "simulator/llm/model_server.h"
#include "simulator/subjects/external/adapter_message.h"
#include "simulator/subjects/external/placeholders.h"

namespace plumb::simulator {

/// One loop. `placeholders` stand for what belongs to one machine or one run.
class LiveRecord {
 public:
  LiveRecord(Trace& trace, std::function<std::int64_t()> now_ms,
             const LivePlaceholders& placeholders)
      : recorder_(trace, std::move(now_ms)), placeholders_(placeholders) {}

  Recorder& recorder() { return recorder_; }
  /// Records a request with its refusals, or an answer.
  void add(const ModelNews& news);
  /// Errors: protocol, for a cause that names no earlier event, or a ref that is taken.
  Result<void> add(AdapterEvent event);
  /// What the fake model complained about.
  const std::vector<LlmError>& complaints() const { return complaints_; }
  void complain(const LlmError& error);
  /// Some request has no answer yet.
  bool is_asked() const { return !asked_.empty(); }
  std::int64_t request_count() const { return request_count_; }

 private:
  void add_request(const ModelAsked& asked);
  void add_response(const ModelAnswered& answered);

  Recorder recorder_;
  const LivePlaceholders& placeholders_;
  RequestDeltas deltas_;
  std::map<std::int64_t, std::int64_t> asked_;    ///< Number of a request -> its seq.
  std::map<std::int64_t, std::int64_t> numbers_;  ///< The server's number -> the trace's.
  std::map<std::string, std::int64_t> refs_;
  std::vector<LlmError> complaints_;
  std::int64_t request_count_ = 0;
};

}  // namespace plumb::simulator
