// SPDX-License-Identifier: Apache-2.0
// Reporters listen to a run. A reporter overrides only what it shows: one prints as it goes,
// another waits for the whole record.
#pragma once

#include "reports/record.h"

namespace plumb::reports {

/// Calls come in order, from one thread: run_started, scenario_finished for each, run_finished.
class Reporter {
 public:
  virtual ~Reporter() = default;
  /// The record so far: version, command, subject, edition; no scenarios yet.
  virtual void run_started(const Record& /*head*/) {}
  virtual void scenario_finished(const ScenarioResult& /*scenario*/) {}
  /// The whole record, settled.
  virtual void run_finished(const Record& /*record*/) {}
};

}  // namespace plumb::reports
