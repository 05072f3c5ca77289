// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plumb {

/// The known word closest to `word` by edit distance, for "did you mean 'x'?", or "" when none is
/// within two edits or a third of the word's length, whichever is more. The first of equally close
/// words wins.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

/// The end of a message about an unknown word: "; did you mean 'x'?", or "".
std::string suggestion_for(std::string_view word, std::span<const std::string_view> known);

}  // namespace plumb
