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

/// What became of one kind of lie, such as "session_entry data.text". `where`: scenarios in whose
/// trace no rule noticed it.
struct ForgeryTally {
  std::int64_t told = 0;
  std::vector<std::string> where;
};

/// Tells lies of the traces of all scenarios: each kind of lie in one of `share` of them.
std::map<std::string, ForgeryTally> tell_forgeries(std::span<const Scenario> scenarios,
                                                   const Catalogue& catalogue, std::uint64_t share);

/// Kinds of lies that may go unnoticed, with the reason: a JSON object. Errors: of the file.
Result<std::map<std::string, std::string>> read_unwatched(const std::string& file);

}  // namespace plumb::simulator
