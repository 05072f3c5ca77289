// SPDX-License-Identifier: Apache-2.0
// The record as one HTML page that needs nothing else: no network, no other file.
#pragma once

#include <string>
#include <string_view>

#include "reports/json.h"

namespace plumb::reports {

/// The counts stand in the page itself; the list of verdicts, with its filters, is built by the
/// page's script from the record, which is embedded as JSON. The page's policy allows that one
/// script and that one style, by their hashes, and nothing from anywhere else.
std::string html_text(const Record& record, const RenderOptions& options = {});

/// The script and the style of the page, and the hashes ("sha256-...") that its policy names.
std::string_view html_script();
std::string_view html_style();
std::string_view html_script_hash();
std::string_view html_style_hash();

}  // namespace plumb::reports
