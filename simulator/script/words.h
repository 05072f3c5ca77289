// SPDX-License-Identifier: Apache-2.0
// How messages name things.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb::simulator {

/// What would break the line, or act on a terminal, as an escape.
std::string on_one_line(std::string_view text);

/// 'text' on one line.
std::string in_quotes(std::string_view text);

/// "a, b or c" for the last word "or".
std::string joined(const std::vector<std::string>& words, std::string_view last);

/// "; did you mean 'x'?", or ", expected a, b or c" if nothing is close and they are few, or "".
std::string advice(std::string_view word, const std::vector<std::string>& known);

}  // namespace plumb::simulator
