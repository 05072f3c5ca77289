// SPDX-License-Identifier: Apache-2.0
// What came of a row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/json.h"

namespace plumb::simulator {

/// One judged key that is not as expected. `path` is a JSON pointer into the row.
struct Difference {
  std::string path;
  std::string expected;
  std::string actual;
  bool operator==(const Difference&) const = default;
};

using Differences = std::vector<Difference>;

/// Adds to `all`.
void append(Differences& all, Differences more);
/// "PATH: expected X, got Y"; long values are cut in the middle.
std::string describe(const Difference& difference);
/// A value as differences show it.
std::string shown(const Json& value);

enum class CaseOutcome : std::uint8_t { passed, failed, skipped, harness_error };
/// PASS, FAIL, SKIP, ERROR.
std::string_view to_string(CaseOutcome outcome);

/// `reason`: why a row was skipped or could not be judged. `set_aside`: keys that a quirk took out
/// of the judgement.
struct CaseVerdict {
  std::string id;
  std::int64_t line = 0;
  CaseOutcome outcome = CaseOutcome::passed;
  std::string reason;
  Differences differences;
  std::vector<std::string> set_aside;
  bool operator==(const CaseVerdict&) const = default;
};

Json to_json(const CaseVerdict& verdict);
Result<CaseVerdict> parse_verdict(const Json& json);

}  // namespace plumb::simulator
