// SPDX-License-Identifier: Apache-2.0
// Inside of the call pipeline: what a tool reports while it runs, on its way to the trace and to
// listeners.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/kernel/event.h"
#include "engine/tools/pipeline.h"

namespace plumb::engine {

/// Takes a running call's updates: records each at once and hands it to the listeners one by one.
/// Shared with the tool, which may call after its end.
class UpdateGate final : public std::enable_shared_from_this<UpdateGate> {
 public:
  UpdateGate(const PipelinePorts& ports, const PreparedCall& call)
      : ports_(ports),
        id_(call.request.block.id),
        shown_id_(ports.policies.id_of_update(id_)),
        name_(call.request.block.name),
        args_(call.start_arguments),
        forward_(call.request.on_update),
        delivered_(ports.loop, "updates of " + call.request.block.id) {}

  void update(const ToolResult& partial) {
    delivered_.note(true);
    if (!ports_.policies.update_is_accepted(moment_)) return;
    ToolExecutionUpdate event;
    event.name = name_;
    event.args = args_;
    event.partial = ports_.policies.update_snapshot(partial);
    ports_.recorder.record(Source::engine, event, shown_id_);
    if (forward_) forward_(partial);
    if (!ports_.hooks.wants(ToolExecutionUpdate::kKind)) return;
    pending_.push_back(std::move(event));
    if (is_delivering_) return;
    is_delivering_ = true;
    delivered_.reset();
    ports_.loop.spawn(deliver(shared_from_this()), id_);
  }

  /// Closes the gate, then waits until what has passed it is delivered (EVENT-08).
  Task<void> settle() {
    delivered_.note(true);
    moment_ = UpdateMoment::settled;
    while (is_delivering_) co_await delivered_.wait();
  }

  /// The call is over.
  void end() { moment_ = UpdateMoment::ended; }

 private:
  bool has_pending() const {
    delivered_.note(false);
    return !pending_.empty();
  }
  static Task<void> deliver(std::shared_ptr<UpdateGate> gate) {
    while (gate->has_pending()) {
      Payload event = std::move(gate->pending_.front());
      gate->pending_.pop_front();
      co_await gate->ports_.hooks.on_event(gate->shown_id_, std::move(event));
    }
    gate->is_delivering_ = false;
    gate->delivered_.set();
  }

  PipelinePorts ports_;
  std::string id_;
  std::string shown_id_;  ///< What events and listeners are told.
  std::string name_;
  SharedJson args_;
  std::function<void(ToolResult)> forward_;
  std::deque<ToolExecutionUpdate> pending_;
  UpdateMoment moment_ = UpdateMoment::running;
  bool is_delivering_ = false;
  Event delivered_;
};

}  // namespace plumb::engine
