// SPDX-License-Identifier: Apache-2.0
// The model port: a request as the engine composes it, and the answer that streams back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/task.h"
#include "engine/model/message.h"
#include "engine/values/shared_json_list.h"

namespace plumb::engine {

/// {name, description, parameters}; members in this order, `parameters` as declared.
struct ToolDeclaration {
  std::string name;
  SharedJson json;
  bool operator==(const ToolDeclaration&) const = default;
};

struct ModelRequest {
  std::string lineage = "main";
  std::string model = "fake-1";
  SharedJson system;  ///< A JSON string, or null when there is no system prompt.
  std::vector<ToolDeclaration> tools;
  SharedJsonList messages;  ///< As sent (to_request_json), shared with earlier requests.
};

/// Hears the pieces of an answer while it streams.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  /// `partial`: {type: text_delta | toolcall_start | toolcall_delta | ..., contentIndex, delta}.
  virtual void on_delta(SharedJson partial) = 0;
  /// The whole answer as a port has recorded it: who stores the same may share its form.
  virtual void on_recorded(MessagePtr /*answer*/, SharedJson /*shown*/) {}
};

/// What the engine needs from a model. Called on the engine's loop only. A failure of the model is
/// an AssistantMessage with stop reason error or aborted; an Error is a broken script (protocol)
/// and ends the run.
class Provider {
 public:
  virtual ~Provider() = default;
  virtual Task<Result<AssistantMessage>> complete(ModelRequest request, StreamSink& sink,
                                                  AbortSignal signal) = 0;
};

}  // namespace plumb::engine
