// SPDX-License-Identifier: Apache-2.0
// The form in which pi-1.6.0 compares texts of an edit when they do not match as they are written
// (EDIT-59, EDIT-60).
#pragma once

#include <string>
#include <string_view>

namespace plumb::engine {

/// NFKC; then curly quotes, dashes and special blanks as their ASCII characters.
std::string normalised_characters(std::string_view text);
/// The same, and without the blanks at the end of each line. As many lines as `text`, which has LF
/// only.
std::string normalised_text(std::string_view text);
/// Without the white space at its end, as JavaScript understands it; line breaks are such.
std::string_view without_end_blanks(std::string_view text);

}  // namespace plumb::engine
