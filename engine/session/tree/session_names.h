// SPDX-License-Identifier: Apache-2.0
// How sessions, their files and their entries are named, and how times stand in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/kernel/rng.h"

namespace plumb::engine {

/// Whether a caller may give a session this id: letters, digits, '-', '_' and '.', a letter or a
/// digit at both ends, at most kSessionIdBytesMax bytes (SESS-45).
bool is_session_id(std::string_view id);
/// What still leaves room in a file's name for the time and the suffix.
inline constexpr std::int64_t kSessionIdBytesMax = 200;

/// A version 7 UUID: `wall_ms` (since 1970) first, so that ids sort by time.
std::string new_session_id(std::int64_t wall_ms, Rng& rng);
/// Eight hex digits; the caller looks whether they are taken (SESS-20).
std::string new_entry_id(Rng& rng);

/// "2025-01-01T00:00:00.000Z".
std::string iso_time(std::int64_t wall_ms);

/// "--a-b--" of /a/b (SESS-45).
std::string session_folder_name(std::string_view cwd);
/// "2025-01-01T00-00-00-000Z_ID.jsonl"; `time` as iso_time gives it (SESS-45).
std::string session_file_name(std::string_view time, std::string_view id);

}  // namespace plumb::engine
