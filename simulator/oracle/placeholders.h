// SPDX-License-Identifier: Apache-2.0
// The names that rows use for what differs from run to run, and how expected texts with them match.
#pragma once

#include <string>
#include <string_view>

#include "engine/values/json.h"

namespace plumb::simulator {

/// What the placeholders stand for in one run: paths without a final slash.
struct Placeholders {
  std::string root;     ///< <ROOT>
  std::string cwd;      ///< <CWD>
  std::string scratch;  ///< <TMP>, the system's folder for temporary files.
  bool operator==(const Placeholders&) const = default;
};

/// `text` with <ROOT>, <CWD> and <TMP> put in.
std::string filled(std::string text, const Placeholders& places);
/// The same in every string of a value.
Json filled(Json value, const Placeholders& places);
/// `text` with the longest of the places replaced by <CWD> and <TMP>: the other direction.
std::string with_names(std::string text, const Placeholders& places);

/// Whether `actual` is `expected` with its placeholders put in. <HEX16> stands for 16 hex digits;
/// the rest of a file's name in front of it is the engine's own choice.
bool matches_text(std::string_view expected, std::string_view actual, const Placeholders& places);

}  // namespace plumb::simulator
