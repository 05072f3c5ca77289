// SPDX-License-Identifier: Apache-2.0
// White space and lengths as ECMAScript counts them, for texts that users write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::engine {

/// Whether ECMAScript's \s matches it.
bool is_white_space(char32_t letter);
/// Bytes of the white space at `offset`; 0 for another letter and at the end.
std::int64_t white_space_at(std::string_view text, std::int64_t offset);
/// Without white space at both ends.
std::string trimmed_words(std::string_view text);
/// UTF-16 code units; a byte that is no UTF-8 counts as one.
std::int64_t utf16_length(std::string_view text);
/// The beginning of `text`, at most `units` UTF-16 code units long; no letter is cut in two.
std::string_view utf16_prefix(std::string_view text, std::int64_t units);

}  // namespace plumb::engine
