// SPDX-License-Identifier: Apache-2.0
// Calls of the built-in bash tool beside what the process port recorded of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulator/invariants/rule.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {

/// A call of the built-in bash, begun or not.
bool is_bash_name(const Call& call, const Story& story);
/// One that was executed and whose result no handler touched.
bool is_bash(const Call& call, const Story& story);
const Json& arguments_of_bash(const Call& call);
/// How its process ended, or null when none did.
const ProcessExit* exit_of(const Call& call);

/// What the caps leave of an output: its last whole lines, or the end of a line that alone is too
/// long. `first`, `last`: line numbers, from 1.
struct ShownEnd {
  std::string text;
  std::int64_t first = 1;
  std::int64_t last = 0;
  std::int64_t total_bytes = 0;
  bool is_cut = false;
  bool is_part_of_line = false;
  bool is_by_bytes = false;
};
ShownEnd end_of_output(std::string_view output);

}  // namespace plumb::invariants
