// SPDX-License-Identifier: Apache-2.0
// JUnit XML as CI servers read it: a suite for each domain, a case for each (scenario, rule).
#pragma once

#include <string>
#include <string_view>

#include "reports/json.h"

namespace plumb::reports {

/// Totals agree with the summary: failures = fail + stale, errors = harness_error, skipped =
/// skipped. What belongs to no scenario (diagnostics, stale expectations) is in a suite named
/// "plumb".
std::string junit_text(const Record& record, const RenderOptions& options = {});

/// Text for XML 1.0, between tags or within double quotes. Characters that XML forbids, even as
/// references, and bytes that are not UTF-8 are shown as `\x1b`.
std::string xml_escaped(std::string_view text);

}  // namespace plumb::reports
