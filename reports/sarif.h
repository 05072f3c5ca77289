// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0 for code hosts: one result per finding, at the scenario's file and line.
#pragma once

#include <string>

#include "reports/json.h"

namespace plumb::reports {

/// Failures are errors; an expected failure is a result with an external suppression; a harness
/// error is a result of rule "harness-error"; diagnostics are notifications of the invocation.
std::string sarif_text(const Record& record, const RenderOptions& options = {});

}  // namespace plumb::reports
