// SPDX-License-Identifier: Apache-2.0
// The file operations of calls that change files, by real path.
#pragma once

#include <string>
#include <vector>

#include "simulator/invariants/finding.h"
#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// What one call did to one file: all its operations on that real path, `first` begin to `last`
/// end. `path`: as the call named it in its arguments.
struct Mutation {
  const Call* call = nullptr;
  std::string path;
  std::string real_path;
  const Event* first = nullptr;
  const Event* last = nullptr;
  bool has_read = false;
  bool has_written = false;
};

/// Whether a call is one of the tools that change files through the queue: edit or write.
bool is_mutator(const Call& call);
/// Mutations of edit and write calls, in order of their first operation.
std::vector<Mutation> mutations_in(const Story& story);
/// The turn of `key` that a call holds at `seq`, or null.
const Event* turn_held(const Call& call, const std::string& key, std::int64_t seq);
/// The turn that the call around this one holds of the file that this one would change, or null
/// (QUEUE-14).
const Event* turn_around(const Call& call, const Story& story);
/// A call of the built-in edit or write, in a trace that shows turns: it has one when it works on
/// its file.
bool needs_turn(const Call& call, const Story& story);
/// The turns that a call takes and gives back, one by one and by key and ticket, as far as the call
/// came to its end.
Complaint turns_are_given_back(const Call& call, const Story& story);
/// Each operation of a call lies within a turn that the queue gave it, where probes show turns.
Complaint stays_within_turn(const Mutation& mutation, const Story& story);
/// The path argument of a call.
std::string argument_path(const Call& call);

}  // namespace plumb::invariants
