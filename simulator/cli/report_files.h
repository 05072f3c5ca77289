// SPDX-License-Identifier: Apache-2.0
// The files that a run leaves: one report in each format, and the traces.
#pragma once

#include <string>
#include <vector>

#include "reports/record.h"

namespace plumb::simulator {

/// Writes record.json, junit.xml, report.sarif, summary.md and report.html into `folder`, which is
/// made. A report that cannot be written is one diagnostic of severity error; the others are
/// written all the same.
std::vector<reports::Diagnostic> write_report_files(const reports::Record& record,
                                                    const std::string& folder, bool has_timings);

/// Makes missing folders and writes a file whole or not at all.
Result<void> write_output(const std::string& path, const std::string& text);

}  // namespace plumb::simulator
