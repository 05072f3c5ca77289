// SPDX-License-Identifier: Apache-2.0
// Judges what a row expects of a session's state.
#pragma once

#include <string>

#include "simulator/oracle/row_sessions.h"
#include "simulator/oracle/verdict.h"

namespace plumb::simulator {

/// What the session's file holds, as rows list it: the type of each line, with the role of a
/// message or the type of a custom entry; "bad" for no JSON. Null without a file.
Json listed_lines(const Result<std::string>& text);

/// The state of `store` as far as `expect` asks for it. `text`: of its file.
Json queried(RowSessions& world, engine::SessionStore& store, const Json& expect,
             const Result<std::string>& text);

/// Compares: entries by the row's names, patterns as patterns.
Differences judge_query(RowSessions& world, engine::SessionStore& store, const Json& expect,
                        const Result<std::string>& text, const std::string& path);

}  // namespace plumb::simulator
