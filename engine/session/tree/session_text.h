// SPDX-License-Identifier: Apache-2.0
// The text of a session file: JSON Lines, a header first. The reader takes what writers of all
// times and ends have left: torn and damaged lines, foreign entries, old versions. What it cannot
// read stays where it is; it never asks for a file to be shortened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/kernel/rng.h"
#include "engine/values/json.h"

namespace plumb::engine {

/// The version that is written. Newer ones are read as they are (SESS-30).
inline constexpr std::int64_t kSessionVersion = 3;

/// A file that is a session. `entries` in file order; a header in the middle is none.
struct SessionText {
  Json header;
  std::vector<Json> entries;
  std::int64_t damaged_count = 0;  ///< Lines that are no JSON, blank ones not counted (SESS-25).
  bool lacks_newline = false;      ///< The next line would be glued to the last (SESS-25).
  /// The file in the current version when it has an old one (SESS-30): each line that the migration
  /// does not concern as it was, damaged ones too.
  std::optional<std::string> migrated;
};

/// Reads a file that is not empty. `ids`: for entries of version 1, which have none. Errors:
/// invalid, when the first line that can be read is no header with a string id (SESS-26).
Result<SessionText> read_session_text(std::string_view text, Rng& ids);

/// One line's value as writers of other engines may have written it: broken UTF-8 and halves of
/// surrogate pairs count as U+FFFD, of a key that occurs twice the last holds. Nothing when it is
/// no JSON, or nested beyond kJsonDepthMax.
std::optional<Json> read_session_line(std::string_view line);

}  // namespace plumb::engine
