// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumb::invariants {

/// How a trace breaks a rule: data for reports, not an error. `seq` and `related` name events of
/// the trace; -1 when no event can be named. `is_unknowable`: the order of the events is not
/// certain, so the rule is untestable, not broken. Lines are lower case without a full stop.
struct Finding {
  std::string message;
  std::string expected;
  std::string actual;
  std::int64_t seq = -1;
  std::vector<std::int64_t> related;
  bool is_unknowable = false;

  bool operator==(const Finding&) const = default;
};

/// Nothing to complain about, or what is wrong.
using Complaint = std::optional<Finding>;

}  // namespace plumb::invariants
