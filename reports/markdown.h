// SPDX-License-Identifier: Apache-2.0
// A summary for a pull request or a CI job page: the counts, a table of domains, a section per
// failure.
#pragma once

#include <string>
#include <string_view>

#include "reports/record.h"

namespace plumb::reports {

/// CommonMark with tables. Holds no timings. Failures beyond the 50th are counted, not shown.
std::string markdown_text(const Record& record);

/// Text that shows as itself in a paragraph or a table cell: on one line, markup escaped.
std::string markdown_escaped(std::string_view text);

/// Text as a fenced block; the fence is longer than any run of backticks in it.
std::string markdown_block(std::string_view text);

}  // namespace plumb::reports
