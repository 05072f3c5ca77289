// SPDX-License-Identifier: Apache-2.0
// Texts of results taken apart: what comes from files and commands is compared to the letter, what
// the engine says about it by kind and by its numbers, because its wording is the engine's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/oracle/placeholders.h"
#include "simulator/oracle/verdict.h"

namespace plumb::simulator {

/// `body`: output or file text; `notice`: "[...]" after it, with the blank line before it;
/// `status`: what a failed command ends with, with the blank line before it.
struct ShownText {
  std::string_view body;
  std::string_view notice;
  std::string_view status;
};

/// Borrowed from `text`.
ShownText take_apart(std::string_view text, bool has_status);

/// The numbers in a sentence, in order: "1500", "50.0". Words with a slash count as paths.
std::vector<std::string> numbers_in(std::string_view sentence);

/// The numbers that a notice must carry: the offset to continue with if it names one ("offset=3"),
/// else all. How many lines are left is counted differently by different engines (READ-29).
std::vector<std::string> numbers_of_notice(std::string_view notice);

/// Whether each of `some` is among `all`, as often as it stands there.
bool are_among(std::vector<std::string> some, std::vector<std::string> all);

std::int64_t count_utf16_units(std::string_view text);

/// `{chars, bytes, sha256, head, tail}` of `text`, as far as `digest` gives them, below `path`.
Differences compare_digest(const Json& digest, std::string_view text, const std::string& path);

}  // namespace plumb::simulator
