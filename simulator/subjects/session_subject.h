// SPDX-License-Identifier: Apache-2.0
// The reference session engine as a subject: hermetic, in process, everything in memory.
#pragma once

#include "simulator/subjects/subject.h"

namespace plumb::simulator {

/// Stateless between runs; one object may serve many runs, one at a time. Thread-compatible.
class SessionSubject final : public Subject {
 public:
  std::string_view name() const override { return "session"; }
  std::vector<std::string> emits() const override;
  RunResult run(const Scenario& scenario, const RunOptions& options) override;
};

}  // namespace plumb::simulator
