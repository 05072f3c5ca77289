// SPDX-License-Identifier: Apache-2.0
// Counting and skipping the lines of long texts, many bytes at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb::engine {

std::int64_t count_line_feeds(std::string_view text);

/// `text` from its `count`-th line on (0: all of it); empty if it has fewer line feeds.
std::string_view skip_lines(std::string_view text, std::int64_t count);

}  // namespace plumb::engine
