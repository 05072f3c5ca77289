// SPDX-License-Identifier: Apache-2.0
// Executes one row and judges it.
#pragma once

#include <string>

#include "simulator/oracle/row.h"
#include "simulator/oracle/verdict.h"

namespace plumb::simulator {

/// `edition`: seed or pi-1.6.0. Runs in real time where a command runs, else waits are skipped. A
/// row that needs another user runs as that user in a child process if this one may do that.
/// `stop_fd`: see RealLoopOptions.
CaseVerdict run_row(const OracleRow& row, const std::string& edition, int stop_fd = -1);

/// Why the row is not executed at all; "" when it is. One reason a row, the first that applies:
/// edition, quirk, needs, what is not built.
std::string reason_to_skip(const OracleRow& row, const std::string& edition);

}  // namespace plumb::simulator
