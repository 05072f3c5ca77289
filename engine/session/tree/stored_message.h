// SPDX-License-Identifier: Apache-2.0
// Messages of session files as messages of the engine.
#pragma once

#include "engine/model/message.h"
#include "engine/session/tree/projection.h"

namespace plumb::engine {

/// A stored message; blocks that are of no known kind are left out. A summary is what a user would
/// say of it. Null for a role that no model is told of.
MessagePtr parse_message(const Json& json);

/// Whether an entry is what somebody said: navigation to it hands its text back (SESS-12).
bool is_spoken(const TreeEntry& entry);
/// The text of such an entry.
std::string spoken_text(const TreeEntry& entry);

}  // namespace plumb::engine
