// SPDX-License-Identifier: Apache-2.0
// Which handlers a dispatch owes a turn, and in which order: from the registrations that a trace
// records where they arrive, not from the chain that the engine made of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simulator/invariants/finding.h"
#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// The handlers of an event as they were registered at `seq`, in load order and then in
/// registration order (HOOK-01, HOOK-16). Empty for a trace that shows no registrations.
std::vector<const HandlerLife*> handlers_at(std::string_view event, std::int64_t seq,
                                            const Story& story);
/// Nothing if the handlers of a call's dispatch had their turns in load and registration order.
Complaint follows_registration(const Call& call, EventName event, const Story& story);
/// Nothing if each handler that was registered at `seq`, and was not taken back before the call
/// ended, had a turn.
Complaint all_had_a_turn(const Call& call, EventName event, std::int64_t seq, const Story& story);

}  // namespace plumb::invariants
