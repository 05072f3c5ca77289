// SPDX-License-Identifier: Apache-2.0
// Calls that a tool makes (HOOK-29), as views.h shows them.
#include "simulator/invariants/views.h"

namespace plumb::invariants {

const Call* call_around(const Call& call, const Story& story) {
  const Event* start = first(call, "tool_execution_start");
  if (call.parent.empty() || start == nullptr) return nullptr;
  return call_before(call.parent, start->seq, story);
}

std::int64_t abort_around(const Call& call, const Story& story) {
  const Call* outer = call_around(call, story);
  const Batch* batch = outer == nullptr ? nullptr : batch_of(*outer, story);
  if (batch == nullptr) return -1;
  const auto answered = batch->response->seq;
  const auto end = seq_of(call, "tool_execution_end");
  return story.abort_between(answered, end >= 0 ? end : story.run_end_after(answered));
}

}  // namespace plumb::invariants
