// SPDX-License-Identifier: Apache-2.0
// Where the texts of an edit occur: as they are written, and in the normalised form of pi-1.6.0
// (EDIT-58..63). Made for judging alone; it shares nothing with any engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/rule.h"

namespace plumb::invariants {

/// CRLF and CR as LF. In arguments a BOM is content (EDIT-23).
std::string with_line_feeds(std::string_view bytes);

/// Without overlap, left to right (EDIT-10); an empty needle is nowhere.
Occurrences find_all(std::string_view text, std::string_view needle);

/// EDIT-59: the form in which pi-1.6.0 searches again. As many lines as `text`, which has LF only.
std::string normalised_text(std::string_view text);

/// Fills in the places of all changes as pi-1.6.0 finds them, and what the file is then edited in.
/// `text`: the original in normal form. False where the rules leave open what is found.
bool match_fuzzily(EditCase& edit, const std::string& text);

/// EDIT-58 to EDIT-63, for both editions.
std::vector<Rule> edit_fuzzy_rules();

}  // namespace plumb::invariants
