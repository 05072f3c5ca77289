// SPDX-License-Identifier: Apache-2.0
// The kinds of values in oracle rows, as the field lists of form_tables.h name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/values/json.h"

namespace plumb::simulator {

/// Counts of lines, bytes, pieces: as many bytes as one `gen` may make.
inline constexpr std::int64_t kOracleCountMax = 64 << 20;
/// Waits and limits of a row. A row with commands waits by the real clock.
inline constexpr std::int64_t kOracleMsMax = 120'000;
/// What one `gen` may make.
inline constexpr std::int64_t kGeneratedBytesMax = 64 << 20;

/// Kinds: any, string, name (a string that is not empty), bool, object, array, strings, count (a
/// whole number from 0 to kOracleCountMax), ms (the same to kOracleMsMax), uid, code (0 to 255, or
/// null), mode (octal digits), base64, hex, sha256.
bool is_of_kind(const Json& value, std::string_view kind);

/// "a whole number from 0 to 120000": what a message says was expected.
std::string kind_phrase(std::string_view kind);

/// Whether a system takes it as the name of a variable of the environment.
bool is_variable_name(std::string_view name);

/// How many bytes a `gen` of the right form makes.
std::int64_t generated_size(const Json& gen);

}  // namespace plumb::simulator
