// SPDX-License-Identifier: Apache-2.0
// Faults of replies: what they leave of the content, where they stand, and every one that a script
// could meet, for sweeps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/llm/player.h"
#include "simulator/script/reply_script.h"

namespace plumb::simulator {

/// Where a fault stands in something of `size` bytes: as written, `size` at most; without a place
/// of its own in the middle for seed 0, else where the seed says.
std::int64_t fault_position(const ReplyFaultScript& fault, std::int64_t size, std::uint64_t seed);

/// The reply as its fault leaves the content: cut or garbled arguments, ids that occur twice, an
/// output limit. Faults of the connection (cut, stall) stay for whoever sends the reply. Pure.
ModelStep with_content_fault(ModelStep reply, std::uint64_t seed);

/// One fault at one reply: the `turn`-th of `track`, from 1. `fault`: a kind of `fault` or `fail`.
struct FaultPoint {
  std::string track = "main";
  std::int64_t turn = 1;
  std::string fault;
  std::int64_t at = -1;  ///< Byte, for the kinds that have one; below 0: where the seed says.
  bool operator==(const FaultPoint&) const = default;
};

/// "cut@main:2": as fault_point_of reads it.
std::string to_string(const FaultPoint& point);

/// Reads KIND@TURN, KIND@TRACK:TURN, both with +BYTE behind it or without. Errors: invalid.
Result<FaultPoint> fault_point_of(std::string_view text);

/// Every point of a script at which a fault could strike, turn by turn.
std::vector<FaultPoint> fault_points(const PlayerScript& script);

/// The script with that fault. What an engine is meant to try again (a failed or cut reply) comes
/// before the good reply; what it gets as an answer (late, with bad arguments or doubled ids, up to
/// the output limit) is that reply. Errors: not_found, when there is no such turn; rejected, when
/// its reply has nothing for the fault to strike.
Result<PlayerScript> with_fault(PlayerScript script, const FaultPoint& point);

}  // namespace plumb::simulator
