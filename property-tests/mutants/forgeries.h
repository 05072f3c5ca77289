// SPDX-License-Identifier: Apache-2.0
// Forgeries: a trace with one lie, made by rote from a good one. Where tampers are chosen by hand,
// one a rule, these go through every kind of event and every member of it, to find what no rule
// looks at.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "property-tests/mutants/tamper.h"

namespace plumb::simulator {

/// `lie`: drop, duplicate, swap (with the next event of the same call, or of none), or the member
/// that is set otherwise: "outcome", "message.text" (its first text), "message.flag", ...
struct Forgery {
  std::string kind;
  std::string lie;
  Tamper tamper;
};

/// Each lie about one event of each kind of the trace; `pick` chooses which one.
std::vector<Forgery> forgeries_of(const Trace& trace, std::uint64_t pick);

/// Each event of one call moved to before or behind each other event of it ("execute_end past
/// file_op"); `pick` chooses the call.
std::vector<Forgery> moves_of(const Trace& trace, std::uint64_t pick);

/// What became of one kind of lie, such as "session_entry data.text". `where`: scenarios in whose
/// trace no rule noticed it.
struct ForgeryTally {
  std::int64_t told = 0;
  std::vector<std::string> where;
};

/// Which lies are told: each kind in one `of` so many scenarios. `stops_at_one`: a kind that went
/// unnoticed once is not judged again.
struct ForgeryShare {
  std::uint64_t of = 1;
  std::vector<Forgery> (*forge)(const Trace& trace, std::uint64_t pick) = forgeries_of;
  bool stops_at_one = false;
};

/// Tells lies of the traces of all scenarios.
std::map<std::string, ForgeryTally> tell_forgeries(std::span<const Scenario> scenarios,
                                                   const Catalogue& catalogue,
                                                   const ForgeryShare& share);

/// Kinds of lies that may go unnoticed, with the reason: a JSON object. What is moved stands in it
/// with what it may pass: {"file_op": {"past": [names], "reason": ...}}. Errors: of the file.
Result<std::map<std::string, std::string>> read_unwatched(const std::string& file);

}  // namespace plumb::simulator
