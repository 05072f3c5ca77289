// SPDX-License-Identifier: Apache-2.0
// The expectations file: verdicts that are known and explained, each for a limited time. It is red
// when an entry is expired, when the verdict is another one, and when it speaks of something that
// did not happen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/record.h"
#include "simulator/script/place.h"

namespace plumb::simulator {

/// An entry may reach this far into the future, in days.
inline constexpr std::int64_t kExpectedDaysMax = 90;

/// `rule`: empty: every rule of the scenario, its own expectations included. `scenario`: an id
/// ("edit/EDIT-03-x"); empty: every scenario. `expires`: YYYY-MM-DD, the last day on which it
/// counts.
struct ExpectedVerdict {
  std::string rule;
  std::string scenario;
  reports::Verdict verdict = reports::Verdict::fail;
  std::string reason;
  std::string expires;
  std::string where;  ///< file:line:col of the entry.
};

/// What entries may speak of. `rules`, `scenarios`: all known ids; empty: not checked. `today`:
/// YYYY-MM-DD.
struct ExpectationScope {
  std::vector<std::string_view> rules;
  std::vector<std::string_view> scenarios;
  std::string_view today;
};

/// YAML: {expected: [{rule, scenario?, verdict, reason, expires}]}; `rule` or `scenario` is needed.
/// Errors: all that were found, unknown ids, second entries for the same and a date beyond
/// kExpectedDaysMax among them.
Checked<std::vector<ExpectedVerdict>> read_expected_verdicts(std::string_view text,
                                                             const std::string& file,
                                                             const ExpectationScope& scope);

/// Marks the verdicts that entries speak of, and lists the entries that matched none; entries for a
/// scenario that was not run are left alone.
void apply_expected(reports::Record& record, const std::vector<ExpectedVerdict>& entries,
                    std::string_view today);

}  // namespace plumb::simulator
